// The parts that came later, at every width and in both themes: nothing clipped, no way to scroll sideways, targets for
// a finger where one points, no accessibility violation.
import { chooseFromMore } from "../actions.mjs";
import { WIDTHS, controlsOutsideWindow } from "../looks.mjs";
import { expect, test } from "../test.mjs";

const WIDEST_TOUCH = 1279;
const BOTH = [390, 1024, 1440];

/** Targets below 44 px inside a part; links in a sentence are as large as its words. */
const small = (page, where) => page.locator(where).first().evaluate((part) => [...part.querySelectorAll("button, select, input, a.btn, summary")]
  .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest(".sr, .lanes, .scenery, .overview, .prose p"))
  .map((e) => [e, (e.matches("[type=checkbox], [type=radio]") ? e.closest("label") ?? e : e).getBoundingClientRect()])
  .filter(([e, r]) => r.width > 0 && (r.height < 43.5 || r.width < 43.5 && !e.matches("[type=checkbox]")))
  .map(([e, r]) => `${e.getAttribute("aria-label") ?? e.innerText} ${Math.round(r.width)}×${Math.round(r.height)}`));

/** What is wider than it shows, of what a person reads. */
const clipped = (page, where) => page.locator(where).first().evaluate((part) => [...part.querySelectorAll("p, h2, h3, li, button, label, td, th, dd, span")]
  .filter((e) => e.checkVisibility() && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 && getComputedStyle(e).overflowX === "hidden" && getComputedStyle(e).textOverflow !== "ellipsis" && !e.closest(".sr, .lanes, .scenery, .overview"))
  .map((e) => e.innerText.slice(0, 40)));

const shared = async (page, what) => {
  await page.getByRole("button", { name: /^Share/ }).first().click();
  const dialog = page.getByRole("dialog", { name: "Share" });
  if (what) await dialog.getByRole("group", { name: "What to share" }).getByRole("button", { name: what }).click();
};

/** Each part: where it begins, how it is reached, where it is. */
const PARTS = {
  start: ["", async (page) => expect(page.locator(".start")).toBeVisible(), ".start"],
  course: ["#lesson=first-pod", async (page) => page.keyboard.press("l"), "dialog"],
  link: ["#lesson=first-pod", (page) => shared(page), "dialog"],
  frame: ["#lesson=first-pod", (page) => shared(page, "Frame"), "dialog"],
  film: ["#lesson=first-pod", (page) => shared(page, "Film"), "dialog"],
  present: ["#lesson=first-pod", async (page) => page.keyboard.press("Shift+P"), ".page"],
  beside: ["#new", async (page, t) => {
    await t.pause(page);
    await page.keyboard.press("e");
    await page.getByRole("button", { name: "Beside the cluster" }).click();
    await expect(page.locator(".code-beside .cm-content")).toBeVisible();
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
  test(`${name} is whole at every width`, async ({ t }) => {
    const found = [];
    const opened = async (touch) => {
      const page = await t.open(address, { touch });
      await expect(page.locator("[data-node] [data-pod], [data-node]").first()).toBeVisible();
      await reach(page, t);
      await expect(page.locator(where).first()).toBeVisible();
      return page;
    };
    const pages = { finger: await opened(true), mouse: await opened(false) };
    for (const [width, height] of WIDTHS) {
      const page = width <= WIDEST_TOUCH ? pages.finger : pages.mouse;
      await t.resize(page, width, height);
      const at = `${name} at ${width} px`;
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (wide > 0) found.push(`${at}: ${wide} px stick out`);
      for (const one of await controlsOutsideWindow(page)) found.push(`${at}: outside: ${one}`);
      if (await page.locator(where).first().isVisible()) {
        for (const one of await clipped(page, where)) found.push(`${at}: clipped: ${one}`);
        if (width <= WIDEST_TOUCH) for (const one of await small(page, where)) found.push(`${at}: small: ${one}`);
      }
      // Colours are the same at every width: three widths are looked at in both themes, the others in one.
      const seen = BOTH.includes(width) ? t.checkLooks(page, `part-${name}-${width}`) : t.expectAccessible(page);
      await seen.catch((error) => found.push(`${at}: ${error.message}`));
    }
    expect(found.join("\n"), "what is amiss").toBe("");
  });
}
