// The timeline: lanes, bars per container, jumps, zoom, branches, and a text version of everything.
// Shows: T-04, L-16
import { expect, test } from "../test.mjs";

const SCENARIO_WITH_TERMINATIONS = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: graceful}
spec:
  title: Two containers end
  seed: 5
  cluster: {zones: [a], nodesPerZone: 2}
  timeline:
  - {at: 10s, run: "kubectl delete pod web --wait=false"}
  - {at: 12s, run: "fault partition a-2"}
---
apiVersion: v1
kind: Pod
metadata:
  name: web
  annotations:
    behavior.podscope.dev/app: "prestop=6s, sigterm=ignore"
    behavior.podscope.dev/log: "sigterm=2s"
spec:
  nodeName: a-1
  terminationGracePeriodSeconds: 20
  containers:
  - {name: app, image: "app:1", lifecycle: {preStop: {exec: {command: [sleep, "6"]}}}}
  - {name: log, image: "log:1"}
`;

// Shows: U-05
test("timeline lanes show events, and bars show how containers terminated", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "graceful.yaml": SCENARIO_WITH_TERMINATIONS });
  await t.seek(page, "0:40.0");
  const lane = (name) => page.locator(`[data-lane="${name}"]`);
  await expect(lane("commands").locator(".k-command"), "commands").toHaveCount(2);
  await expect(lane("faults").locator(".k-cut"), "faults").toHaveCount(1);
  await expect(lane("terminations").locator(".k-preStop")).toBeVisible();
  expect(await lane("terminations").locator(".k-sigterm").count(), "SIGTERM for each container").toBeGreaterThanOrEqual(2);
  await expect(lane("terminations").locator(".k-killed"), "only app is killed").toHaveCount(1);

  // A click on a mark goes to its instant and selects its object.
  await lane("terminations").locator(".k-preStop").click();
  await expect(page.locator('.page[data-now^="0:10."]')).toBeVisible();
  await expect(page.locator('.side[data-subject="web"]')).toBeVisible();
  await t.seek(page, "0:22.0");
  await page.getByRole("tab", { name: "Life" }).click();
  const gantt = page.locator(".gantt");
  await expect(gantt.locator(".lane"), "a row for each container").toHaveCount(2);
  await expect(gantt.getByText(/preStop 0:10\.\d to 0:16/)).toBeAttached();
  await t.checkLooks(page, "termination");

  // The list of each lane has the same events as text.
  await page.getByRole("button", { name: /^The lanes as lists/ }).click();
  await page.getByRole("dialog").getByRole("group", { name: "Lanes" }).getByRole("button", { name: "Terminations" }).click();
  const list = page.getByRole("dialog", { name: "Terminations" });
  await expect(list.getByRole("button", { name: /web\/(app|log)/ }).nth(2), "the terminations as a list").toBeVisible();
  await t.checkLooks(page, "terminations-as-text");
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Close the details" }).click();
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.getByRole("button", { name: "Zoom in" }).click();
  expect(await page.locator(".axis span").count(), "the axis shows the zoomed range").toBeGreaterThanOrEqual(3);
  await page.getByRole("button", { name: "See all" }).click();
});

test("three quick presses of an arrow key move the timeline by three steps", async ({ t }) => {
  const page = await t.open("");
  await t.seek(page, "0:20.0");
  const timeSlider = page.getByRole("slider", { name: "Time" });
  await timeSlider.focus();
  await page.evaluate(() => {
    const timeSlider = document.querySelector('[role="slider"][aria-label="Time"]');
    const press = (key) => timeSlider.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    press("ArrowRight");
    queueMicrotask(() => setTimeout(() => { press("ArrowRight"); setTimeout(() => press("ArrowRight")); }));
  });
  await expect(page.locator('.page[data-now="0:23.0"]')).toBeVisible();
});

// Shows: T-01, P-14
test("a command in the past creates a branch; both branches are kept", async ({ t }) => {
  const page = await t.open("#new");
  await t.seek(page, "0:30.0");
  await t.command(page, "fault poweroff c-1");
  await expect(page.locator('.node.dark[data-node="c-1"]')).toBeVisible();
  await t.seek(page, "0:20.0");
  await expect(page.locator('.node:not(.dark)[data-node="c-1"]')).toBeVisible();
  await t.command(page, "kubectl cordon a-1");
  const branches = page.locator('[aria-label="Branches"] button[aria-pressed]');
  await expect(branches.nth(1)).toBeVisible();
  await expect(branches.nth(1), "the new branch is the current one").toHaveAttribute("aria-pressed", "true");
  await expect(page.locator('[data-node="a-1"]').getByText("cordoned", { exact: true })).toBeVisible();

  // Any other branch can be compared side by side with the current one (T-04).
  await t.seek(page, "0:31.0");
  await page.getByRole("button", { name: /^Compare with .*one clock/ }).click();
  const runs = page.locator(".runs .run");
  await expect(runs.nth(1).locator('.node.dark[data-node="c-1"]')).toBeVisible();
  await expect(runs.first().locator(".node.dark"), "the current branch is unchanged").toHaveCount(0);
  await expect(page.locator(".versus").first().getByText("kubectl cordon a-1")).toBeVisible();
  await expect(page.locator(".versus").nth(1).getByText(await branches.first().innerText())).toBeVisible();
  await t.checkLooks(page, "two-branches");
  await page.getByRole("button", { name: "Figures", exact: true }).click();
  const figures = page.getByRole("dialog", { name: "Figures of both runs" });
  await expect(figures.getByRole("row", { name: /^pods placed \d+ \d+$/ })).toBeVisible();
  for (const resource of ["cpu", "memory"]) {
    const plot = figures.getByRole("figure", { name: `${resource} requested of each node` });
    await expect(plot.locator("path[d^=M]")).toHaveCount(2);
  }
  await t.checkLooks(page, "figures");
  await page.keyboard.press("Escape");
  await expect(figures).toHaveCount(0);
  await page.getByRole("button", { name: "End the comparison" }).click();
  await expect(page.locator(".runs")).toHaveCount(0);
  await branches.first().click();
  await expect(page.locator('[data-node="a-1"] .chip.wait')).toHaveCount(0);
  await page.getByRole("button", { name: "Undo the last command" }).click();
  await t.seek(page, "0:35.0");
  await expect(page.locator('.node:not(.dark)[data-node="c-1"]')).toBeVisible();
});
