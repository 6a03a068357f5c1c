// The stage (the drawing of the cluster): every pod is visible, unchanged elements do not move, a pod shows the API's
// view and the running process, and messages move along their wires.
// Shows: U-13, U-10
import { expect, test } from "../test.mjs";

const WINDOW_SIZES = [
  [320, 640], [340, 700], [360, 640], [390, 844], [414, 896], [600, 960], [768, 1024], [820, 1180], [844, 390],
  [1024, 768], [1280, 720], [1366, 650], [1440, 900], [1536, 864], [1920, 1080], [2560, 1440], [3440, 1440], [3840, 2160],
];

/** Counts the pods on the stage, and lists those that are not completely visible. */
const stagePods = (page) => page.evaluate(() => {
  const stage = document.querySelector("#stage").getBoundingClientRect();
  const all = [...document.querySelectorAll("#stage [data-pod]")];
  const hidden = all.filter((podElement) => {
    const r = podElement.getBoundingClientRect();
    return r.width < 4 || r.left < stage.left - 1 || r.right > stage.right + 1 || r.top < stage.top - 1
      || r.bottom > Math.min(stage.bottom, innerHeight) + 1;
  });
  return { count: all.length, hidden: hidden.map((podElement) => podElement.dataset.pod) };
});

/** Starts to sum up the layout shifts of the page. */
const watchShifts = (page) => page.evaluate(() => {
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.shifted += entry.value;
  }).observe({ type: "layout-shift" });
});

// Shows: U-19
test("every pod of a first visit is visible at every window size", async ({ t }) => {
  const page = await t.open("");
  await expect(page.locator("#stage [data-pod]").first()).toBeVisible();
  for (const [width, height] of WINDOW_SIZES) {
    await t.resize(page, width, height);
    const { count, hidden } = await stagePods(page);
    expect(count, `${width}×${height}: pods`).toBeGreaterThanOrEqual(7);
    expect(hidden, `${width}×${height}: hidden pods`).toEqual([]);
    expect(await page.locator(".run").evaluate((run) => run.scrollHeight - run.clientHeight), `${width}×${height} scrolls`).toBeLessThanOrEqual(0);
  }
});

// Shows: U-19
test("unchanged elements of the stage do not move during a rolling update", async ({ t }) => {
  const page = await t.open("", { motion: "no-preference" });
  await t.resize(page, 1366, 650);
  await t.seek(page, "0:00.5");
  // The command closes the introduction and adds lanes to the timeline; the rollout begins when time runs.
  await t.command(page, "kubectl rollout restart deployment/web");
  await t.waitUntilSettled(page);
  await t.waitForDrawing(page);
  await watchShifts(page);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => document.querySelector(".page").dataset.now >= "0:12");
  expect(await page.evaluate(() => window.shifted), "cumulative layout shift").toBeLessThanOrEqual(0.01);
});

// Shows: U-02, U-15, U-21
test("the notice of a broken guarantee stays until it is closed", async ({ t }) => {
  const page = await t.open("#lesson=partition-statefulset");
  await t.seek(page, "0:05.0");
  const node = await page.locator('[data-node]:has([data-pod="default/web-0"])').getAttribute("data-node");
  // The lesson's pods prefer the cut-off node. Without a cordon the new pod would be bound to it and wait for its
  // kubelet.
  await t.command(page, `kubectl cordon ${node}`);
  await t.command(page, `fault partition ${node}`);
  await t.confirmCommand(page, "kubectl delete pod web-0 --grace-period=0 --force");
  await page.getByRole("button", { name: "Play" }).click();
  const notice = page.locator('[data-broken="at-most-one"]');
  await expect(notice).toContainText("2 processes, 1 name");
  await t.pause(page);
  for (const [width, height] of [[1366, 650], [390, 844]]) {
    await t.resize(page, width, height);
    const { hidden } = await stagePods(page);
    expect(hidden.filter((pod) => pod === "default/web-0"), `${width}: both processes are visible`).toEqual([]);
    const coveredMarkCount = await page.evaluate(() => {
      const notice = document.querySelector("[data-broken]").getBoundingClientRect();
      return [...document.querySelectorAll(".pod.breaks")].filter((mark) => {
        const r = mark.getBoundingClientRect();
        return r.left < notice.right && r.right > notice.left && r.top < notice.bottom && r.bottom > notice.top;
      }).length;
    });
    if (width > 1000) expect(coveredMarkCount, "marks covered by the notice").toBe(0);
  }
  const ghost = page.locator('[data-ghost="true"][data-pod="default/web-0"]');
  await expect(ghost).toHaveClass(/torn/);
  await expect(ghost).toHaveAccessibleName(/API: no such pod; on the machine: still runs/);
  await t.checkLooks(page, "broken-guarantee");
  await notice.getByRole("button", { name: /close/ }).click();
  await expect(notice).toHaveCount(0);
});

test("the stage is one tab stop, and arrow keys move between nodes and pods", async ({ t }) => {
  const page = await t.open("");
  await t.seek(page, "0:05.0");
  const countTabStops = () => page.locator('#stage [tabindex="0"], #stage button:not([tabindex]), #stage select').evaluateAll((all) => all.filter((e) => e.checkVisibility()).length);
  expect(await countTabStops(), "tab stops").toBe(1);
  await page.locator('#stage [data-nav][tabindex="0"]').focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.locator("#stage [data-pod]:focus")).toHaveCount(1);
  await page.keyboard.press("ArrowRight");
  await expect(page.locator("#stage [data-nav]:focus")).toHaveCount(1);
  expect(await countTabStops(), "tab stops after moving").toBe(1);
  await expect(page.getByRole("group", { name: /Arrow keys move among nodes and pods/ })).toBeVisible();
});

// Shows: U-20
test("messages are animated as dots; with reduced motion they are counted instead", async ({ t }) => {
  const page = await t.open("", { motion: "no-preference" });
  await page.locator(".page[data-playing=true]").waitFor();
  await page.locator("#stage [data-message]").first().waitFor({ state: "attached" });
  for (let check = 0; check < 10; check += 1) {
    expect(await page.locator("#stage [data-message]").count(), "dots at the same time").toBeLessThanOrEqual(24);
    await t.waitForDrawing(page);
  }
  const reducedMotionPage = await t.open("");
  await expect(reducedMotionPage.locator(".sampled")).toContainText(/\d+ messages/);
  expect(await reducedMotionPage.locator("#stage [data-message]").count(), "dots with reduced motion").toBe(0);
});

// Shows: U-09
test("ten zones with a hundred nodes each fit into the stage", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "big.yaml": "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: big}\nspec:\n  title: Big\n  cluster: {zones: [a, b, c, d, e, f, g, h, i, j], nodesPerZone: 100}\n" });
  await page.locator(".overview canvas").waitFor();
  for (const [width, height] of [[1440, 900], [1366, 650], [390, 844]]) {
    await t.resize(page, width, height);
    const overflow = await page.evaluate(() => {
      const stage = document.querySelector("#stage").getBoundingClientRect();
      const canvas = document.querySelector(".overview canvas").getBoundingClientRect();
      return [canvas.bottom - stage.bottom, canvas.right - stage.right, [...document.querySelectorAll(".zone-list [data-zone]")].length];
    });
    expect(overflow[0], `${width}: below the stage`).toBeLessThanOrEqual(1);
    expect(overflow[1], `${width}: beside the stage`).toBeLessThanOrEqual(1);
    expect(overflow[2], "zones").toBe(10);
  }
});
