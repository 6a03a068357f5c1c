// The page at every width: the story is visible, nothing is clipped, no horizontal scrolling, large touch targets.
import { WIDTHS, controlsOutsideWindow } from "../looks.mjs";
import { expect, test } from "../test.mjs";

/** Buttons that are too small as touch targets. */
const smallTargets = (page) => page.evaluate(() => [...document.querySelectorAll(".bar button, .bar .btn, .transport button, .transport select, .story button, .start button, .side button, .time button")]
  .filter((e) => e.checkVisibility() && !e.closest(".lanes, .term, .ends, .names"))
  .map((e) => [e.getAttribute("aria-label") ?? e.innerText, e.getBoundingClientRect()])
  .filter(([, r]) => r.width > 0 && (r.width < 43.5 || r.height < 43.5))
  .map(([name, r]) => `${name} ${Math.round(r.width)}×${Math.round(r.height)}`));

// Shows: U-08, U-13
test("touch targets are large on large screens as well, and one button lists all lanes", async ({ t }) => {
  const page = await t.open("#lesson=spread-by-zone", { touch: true });
  for (const [width, height] of [[1024, 768], [1280, 800], [1366, 1024], [1920, 1080]]) {
    const at = `${width} px`;
    await t.resize(page, width, height);
    await t.expectNoOverflow(page, at);
    expect((await smallTargets(page)).join("; "), `${at}: small targets`).toBe("");
    await expect(page.getByRole("button", { name: /The lanes as lists/ }), `${at}: one button for all lanes`).toBeVisible();
  }
  await t.resize(page, 1024, 768);
  await page.getByRole("button", { name: /The lanes as lists/ }).click();
  // The list of one lane leads to the lists of the others.
  const lanes = page.getByRole("dialog").getByRole("group", { name: "Lanes" });
  await lanes.getByRole("button", { name: "Commands" }).click();
  await expect(page.getByRole("dialog", { name: "Commands" })).toBeVisible();
  expect(await lanes.locator("[aria-pressed=true]").innerText(), "the shown lane is pressed").toBe("Commands");
  await t.checkLooks(page, "lanes-as-lists");
});

// Shows: U-13
test("the story is visible at every width", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator("[data-zone] [data-node]").first()).toBeVisible();
  for (const [width, height] of [[320, 568], ...WIDTHS]) {
    const at = `${width} px`;
    await t.resize(page, width, height);
    await t.expectNoOverflow(page, at);
    expect((await controlsOutsideWindow(page)).join("; "), `${at}: outside`).toBe("");
    const story = page.locator(".story");
    await expect(story, `${at}: the story is visible without scrolling`).toBeVisible();
    const button = await story.locator(".try button").boundingBox();
    expect(button && button.y > 0 && button.y + button.height <= height, `${at}: its button is visible without scrolling`).toBeTruthy();
    const sentence = await story.locator(".prose p").first().boundingBox();
    expect(sentence && sentence.y > 0, `${at}: its first sentence is visible`).toBeTruthy();
    const boxes = await page.locator(".machine").evaluateAll((all) => all.map((e) => e.getBoundingClientRect()).sort((a, b) => a.left - b.left));
    expect(boxes.every((box, nth) => nth === 0 || box.left >= boxes[nth - 1].right - 1), `${at}: the machines of the control plane do not overlap`).toBeTruthy();
    if (width <= 760) expect((await smallTargets(page)).join("; "), `${at}: small targets`).toBe("");
    if (width === 1920) {
      expect(await page.evaluate(() => parseFloat(getComputedStyle(document.querySelector(".prose")).fontSize) >= 16), "16 px at 1920").toBeTruthy();
    }
    await t.checkLooks(page, `width-${width}`);
  }
});

// Shows: U-13, U-08
test("nothing covers the text of a step in a low window and in presentation mode", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator(".story .try")).toBeVisible();
  await t.pause(page);
  // Counts the paragraphs that something covers when the story is scrolled to its end.
  const countCoveredParagraphs = () => page.locator(".story .prose p").evaluateAll((all) => all.filter((p) => {
    p.scrollIntoView({ block: "end" });
    const box = p.getBoundingClientRect();
    return !p.contains(document.elementFromPoint(box.left + 4, box.bottom - 4));
  }).length);
  for (const [width, height] of [[640, 360], [720, 450], [1440, 560]]) {
    await t.resize(page, width, height);
    expect(await countCoveredParagraphs(), `${width} × ${height}: covered paragraphs`).toBe(0);
    await t.screenshot(page, `low-${width}`);
  }
  await t.resize(page, 844, 390);
  await page.locator(".story .scroll").evaluate((e) => e.scrollTo(0, 0));
  const lines = await page.locator(".story .prose p").first().evaluate((p) => (p.closest(".scroll").getBoundingClientRect().bottom - p.getBoundingClientRect().top) / parseFloat(getComputedStyle(p).lineHeight));
  expect(lines, "lines of the text on a phone in landscape").toBeGreaterThan(5);
  await t.resize(page, 1920, 1080);
  await page.locator("#stage").focus();
  await page.keyboard.press("Shift+P");
  await expect(page.locator(".page.present")).toBeVisible();
  expect(await countCoveredParagraphs(), "presenting: covered paragraphs").toBe(0);
});

