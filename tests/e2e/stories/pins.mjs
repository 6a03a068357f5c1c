// A question about an instant is answered with a pin on the timeline: by pointer, by keyboard, on a phone.
import { expect, test } from "../test.mjs";

const openQuestion = async (t, options) => {
  const page = await t.open("#lesson=prestop-overrun", options);
  const story = page.getByRole("complementary", { name: "Story" });
  await page.getByLabel("Speed").selectOption("6");
  await expect(page.locator('[data-pod="default/stuck"].m-ready')).toBeVisible();
  await t.command(page, "kubectl delete pod stuck");
  // The question opens without a click.
  const question = story.getByRole("region", { name: "A question" });
  await expect(question.getByText("set a pin on the timeline")).toBeVisible();
  return { page, story, question };
};

// Shows: E-06
test("a pin on the timeline answers a question about an instant, and the outcome is shown", async ({ t }) => {
  const { page, story, question } = await openQuestion(t);
  const now = await t.now(page);
  // While the question is open, everything that would reveal the answer is hidden.
  await expect(page.locator("[data-forward]"), "the forward button does not reveal the answer").toContainText("Answer first");
  await expect(page.locator(".due-mark"), "due events are not drawn in the future").toHaveCount(0);
  await page.locator('[data-pod="default/stuck"]').first().click();
  await page.getByRole("tab", { name: "Life" }).click();
  await expect(page.getByText("Shown once you have answered.")).toBeVisible();
  await page.getByRole("button", { name: "Close the details" }).click();

  const lanes = await page.locator(".lanes").boundingBox();
  const option = await page.locator(".pin.choice", { hasText: "60s" }).boundingBox();
  await page.mouse.click(option.x + 2, lanes.y + lanes.height / 2);
  await expect(question.getByRole("button", { name: "My answer: 60s" })).toBeVisible();
  expect(await t.now(page), "time is paused").toBe(now);
  await t.checkLooks(page, "pin");
  await question.getByRole("button", { name: "My answer: 60s" }).click();
  await expect(story.getByText("You said 60s.")).toBeVisible();
  await expect(page.locator(".pin.mine", { hasText: "your answer" })).toBeVisible();
  await expect(story.getByText("The answer was 32s")).toBeVisible();
  await expect(page.locator(".pin.real", { hasText: "so it is" })).toBeVisible();
  await t.checkLooks(page, "pin-answered");
  await story.getByRole("button", { name: "Next" }).click();
  const end = story.getByRole("region", { name: "The end of the lesson" });
  await expect(end.locator(".moments svg").nth(1)).toBeVisible();
  expect(await end.locator(".moments svg").first().getAttribute("aria-label"), "before: the pod exists").toMatch(/stuck/);
  expect(await end.locator(".moments svg").nth(1).getAttribute("aria-label"), "after: the pod is deleted").not.toMatch(/stuck/);
  const fontSizes = (texts) => texts.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a);
  for (const [width, height] of [[1440, 900], [1366, 650], [820, 1180], [390, 844], [320, 640]]) {
    await t.resize(page, width, height);
    const smallest = Math.min(...await end.locator(".moments text").evaluateAll(fontSizes));
    expect(smallest, `${width} px: the smallest text of the pictures`).toBeGreaterThanOrEqual(12);
  }
  await t.resize(page, 1440, 900);
  await expect(end.getByText("Try also:")).toBeVisible();
  await end.scrollIntoViewIfNeeded();
  await t.checkLooks(page, "end-card");
});

test("a pin can be set and submitted by keyboard alone", async ({ t }) => {
  const { page, story } = await openQuestion(t);
  const pin = page.getByRole("slider", { name: "Your answer: how long it takes" });
  await pin.focus();
  for (const key of ["PageUp", "PageUp", "PageUp", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
  expect(await pin.getAttribute("aria-valuetext"), "a screen reader announces the pin's position").toBe("32s");
  await page.keyboard.press("Enter");
  await expect(story.getByText("You said 32s, and so it is")).toBeVisible();
});

test("a pin can be set in an input field on a phone", async ({ t }) => {
  const page = await t.open("#lesson=five-minutes", { size: "phone" });
  const story = page.getByRole("complementary", { name: "Story" });
  const question = story.getByRole("region", { name: "A question" });
  await question.getByLabel("Pin").fill("120");
  await question.getByLabel("Pin").scrollIntoViewIfNeeded();
  await t.checkLooks(page, "pin-phone");
  await question.getByRole("button", { name: "My answer: 120s" }).click();
  await expect(story.getByText("You said 120s.")).toBeVisible();
});

test("a pin can be dragged along the timeline by touch", async ({ t }) => {
  const page = await t.open("#lesson=five-minutes", { size: "phone" });
  const story = page.getByRole("complementary", { name: "Story" });
  await expect(story.getByRole("region", { name: "A question" })).toBeVisible();
  const { x, y, width, height } = await page.locator(".lanes").boundingBox();
  const middle = y + height / 2;
  const touch = await t.touchscreen(page);
  await touch.down(x + width * 0.3, middle);
  for (const part of [0.35, 0.4, 0.45, 0.5]) await touch.move(x + width * part, middle);
  await touch.up();
  const pin = page.getByRole("slider", { name: "Your answer: how long it takes" });
  const answer = await pin.getAttribute("aria-valuetext");
  const { x: at } = await pin.boundingBox();
  expect(Math.abs(at - (x + width * 0.5)), `the pin followed the finger to ${answer}`).toBeLessThan(width * 0.1);
  await t.checkLooks(page, "pin-phone-timeline");
  await story.getByRole("button", { name: `My answer: ${answer}` }).click();
  await expect(story.getByText(`You said ${answer}`)).toBeVisible();
});
