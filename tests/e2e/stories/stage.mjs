// The page's regions: the stage's share of the window, the visibility of a lesson's task, and that nothing moves the
// stage.
import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "../test.mjs";

const WINDOW_SIZES = [[1366, 650], [1440, 900], [1920, 1080], [820, 1180], [390, 844]];
const LESSONS_FOLDER = new URL("../../../crates/session/lessons/", import.meta.url);
const LESSONS = readdirSync(LESSONS_FOLDER)
  .filter((file) => /^[\w-]+\.yaml$/.test(file)).map((file) => file.slice(0, -5));
const resize = (page, [width, height]) => page.setViewportSize({ width, height });

/** The stage's share of the window's area. */
const stageShareOfWindow = (page) => page.evaluate(() => {
  const { width, height } = document.getElementById("stage").getBoundingClientRect();
  return width * height / innerWidth / innerHeight;
});

for (const [name, path] of [["the start page", ""], ["free play", "#new"]]) {
  // Shows: U-19
  test(`the stage covers most of the window in ${name}`, async ({ t }) => {
    const page = await t.open(path);
    await expect(page.locator("[data-node]").first()).toBeVisible();
    for (const size of WINDOW_SIZES) {
      await resize(page, size);
      expect(await stageShareOfWindow(page), `${size}`).toBeGreaterThanOrEqual(size[0] === 390 ? .58 : .7);
    }
  });
}

// Shows: U-19
test("the stage covers half the window in a lesson with a question", async ({ t }) => {
  const page = await t.open("#lesson=victim-choice");
  await expect(page.locator("[data-asks] .ask")).toBeVisible();
  for (const size of WINDOW_SIZES) {
    await resize(page, size);
    expect(await stageShareOfWindow(page), `${size}`).toBeGreaterThanOrEqual(size[0] === 390 ? .4 : .52);
  }
});

/** Lists the controls of a story's current task that are not completely visible. The lesson of a first visit shows its
 *  task in a line below the stage, `.brief`. */
const controlsOutOfView = (page) => page.evaluate(() => {
  const isVisible = (element) => {
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    const topmost = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 20));
    const isInside = top >= 0 && left >= 0 && bottom <= innerHeight + .5 && right <= innerWidth + .5;
    return isInside && (element.contains(topmost) || topmost?.contains(element));
  };
  const controls = document.querySelectorAll(".brief button, .story [data-asks] :is(b, button, textarea, input), .story .story-foot .next");
  return [...controls].filter((element) => element.checkVisibility() && !isVisible(element)).map((element) => element.innerText || element.ariaLabel || element.tagName);
});

async function expectControlsVisible(page, at) {
  for (const size of WINDOW_SIZES) {
    await resize(page, size);
    expect(await controlsOutOfView(page), `${at} at ${size}`).toEqual([]);
  }
  await resize(page, WINDOW_SIZES[1]);
}

/** Clicks the first available button of these names. Finding and clicking are one step, because the story may continue
 *  without a click. */
const pressFirst = (story, names) => story.evaluate((story, names) => {
  const buttons = [...story.querySelectorAll("button:enabled")].filter((button) => button.checkVisibility());
  names.map((name) => buttons.find((button) => button.innerText.trim() === name)).find((button) => button)?.click();
}, names);

/** The lesson that a first visit offers. */
const GUIDED_LESSON = "cut-a-node-off";

/** Plays the first two steps of the lesson that a first visit offers, and checks their controls. */
async function showGuidedStart(page) {
  const brief = page.locator(".brief");
  await expect(brief.getByText(/Cut off c-2/).first()).toBeVisible();
  await expectControlsVisible(page, "guided start, step 1");
  await brief.getByRole("button", { name: /fault partition c-2/ }).click();
  await page.getByRole("button", { name: /^Skip to NotReady/ }).click();
  await expect(brief.getByText(/only you can say/).first()).toBeVisible();
  await expectControlsVisible(page, "guided start, step 2");
}

/** The lesson's title in its file. */
const lessonTitle = (lesson) => readFileSync(new URL(`${lesson}.yaml`, LESSONS_FOLDER), "utf8").match(/^  title: "?(.*?)"?$/m)[1];

