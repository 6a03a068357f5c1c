// The timeline: lanes, bars per container, jumps, zoom, branches, a text for everything. U-05, T-01, T-04, L-16.

const GRACEFUL = `apiVersion: podscope.dev/v1alpha1
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

export const stories = {
  async "lanes show what happened, bars how containers ended (U-05)"(t) {
    const page = await t.open("");
    await t.openFiles(page, { "graceful.yaml": GRACEFUL });
    await t.seek(page, "0:40.0");
    const lane = (name) => page.locator(`[data-lane="${name}"]`);
    t.equal(await lane("commands").locator(".k-command").count(), 2, "commands");
    t.equal(await lane("faults").locator(".k-cut").count(), 1, "faults");
    await lane("terminations").locator(".k-preStop").waitFor();
    t.check(await lane("terminations").locator(".k-sigterm").count() >= 2, "SIGTERM for each container");
    t.equal(await lane("terminations").locator(".k-killed").count(), 1, "only app is killed");

    // A mark is a place in time and a thing.
    await lane("terminations").locator(".k-preStop").click();
    await page.locator('.page[data-now^="0:10."]').waitFor();
    await page.locator('.side[data-subject="web"]').waitFor();
    await t.seek(page, "0:22.0");
    await page.getByRole("tab", { name: "Life" }).click();
    const gantt = page.locator(".gantt");
    t.check(await gantt.locator(".lane").count() === 2, "a row for each container");
    await gantt.getByText(/preStop 0:10\.\d to 0:16/).waitFor({ state: "attached" });
    await t.look(page, "termination");

    // The same as text.
    await page.getByRole("button", { name: "Terminations" }).click();
    const list = page.getByRole("dialog", { name: "Terminations" });
    t.check(await list.getByRole("button", { name: /web\/(app|log)/ }).count() >= 3, "as a list");
    await t.look(page, "terminations-as-text");
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByRole("button", { name: "Zoom in" }).click();
    t.check(await page.locator(".axis span").count() >= 3, "the axis follows");
    await page.getByRole("button", { name: "See all" }).click();
  },

  async "quick steps on the timeline add up"(t) {
    const page = await t.open("");
    await t.seek(page, "0:20.0");
    const head = page.getByRole("slider", { name: "Time" });
    await head.focus();
    await page.evaluate(() => {
      const head = document.querySelector('[role="slider"][aria-label="Time"]');
      const press = (key) => head.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      press("ArrowRight");
      queueMicrotask(() => setTimeout(() => { press("ArrowRight"); setTimeout(() => press("ArrowRight")); }));
    });
    await page.locator('.page[data-now="0:23.0"]').waitFor();
  },

  async "the past can be visited and forked; both futures stay (T-01)"(t) {
    const page = await t.open("");
    await t.seek(page, "0:30.0");
    await t.command(page, "fault poweroff c-1");
    await page.locator('.node.dark[data-node="c-1"]').waitFor();
    await t.seek(page, "0:20.0");
    await page.locator('.node:not(.dark)[data-node="c-1"]').waitFor();
    await t.command(page, "kubectl cordon a-1");
    const branches = page.locator('[aria-label="Branches"] button[aria-pressed]');
    await branches.nth(1).waitFor();
    t.equal(await branches.nth(1).getAttribute("aria-pressed"), "true", "the new branch is the present one");
    await page.locator('[data-node="a-1"]').getByText("cordoned", { exact: true }).waitFor();

    // Any other branch, side by side (T-04).
    await t.seek(page, "0:31.0");
    await page.getByRole("button", { name: /^Compare with .*one clock/ }).click();
    const runs = page.locator(".runs .run");
    await runs.nth(1).locator('.node.dark[data-node="c-1"]').waitFor();
    t.equal(await runs.first().locator(".node.dark").count(), 0, "this branch is as it was");
    await page.locator(".versus").first().getByText("kubectl cordon a-1").waitFor();
    await page.locator(".versus").nth(1).getByText(await branches.first().innerText()).waitFor();
    await t.look(page, "two-branches");
    await page.getByRole("button", { name: "End the comparison" }).click();
    await page.locator(".runs").waitFor({ state: "detached" });
    await branches.first().click();
    await page.locator('[data-node="a-1"] .chip.wait').waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo the last command" }).click();
    await t.seek(page, "0:35.0");
    await page.locator('.node:not(.dark)[data-node="c-1"]').waitFor();
  },
};
