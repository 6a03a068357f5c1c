// The page at every width: the story in one press, nothing clipped, no way to scroll sideways, targets for a finger.
import { WIDTHS, controlsOutsideWindow } from "../looks.mjs";
import { expect, test } from "../test.mjs";

/** Buttons that are too small for a finger; words in a sentence are as large as it is. */
const small = (page) => page.evaluate(() => [...document.querySelectorAll(".bar button, .bar .btn, .transport button, .transport select, .story button, .start button, .side button, .time button")]
  .filter((e) => e.checkVisibility() && !e.closest(".lanes, .term, .ends, .names"))
  .map((e) => [e.getAttribute("aria-label") ?? e.innerText, e.getBoundingClientRect()])
  .filter(([, r]) => r.width > 0 && (r.width < 43.5 || r.height < 43.5))
  .map(([name, r]) => `${name} ${Math.round(r.width)}×${Math.round(r.height)}`));

// Shows: U-08, U-13
test("fingers find large targets on large screens too, and the lanes have one name", async ({ t }) => {
  const page = await t.open("#lesson=spread-by-zone", { touch: true });
  for (const [width, height] of [[1024, 768], [1280, 800], [1366, 1024], [1920, 1080]]) {
    const at = `${width} px`;
    await t.resize(page, width, height);
    await t.expectNoOverflow(page, at);
    expect((await small(page)).join("; "), `${at}: small targets`).toBe("");
    await expect(page.getByRole("button", { name: /The lanes as lists/ }), `${at}: one name for all lanes`).toBeVisible();
  }
  await t.resize(page, 1024, 768);
  await page.getByRole("button", { name: /The lanes as lists/ }).click();
  // The list of one lane leads to the others.
  const lanes = page.getByRole("dialog").getByRole("group", { name: "Lanes" });
  await lanes.getByRole("button", { name: "Commands" }).click();
  await expect(page.getByRole("dialog", { name: "Commands" })).toBeVisible();
  expect(await lanes.locator("[aria-pressed=true]").innerText(), "the one that is shown").toBe("Commands");
  await t.checkLooks(page, "lanes-as-lists");
});

// Shows: U-13
test("the story is there at every width", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator("[data-zone] [data-node]").first()).toBeVisible();
  for (const [width, height] of [[320, 568], ...WIDTHS]) {
    const at = `${width} px`;
    await t.resize(page, width, height);
    await t.expectNoOverflow(page, at);
    expect((await controlsOutsideWindow(page)).join("; "), `${at}: outside`).toBe("");
    const story = page.locator(".story");
    await expect(story, `${at}: the story is on the first screen`).toBeVisible();
    const button = await story.locator(".try button").boundingBox();
    expect(button && button.y > 0 && button.y + button.height <= height, `${at}: its button is on the first screen`).toBeTruthy();
    const sentence = await story.locator(".prose p").first().boundingBox();
    expect(sentence && sentence.y > 0, `${at}: its sentence begins there`).toBeTruthy();
    const boxes = await page.locator(".machine").evaluateAll((all) => all.map((e) => e.getBoundingClientRect()).sort((a, b) => a.left - b.left));
    expect(boxes.every((box, nth) => nth === 0 || box.left >= boxes[nth - 1].right - 1), `${at}: the boxes of the control plane stand apart`).toBeTruthy();
    if (width <= 760) expect((await small(page)).join("; "), `${at}: small targets`).toBe("");
    if (width === 1920) {
      expect(await page.evaluate(() => parseFloat(getComputedStyle(document.querySelector(".prose")).fontSize) >= 16), "16 px at 1920").toBeTruthy();
    }
    await t.checkLooks(page, `width-${width}`);
  }
});

