// The page's regions: how much of the window the stage has, what a lesson asks in sight, and that nothing moves the
// stage.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "../test.mjs";

const WINDOWS = [[1366, 650], [1440, 900], [1920, 1080], [820, 1180], [390, 844]];
const LESSONS = readdirSync(fileURLToPath(new URL("../../../crates/session/lessons", import.meta.url)))
  .filter((file) => /^[\w-]+\.yaml$/.test(file)).map((file) => file.slice(0, -5));
const resize = (page, [width, height]) => page.setViewportSize({ width, height });

/** The part of the window that the stage has. */
const share = (page) => page.evaluate(() => {
  const { width, height } = document.getElementById("stage").getBoundingClientRect();
  return width * height / innerWidth / innerHeight;
});

for (const [name, path] of [["the start page", ""], ["free play", "#new"]]) {
  // Shows: U-19
  test(`the stage has most of the window on ${name}`, async ({ t }) => {
    const page = await t.open(path);
    await expect(page.locator("[data-node]").first()).toBeVisible();
    for (const size of WINDOWS) {
      await resize(page, size);
      expect(await share(page), `${size}`).toBeGreaterThanOrEqual(size[0] === 390 ? .58 : .7);
    }
  });
}

// Shows: U-19
test("the stage has half the window in a lesson that asks", async ({ t }) => {
  const page = await t.open("#lesson=victim-choice");
  await expect(page.locator("[data-asks] .ask")).toBeVisible();
  for (const size of WINDOWS) {
    await resize(page, size);
    expect(await share(page), `${size}`).toBeGreaterThanOrEqual(size[0] === 390 ? .4 : .52);
  }
});

/** What of a story is to be answered, filled in or pressed and is not wholly in sight. */
const hidden = (page) => page.evaluate(() => {
  const story = document.querySelector(".story");
  const seen = (element) => {
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    const over = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 20));
    const isInside = top >= 0 && left >= 0 && bottom <= innerHeight + .5 && right <= innerWidth + .5;
    return isInside && (element.contains(over) || over?.contains(element));
  };
  const wanted = story.querySelectorAll("[data-asks] :is(b, button, textarea, input), .story-foot .next");
  return [...wanted].filter((element) => element.checkVisibility() && !seen(element)).map((element) => element.innerText || element.ariaLabel || element.tagName);
});

async function all(page, at) {
  for (const size of WINDOWS) {
    await resize(page, size);
    expect(await hidden(page), `${at} at ${size}`).toEqual([]);
  }
  await resize(page, WINDOWS[1]);
}

/** Presses the first of these buttons that can be pressed. Found and pressed at once: the page may turn by itself. */
const pressFirst = (story, names) => story.evaluate((story, names) => {
  const buttons = [...story.querySelectorAll("button:enabled")].filter((button) => button.checkVisibility());
  names.map((name) => buttons.find((button) => button.innerText.trim() === name)).find((button) => button)?.click();
}, names);

for (let first = 0; first < LESSONS.length; first += 10) {
  // Shows: U-23
  test(`what lessons ${first + 1} to ${Math.min(first + 10, LESSONS.length)} ask is in sight at every size`, async ({ t }) => {
    for (const lesson of LESSONS.slice(first, first + 10)) {
      const page = await t.open(`#lesson=${lesson}`);
      const story = page.locator(".story");
      await expect(story).toBeVisible();
      const skip = story.getByRole("button", { name: "Skip to the story" });
      await expect(story.locator(".story-foot").or(skip)).toBeVisible();
      // The story may begin by itself while the press is on its way: then there is no such button.
      await expect(async () => {
        if (await skip.isVisible()) await skip.click({ timeout: 5_000 });
        await expect(story.locator(".story-foot")).toBeVisible({ timeout: 5_000 });
      }).toPass();
      await all(page, `${lesson}, step 1`);
      // By the solution's own commands to the second step, if there is one.
      const second = story.locator('.steps[aria-label^="Step 2"]');
      for (let press = 0; press < 8 && !(await second.isVisible()); press++) {
        await pressFirst(story, ["I don't know", "Next ›", "Show me"]);
        await t.waitUntilSettled(page);
      }
      if (await story.locator(".steps").count() === 0) {
        await page.context().close();
        continue;
      }
      // What the last of them brings about may take a while.
      if (!(await second.isVisible())) {
        await page.getByLabel("Speed").selectOption("6");
        await page.getByRole("button", { name: "Play" }).click();
      }
      await expect(async () => {
        if (!(await second.isVisible())) await pressFirst(story, ["I don't know", "Next ›"]);
        await expect(second).toBeVisible({ timeout: 1_000 });
      }).toPass();
      await t.pause(page);
      await all(page, `${lesson}, step 2`);
      await page.context().close();
    }
  });
}

// Shows: U-19
test("nothing moves the stage while a rolling update runs, a pod is selected and a command is given", async ({ t }) => {
  const page = await t.open("", { before: (page) => page.addInitScript(() => {
    window.shifts = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => { window.shifts += entry.hadRecentInput ? 0 : entry.value; })).observe({ type: "layout-shift" });
  }) });
  const box = () => page.locator("#stage").boundingBox();
  await expect(page.locator("[data-pod]").first()).toBeVisible();
  const before = await box();
  await page.evaluate(() => { window.shifts = 0; });
  await expect(page.locator(".page")).toHaveAttribute("data-now", /^0:2\d/, { timeout: 60_000 });
  await page.getByRole("button", { name: "Cut a node off" }).click();
  await page.locator("[data-pod]").first().click();
  await expect(page.locator(".side")).toBeVisible();
  await t.command(page, "kubectl scale deployment web --replicas=7");
  await page.locator(".side").getByRole("button", { name: "Close the details" }).click();
  expect(await box()).toEqual(before);
  expect(await page.evaluate(() => window.shifts)).toBeLessThanOrEqual(.01);
});
