// Checks of a page's appearance: screenshots, accessibility, overflow.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AXE, ROOT, playwright } from "./tools.mjs";

const { expect } = playwright;
const SCREENS = join(ROOT, "target/screens");

export const SIZES = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
  narrow: { width: 360, height: 640 },
  wall: { width: 3840, height: 2160 },
};
export const THEMES = ["light", "dark"];

export async function screenshot(page, name) {
  await page.screenshot({ path: join(SCREENS, `${name}.png`), animations: "disabled" });
}

/** Saves bytes beside the screenshots. */
export function saveBytes(name, bytes) {
  mkdirSync(SCREENS, { recursive: true });
  writeFileSync(join(SCREENS, name), bytes);
}

/** axe's rules whose result depends on colours. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Takes a screenshot in each theme and expects no accessibility violation in either. The themes differ in colours alone,
 *  so the second is checked by the rules about colours. */
export async function checkLooks(page, name) {
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await screenshot(page, `${name}-${theme}`);
    await expectAccessible(page, theme === THEMES[0] ? undefined : COLOUR_RULES);
  }
  await page.emulateMedia({ colorScheme: "light" });
}

/** Expects that the page does not overflow horizontally. */
export async function expectNoOverflow(page, subject) {
  const overflowWidth = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await expect.poll(overflowWidth, `${subject}: horizontal overflow in pixels`).toBeLessThanOrEqual(0);
}

/** Window sizes, in CSS pixels. */
export const WIDTHS = [[360, 640], [390, 844], [768, 1024], [820, 1180], [1024, 768], [1280, 800], [1440, 900], [1920, 1080], [3840, 2160]];

/** Lists controls and panels that reach beyond the left or right edge of the window, with both of their edges. */
export const controlsOutsideWindow = (page) => page.evaluate(() => [...document.querySelectorAll("button, select, input, .story, .bar, .cluster")]
  .filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest(".rail, .scroll, .log, .skip, .sr"))
  .map((e) => [e.getAttribute("aria-label") ?? e.className ?? e.innerText, e.getBoundingClientRect()])
  .filter(([, r]) => r.width > 0 && r.height > 0 && (r.left < -1 || r.right > innerWidth + 1))
  .map(([name, r]) => `${name}: ${Math.round(r.left)}–${Math.round(r.right)}`));

/** Expects no accessibility violation: WCAG 2.2 AA and best practice, or only the rules with these identifiers.
 *  (`@axe-core/playwright` would load the rules again for each check, which takes four times as long.) */
export async function expectAccessible(page, runOnly) {
  for (const frame of page.frames()) {
    if (!await frame.evaluate(() => "axe" in window)) await frame.evaluate(AXE);
  }
  const { violations } = await page.evaluate((runOnly) =>
    window.axe.run(document, { resultTypes: ["violations"], runOnly, rules: { "target-size": { enabled: !runOnly } } }), runOnly);
  const lines = violations.flatMap((rule) =>
    rule.nodes.slice(0, 5).map((node) =>
      `${rule.id} (${rule.impact}): ${node.target.join(" ")}: ${node.failureSummary.replace(/\s+/g, " ")}`));
  expect(lines.join("\n"), "axe").toBe("");
}
