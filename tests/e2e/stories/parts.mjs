// Further parts of the page (panels, dialogs) at every width and in both themes: nothing is clipped, the page does not
// scroll horizontally, touch targets are large enough, and there is no accessibility violation.
import { chooseFromMore } from "../actions.mjs";
import { WIDTHS, controlsOutsideWindow } from "../looks.mjs";
import { expect, test } from "../test.mjs";

const MAX_TOUCH_WIDTH = 1279;
const WIDTHS_CHECKED_IN_BOTH_THEMES = [390, 1024, 1440];

/** Lists the controls in a part of the page that are smaller than 44 px; links in a sentence are exempt. */
const smallTargets = (page, where) => page.locator(where).first().evaluate((part) => [...part.querySelectorAll("button, select, input, a.btn, summary")]
  .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest(".sr, .lanes, .scenery, .overview, .prose p"))
  .map((e) => [e, (e.matches("[type=checkbox], [type=radio]") ? e.closest("label") ?? e : e).getBoundingClientRect()])
  .filter(([e, r]) => r.width > 0 && (r.height < 43.5 || r.width < 43.5 && !e.matches("[type=checkbox]")))
  .map(([e, r]) => `${e.getAttribute("aria-label") ?? e.innerText} ${Math.round(r.width)}×${Math.round(r.height)}`));

/** Lists the texts in a part of the page that are cut off because the part is too narrow. */
const clippedTexts = (page, where) => page.locator(where).first().evaluate((part) => [...part.querySelectorAll("p, h2, h3, li, button, label, td, th, dd, span")]
  .filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && getComputedStyle(e).overflowX === "hidden" && getComputedStyle(e).textOverflow !== "ellipsis" && !e.closest(".sr, .lanes, .scenery, .overview"))
  .map((e) => e.innerText.slice(0, 40)));

/** Lists the texts on bars of the timeline that are higher than their bar. */
const cutTimelineBars = (page) => page.evaluate(() => [...document.querySelectorAll(".lanes .span")]
  .filter((e) => e.checkVisibility() && e.innerText && parseFloat(getComputedStyle(e).fontSize) > e.clientHeight).map((e) => e.innerText));

/** Returns how far the console's log covers the editor beside the cluster, in pixels of height. */
const coveredEditorHeight = (page) => page.evaluate(() => {
  const [log, editor] = [".con .log", ".code-beside"].map((where) => document.querySelector(where)?.getBoundingClientRect());
  return log && editor && log.right > editor.left + 1 ? Math.max(0, Math.round(editor.bottom - log.top)) : 0;
});

const openShareDialog = async (page, whatToShare) => {
  await page.getByRole("button", { name: /^Share/ }).first().click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  if (whatToShare) await dialog.getByRole("group", { name: "What to share" }).getByRole("button", { name: whatToShare }).click();
};

/** For each part of the page: the address to open, the actions that open the part, and its selector. */
const PARTS = {
  start: ["", async (page) => expect(page.locator(".start")).toBeVisible(), ".start"],
  course: ["#lesson=first-pod", async (page) => page.keyboard.press("l"), "dialog"],
  link: ["#lesson=first-pod", (page) => openShareDialog(page), "dialog"],
  frame: ["#lesson=first-pod", (page) => openShareDialog(page, "Frame"), "dialog"],
  film: ["#lesson=first-pod", (page) => openShareDialog(page, "Film"), "dialog"],
  present: ["#lesson=first-pod", async (page) => page.keyboard.press("Shift+P"), ".page"],
  beside: ["#new", async (page, t) => {
    await t.pause(page);
    await page.keyboard.press("e");
    await page.getByRole("button", { name: "Beside the cluster" }).click();
    await expect(page.locator(".code-beside .cm-content")).toBeVisible();
    const field = page.getByLabel("Command", { exact: true });
    await field.fill("kubectl get pods -A");
    await field.press("Enter");
    await expect(page.locator(".con .log p").nth(1)).toBeVisible();
  }, ".code-beside"],
  compare: ["#new", async (page, t) => {
    await t.seek(page, "0:20.0");
    await t.command(page, "fault poweroff c-2");
    await t.seek(page, "1:30.0");
    await page.getByRole("button", { name: "Compare with no commands" }).click();
    await expect(page.locator(".runs .run").nth(1)).toBeVisible();
  }, ".cluster"],
  record: ["#new", async (page, t) => {
    await t.seek(page, "0:20.0");
    await chooseFromMore(page, "Files");
    await page.getByRole("button", { name: "Record a lesson" }).click();
    await expect(page.locator(".recorded")).toBeVisible();
  }, ".recorded"],
  console: ["#new", async (page, t) => {
    await t.seek(page, "0:20.0");
    const field = page.getByLabel("Command", { exact: true });
    await field.fill("kubectl get pods -A -o wide | grep db | head -2");
    await field.press("Enter");
    await expect(page.locator(".con .log p").nth(1)).toBeVisible();
  }, ".con"],
};

for (const [name, [address, reach, where]] of Object.entries(PARTS)) {
  // Shows: U-08, U-13
  test(`${name} is complete and accessible at every width`, async ({ t }) => {
    const problems = [];
    const openPart = async (touch) => {
      const page = await t.open(address, { touch });
      await expect(page.locator("[data-node] [data-pod], [data-node]").first()).toBeVisible();
      await reach(page, t);
      await expect(page.locator(where).first()).toBeVisible();
      return page;
    };
    const pages = { finger: await openPart(true), mouse: await openPart(false) };
    for (const [width, height] of WIDTHS) {
      const page = width <= MAX_TOUCH_WIDTH ? pages.finger : pages.mouse;
      await t.resize(page, width, height);
      const at = `${name} at ${width} px`;
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (overflow > 0) problems.push(`${at}: ${overflow} px of horizontal overflow`);
      for (const item of await controlsOutsideWindow(page)) problems.push(`${at}: outside: ${item}`);
      for (const item of await cutTimelineBars(page)) problems.push(`${at}: cut on the timeline: ${item}`);
      const covered = await coveredEditorHeight(page);
      if (covered > 0) problems.push(`${at}: the log covers ${covered} px of the editor`);
      if (await page.locator(where).first().isVisible()) {
        for (const item of await clippedTexts(page, where)) problems.push(`${at}: clipped: ${item}`);
        if (width <= MAX_TOUCH_WIDTH) for (const item of await smallTargets(page, where)) problems.push(`${at}: small: ${item}`);
      }
      // Colours do not depend on the width: three widths are checked in both themes, the others in one.
      const checked = WIDTHS_CHECKED_IN_BOTH_THEMES.includes(width) ? t.checkLooks(page, `part-${name}-${width}`) : t.expectAccessible(page);
      await checked.catch((error) => problems.push(`${at}: ${error.message}`));
    }
    expect(problems.join("\n"), "problems").toBe("");
  });
}