/** Opens a lesson in `tab`, which has loaded the page and its engine already; without `tab` in a new page. */
async function openLesson(t, tab, lesson) {
  const page = tab ?? await t.open(`#lesson=${lesson}`);
  if (tab) await page.evaluate((lesson) => { location.hash = `#lesson=${lesson}`; }, lesson);
  await expect(page.locator(".story .title")).toHaveText(lessonTitle(lesson));
  return page;
}

/** Opens the first two steps of a lesson and checks their controls. Returns whether the tab can be used for another
 *  lesson. */
async function showFirstSteps(t, page, lesson) {
  const story = page.locator(".story");
  const skip = story.getByRole("button", { name: "Skip to the story" });
  await expect(story.locator(".story-foot").or(skip)).toBeVisible();
  // The story may begin by itself before the click arrives; the button then disappears.
  await expect(async () => {
    if (await skip.isVisible()) await skip.click({ timeout: 5_000 });
    await expect(story.locator(".story-foot")).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await expectControlsVisible(page, `${lesson}, step 1`);
  // Follow the solution's own commands to the second step, if there is one.
  const secondStep = story.locator('.steps[aria-label^="Step 2"]');
  for (let press = 0; press < 8 && !(await secondStep.isVisible()); press++) {
    await pressFirst(story, ["I don't know", "Next ›", "Show me"]);
    await t.waitUntilSettled(page);
  }
  if (await story.locator(".steps").count() === 0) return true;
  // If the second step is not shown yet, the last command needs time to take effect: play at high speed.
  const isFast = !(await secondStep.isVisible());
  if (isFast) {
    await page.getByLabel("Speed").selectOption("6");
    await page.getByRole("button", { name: "Play" }).click();
  }
  await expect(async () => {
    if (!(await secondStep.isVisible())) await pressFirst(story, ["I don't know", "Next ›"]);
    await expect(secondStep).toBeVisible({ timeout: 1_000 });
  }).toPass();
  await t.pause(page);
  await expectControlsVisible(page, `${lesson}, step 2`);
  return !isFast;
}

for (let firstIndex = 0; firstIndex < LESSONS.length; firstIndex += 10) {
  // Shows: U-23
  test(`the tasks of lessons ${firstIndex + 1} to ${Math.min(firstIndex + 10, LESSONS.length)} are visible at every size`, async ({ t }) => {
    let reusableTab;
    for (const lesson of LESSONS.slice(firstIndex, firstIndex + 10)) {
      if (lesson === GUIDED_LESSON) {
        const page = await t.open(`#lesson=${lesson}`);
        await showGuidedStart(page);
        await page.context().close();
        continue;
      }
      reusableTab = await openLesson(t, reusableTab, lesson);
      if (await showFirstSteps(t, reusableTab, lesson)) continue;
      await reusableTab.context().close();
      reusableTab = undefined;
    }
  });
}

// Shows: U-19
test("the stage does not move during a rolling update, a selection and a command", async ({ t }) => {
  const page = await t.open("", { before: (page) => page.addInitScript(() => {
    window.shifts = [];
    const elementName = (node) => node?.className?.baseVal ?? node?.className ?? node?.nodeName ?? "gone";
    new PerformanceObserver((list) => list.getEntries().filter((entry) => !entry.hadRecentInput).forEach(({ value, sources }) =>
      window.shifts.push({ value, moved: sources.map(({ node }) => elementName(node)) }))).observe({ type: "layout-shift" });
  }) });
  const stageBox = () => page.locator("#stage").boundingBox();
  await expect(page.locator("[data-pod]").first()).toBeVisible();
  const before = await stageBox();
  await page.evaluate(() => { window.shifts = []; });
  await expect(page.locator(".page")).toHaveAttribute("data-now", /^0:2\d/, { timeout: 60_000 });
  await page.getByRole("button", { name: "Cut a node off" }).click();
  await page.locator("[data-pod]").first().click();
  await expect(page.locator(".side")).toBeVisible();
  await t.command(page, "kubectl scale deployment web --replicas=7");
  await page.locator(".side").getByRole("button", { name: "Close the details" }).click();
  expect(await stageBox()).toEqual(before);
  const shifts = await page.evaluate(() => window.shifts);
  expect(shifts.reduce((sum, { value }) => sum + value, 0), JSON.stringify(shifts)).toBeLessThanOrEqual(.01);
});