// Shows: U-13
test("the details panel covers a part of the stage without moving the stage", async ({ t }) => {
  for (const [width, height] of [[820, 1180], [1024, 768]]) {
    const page = await t.open("#lesson=first-pod");
    await t.resize(page, width, height);
    await expect(page.locator("[data-node]").first()).toBeVisible();
    await expect(page.locator(".story"), "the lesson is shown").toBeVisible();
    await expect(page.locator(".side"), "no panel covers the cluster unrequested").not.toBeVisible();
    const before = await page.locator("#stage").boundingBox();
    await page.getByRole("button", { name: "Legend" }).click();
    await expect(page.locator(".side")).toBeVisible();
    await t.expectNoOverflow(page, `${width} px with details`);
    expect(await page.locator("#stage").boundingBox(), "the stage does not move").toEqual(before);
    await page.getByRole("button", { name: "Close the legend" }).click();
    await expect(page.locator(".side")).toBeHidden();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("dialog", { name: "More" }).getByRole("button", { name: "Editor" }).click();
    await expect(page.getByRole("dialog", { name: /Editor/ })).toBeVisible();
  }
});

// Shows: U-18
test("the start card explains the page and is not shown when a link is opened", async ({ t }) => {
  const page = await t.open("");
  const startCard = page.locator(".start");
  await expect(startCard).toBeVisible();
  // A running cluster is behind the card.
  await expect(page.locator("[data-node] [data-pod]").first()).toBeVisible();
  await startCard.getByRole("button", { name: /My pod is Pending/ }).click();
  const dialog = page.getByRole("dialog", { name: "My pod is Pending" });
  await expect(dialog.getByText(/^kubectl get nodes,pods,.* -A -o yaml$/)).toBeVisible();
  await t.checkLooks(page, "pending");
  await t.resize(page, 360, 640);
  const overflow = await dialog.locator(".inner").evaluate((e) => e.scrollWidth - e.clientWidth);
  expect(overflow, `on a phone ${overflow} px of horizontal overflow`).toBeLessThanOrEqual(0);
  await t.resize(page, 1440, 900);
  // Pasted text is opened at once; typed text is opened by a click.
  await expect(dialog.getByRole("button", { name: "Open it" }), "there is nothing to open yet").toHaveCount(0);
  await dialog.getByLabel("Paste your cluster here").fill("apiVersion: v1\nkind: Node\nmetadata: {name: typed-1}\n");
  await expect(dialog.getByRole("button", { name: "Open it" })).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).click();
  await startCard.getByRole("button", { name: /Start the course/ }).click();
  await expect(startCard).toHaveCount(0);
  const other = await t.open("#lesson=drain-with-pdb");
  await expect(other.locator("[data-node]").first()).toBeVisible();
  await expect(other.locator(".start"), "a link opens without the start card").toHaveCount(0);
});

// Shows: U-18
test("lessons can be found by a symptom", async ({ t }) => {
  const page = await t.open("#lesson=first-pod");
  await expect(page.locator("[data-node]").first()).toBeVisible();
  await page.keyboard.press("l");
  const dialog = page.getByRole("dialog", { name: "Lessons and scenarios" });
  await dialog.getByRole("button", { name: "It runs twice" }).click();
  await expect(dialog.locator('[data-lesson="force-delete-split-brain"]')).toBeVisible();
  await expect(dialog.locator('[data-lesson="first-pod"]'), "other lessons are not listed").toHaveCount(0);
  await t.checkLooks(page, "symptoms");
  await t.resize(page, 390, 844);
  await dialog.getByLabel("Find a lesson").fill("preemption");
  await expect(dialog.locator("[data-lesson]").first(), "the first match is in sight on a phone").toBeInViewport({ ratio: 1 });
});
