// A question for a time is answered by a pin on the timeline: with the pointer, by keys, on a phone. E-06.

const open = async (t, options) => {
  const page = await t.open("#lesson=prestop-overrun", options);
  const story = page.getByRole("complementary", { name: "Story" });
  await page.getByLabel("Speed").fill("6");
  await page.locator('[data-pod="default/stuck"].m-ready').waitFor();
  await t.command(page, "kubectl delete pod stuck");
  await story.getByRole("button", { name: "Next" }).click();
  const question = story.getByRole("region", { name: "A question" });
  await question.getByText("set a pin on the timeline").waitFor();
  return { page, story, question };
};

export const stories = {
  async "a pin on the timeline says when, and both truths stand there afterwards (E-06)"(t) {
    const { page, story, question } = await open(t);
    const now = await t.now(page);
    // What would answer is hidden while it is asked.
    t.equal(await page.locator(".due").count(), 0, "the director is silent");
    t.equal(await page.locator(".due-mark").count(), 0, "nothing that is due stands in the future");
    await page.locator('[data-pod="default/stuck"]').first().click();
    await page.getByRole("tab", { name: "Life" }).click();
    await page.getByText("Shown once you have answered.").waitFor();
    await page.getByRole("button", { name: "Close the details" }).click();

    const lanes = await page.locator(".lanes").boundingBox();
    const option = await page.locator(".pin.choice", { hasText: "60s" }).boundingBox();
    await page.mouse.click(option.x + 2, lanes.y + lanes.height / 2);
    await question.getByRole("button", { name: "My answer: 60s" }).waitFor();
    t.equal(await t.now(page), now, "the clock stands");
    await t.look(page, "pin");
    await question.getByRole("button", { name: "My answer: 60s" }).click();
    await story.getByText("You said 60s.").waitFor();
    await page.locator(".pin.mine", { hasText: "your answer" }).waitFor();
    await story.getByText("It is 32s").waitFor();
    await page.locator(".pin.real", { hasText: "so it is" }).waitFor();
    await t.look(page, "pin-answered");
    await story.getByRole("button", { name: "Next" }).click();
    const end = story.getByRole("region", { name: "The end of the lesson" });
    await end.locator(".moments svg").nth(1).waitFor();
    t.check(/stuck/.test(await end.locator(".moments svg").first().getAttribute("aria-label")), "before: it is there");
    t.check(!/stuck/.test(await end.locator(".moments svg").nth(1).getAttribute("aria-label")), "after: it is gone");
    await end.getByText("Try also:").waitFor();
    await end.scrollIntoViewIfNeeded();
    await t.look(page, "end-card");
  },

  async "keys alone set a pin and answer with it"(t) {
    const { page, story } = await open(t);
    const pin = page.getByRole("slider", { name: "Your answer: how long it takes" });
    await pin.focus();
    for (const key of ["PageUp", "PageUp", "PageUp", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
    t.equal(await pin.getAttribute("aria-valuetext"), "32s", "a screen reader hears where it stands");
    await page.keyboard.press("Enter");
    await story.getByText("You said 32s, and so it is").waitFor();
  },

  async "a phone has the pin as a field"(t) {
    const page = await t.open("#lesson=five-minutes", { size: "phone" });
    const story = page.getByRole("complementary", { name: "Story" });
    const question = story.getByRole("region", { name: "A question" });
    await question.getByLabel("Pin").fill("120");
    await question.getByLabel("Pin").scrollIntoViewIfNeeded();
    await t.look(page, "pin-phone");
    await question.getByRole("button", { name: "My answer: 120s" }).click();
    await story.getByText("You said 120s.").waitFor();
  },

  async "a finger drags the pin in the sheet of the timeline, and answers there"(t) {
    const page = await t.open("#lesson=five-minutes", { size: "phone" });
    const story = page.getByRole("complementary", { name: "Story" });
    await story.getByRole("region", { name: "A question" }).waitFor();
    await page.getByRole("navigation", { name: "Panels" }).getByRole("button", { name: "Timeline" }).click();
    const { x, y, width, height } = await page.locator(".lanes").boundingBox();
    const middle = y + height / 2;
    const touch = await t.finger(page);
    await touch.down(x + width * 0.3, middle);
    for (const part of [0.35, 0.4, 0.45, 0.5]) await touch.move(x + width * part, middle);
    await touch.up();
    const pin = page.getByRole("slider", { name: "Your answer: how long it takes" });
    const said = await pin.getAttribute("aria-valuetext");
    const { x: at } = await pin.boundingBox();
    t.check(Math.abs(at - (x + width * 0.5)) < width * 0.1, `the pin followed the finger: it stands at ${said}`);
    await t.look(page, "pin-phone-timeline");
    await page.locator(".time").getByRole("button", { name: `My answer: ${said}` }).click();
    await story.getByText(`You said ${said}`).waitFor();
  },
};
