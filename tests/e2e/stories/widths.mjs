// The page at every width: the story in one press, nothing clipped, no way to scroll sideways, targets for a finger.
import { WIDTHS, outside } from "../looks.mjs";
import { expect, test } from "../test.mjs";

/** Buttons that are too small for a finger; words in a sentence are as large as it is. */
const small = (page) => page.evaluate(() => [...document.querySelectorAll(".bar button, .bar .btn, .dock button, .transport button, .transport input, .story button, .start button, .plane button, .tray button, .node button, .side button, .time button")]
  .filter((e) => e.checkVisibility() && !e.closest(".lanes, .term"))
  .map((e) => [e.getAttribute("aria-label") ?? e.innerText, e.getBoundingClientRect()])
  .filter(([, r]) => r.width > 0 && (r.width < 43.5 || r.height < 43.5))
  .map(([name, r]) => `${name} ${Math.round(r.width)}×${Math.round(r.height)}`));

// Shows: U-08, U-13
test("fingers find large targets on large screens too, and lanes that are low have one name", async ({ t }) => {
  const page = await t.open("#lesson=spread-by-zone", { touch: true });
  for (const [width, height, low] of [[1024, 768, true], [1280, 800, true], [1366, 1024, false], [1920, 1080, false]]) {
    const at = `${width} px`;
    await t.resize(page, width, height);
    await t.fits(page, at);
    expect((await small(page)).join("; "), `${at}: small targets`).toBe("");
    expect(await page.getByRole("button", { name: /The lanes as lists/ }).isVisible(), `${at}: one name for all lanes`).toBe(low);
    expect(await page.getByRole("button", { name: "Decisions", exact: true }).isVisible(), `${at}: each lane's own`).toBe(!low);
  }
  await t.resize(page, 1024, 768);
  await page.getByRole("button", { name: /The lanes as lists/ }).click();
  // The list of one lane leads to the others.
  const lanes = page.getByRole("dialog").getByRole("group", { name: "Lanes" });
  await lanes.getByRole("button", { name: "Commands" }).click();
  await expect(page.getByRole("dialog", { name: "Commands" })).toBeVisible();
  expect(await lanes.locator("[aria-pressed=true]").innerText(), "the one that is shown").toBe("Commands");
  await t.look(page, "lanes-as-lists");
});

// Shows: U-13
test("the story is there at every width", async ({ t }) => {
  const page = await t.open("");
  await expect(page.locator("[data-zone] [data-node] [data-pod]").first()).toBeVisible();
  for (const [width, height] of [[320, 568], ...WIDTHS]) {
    const at = `${width} px`;
    await t.resize(page, width, height);
    await t.fits(page, at);
    expect((await outside(page)).join("; "), `${at}: outside`).toBe("");
    const story = page.locator(".story");
    await expect(story, `${at}: the story is on the first screen`).toBeVisible();
    const button = await story.locator(".try button").boundingBox();
    expect(button && button.y > 0 && button.y + button.height <= height, `${at}: its button is on the first screen`).toBeTruthy();
    const sentence = await story.locator(".prose p").first().boundingBox();
    expect(sentence && sentence.y > 0 && sentence.y + sentence.height <= button.y + 1, `${at}: its sentence is, to its end`).toBeTruthy();
    const strip = await page.locator(".plane").first().evaluate((e) => e.scrollWidth - e.clientWidth);
    expect(strip, `${at}: ${strip} px of the control plane are out of sight`).toBeLessThanOrEqual(0);
    if (width < 1280) expect((await small(page)).join("; "), `${at}: small targets`).toBe("");
    // Lanes are as high as a finger where the window is high enough.
    const lanes = await page.locator(".names > button").evaluateAll((all) => all.filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect().height));
    if (width < 1280) expect(lanes.every((high) => high >= (height < 900 ? 23.5 : 43.5)), `${at}: lanes ${lanes}`).toBeTruthy();
    if (width === 1920) {
      expect(await page.evaluate(() => parseFloat(getComputedStyle(document.querySelector(".prose")).fontSize) >= 16), "16 px at 1920").toBeTruthy();
    }
    await t.look(page, `width-${width}`);
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
test("where there is no room for a column the details are a sheet", async ({ t }) => {
  for (const [width, height] of [[820, 1180], [1024, 768]]) {
    const page = await t.open("#lesson=first-pod");
    await t.resize(page, width, height);
    await expect(page.locator("[data-node]").first()).toBeVisible();
    await expect(page.locator(".story"), "the lesson").toBeVisible();
    await expect(page.locator(".side"), "no panel over the cluster unasked").not.toBeVisible();
    await page.getByRole("button", { name: "Details" }).first().click();
    await expect(page.locator(".side")).toBeVisible();
    await t.fits(page, `${width} px with details`);
    await page.getByRole("button", { name: "Details" }).first().click();
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
  await expect(dialog.getByText("kubectl get nodes,pods -A -o yaml")).toBeVisible();
  await t.look(page, "pending");
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
  await t.look(page, "symptoms");
});