// Shows: U-13, U-08
test("in a low window and in front of a room nothing covers the text of a step", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator(".story .try")).toBeVisible();
  await t.pause(page);
  // Each paragraph, brought to the end of the room that it is read in.
  const covered = () => page.locator(".story .prose p").evaluateAll((all) => all.filter((p) => {
    p.scrollIntoView({ block: "end" });
    const box = p.getBoundingClientRect();
    return !p.contains(document.elementFromPoint(box.left + 4, box.bottom - 4));
  }).length);
  for (const [width, height] of [[640, 360], [720, 450], [1440, 560]]) {
    await t.resize(page, width, height);
    expect(await covered(), `${width} × ${height}: paragraphs that are covered`).toBe(0);
    await t.screenshot(page, `low-${width}`);
  }
  await t.resize(page, 1920, 1080);
  await page.locator("#stage").focus();
  await page.keyboard.press("Shift+P");
  await expect(page.locator(".page.present")).toBeVisible();
  expect(await covered(), "presented: paragraphs that are covered").toBe(0);
});

// Shows: U-13
test("the details lie over the stage and move nothing", async ({ t }) => {
  for (const [width, height] of [[820, 1180], [1024, 768]]) {
    const page = await t.open("#lesson=first-pod");
    await t.resize(page, width, height);
    await expect(page.locator("[data-node]").first()).toBeVisible();
    await expect(page.locator(".story"), "the lesson").toBeVisible();
    await expect(page.locator(".side"), "no panel over the cluster unasked").not.toBeVisible();
    const before = await page.locator("#stage").boundingBox();
    await page.getByRole("button", { name: "Legend" }).click();
    await expect(page.locator(".side")).toBeVisible();
    await t.expectNoOverflow(page, `${width} px with details`);
    expect(await page.locator("#stage").boundingBox(), "it moves nothing").toEqual(before);
    await page.getByRole("button", { name: "Close the legend" }).click();
    await expect(page.locator(".side")).toBeHidden();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("dialog", { name: "More" }).getByRole("button", { name: "Editor" }).click();
    await expect(page.getByRole("dialog", { name: /Editor/ })).toBeVisible();
  }
});

// Shows: U-18
test("the start says what this is, and never stands in the way of a link", async ({ t }) => {
  const page = await t.open("");
  const start = page.locator(".start");
  await expect(start).toBeVisible();
  // A cluster lives behind it.
  await expect(page.locator("[data-node] [data-pod]").first()).toBeVisible();
  await start.getByRole("button", { name: /My pod is Pending/ }).click();
  const dialog = page.getByRole("dialog", { name: "My pod is Pending" });
  await expect(dialog.getByText(/^kubectl get nodes,pods,.* -A -o yaml$/)).toBeVisible();
  await t.checkLooks(page, "pending");
  await t.resize(page, 360, 640);
  const wide = await dialog.locator(".inner").evaluate((e) => e.scrollWidth - e.clientWidth);
  expect(wide, `on a phone ${wide} px of it stick out`).toBeLessThanOrEqual(0);
  await t.resize(page, 1440, 900);
  // What comes into the field by another way than a paste waits for a press.
  await expect(dialog.getByRole("button", { name: "Open it" }), "nothing to open yet").toHaveCount(0);
  await dialog.getByLabel("Paste your cluster here").fill("apiVersion: v1\nkind: Node\nmetadata: {name: typed-1}\n");
  await expect(dialog.getByRole("button", { name: "Open it" })).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).click();
  await start.getByRole("button", { name: /Start the course/ }).click();
  await expect(start).toHaveCount(0);
  const other = await t.open("#lesson=drain-with-pdb");
  await expect(other.locator("[data-node]").first()).toBeVisible();
  await expect(other.locator(".start"), "a link goes where it leads").toHaveCount(0);
});

// Shows: U-18
test("lessons are found by a symptom", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator("[data-node]").first()).toBeVisible();
  await page.keyboard.press("l");
  const dialog = page.getByRole("dialog", { name: "Lessons and scenarios" });
  await dialog.getByRole("button", { name: "It runs twice" }).click();
  await expect(dialog.locator('[data-lesson="force-delete-split-brain"]')).toBeVisible();
  await expect(dialog.locator('[data-lesson="first-pod"]'), "others are left out").toHaveCount(0);
  await t.checkLooks(page, "symptoms");
});
