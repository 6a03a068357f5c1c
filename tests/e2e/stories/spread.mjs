// The topology spread of the selected pod, as a lane of the timeline: pods in each domain over time, and the limit of
// maxSkew.
import { expect, test } from "../test.mjs";

const BY_ZONE = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]";
const SPREAD_SCENARIO = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: spread}
spec:
  title: Balanced once
  seed: 61
  cluster: {zones: [a, b], nodesPerZone: 1}
  timeline:
  - {at: 10s, run: "kubectl annotate pods -l app=web controller.kubernetes.io/pod-deletion-cost=100"}
  - {at: 11s, run: "kubectl annotate pods web-0 --overwrite controller.kubernetes.io/pod-deletion-cost=1"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1"}], ${BY_ZONE}}
`;
const podWithoutOwner = (name) => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: web}}
spec: {containers: [{name: c, image: app}], ${BY_ZONE}}
`;

// Shows: U-05
test("the timeline shows the topology spread of a selected pod, as a drawing and as text", async ({ t }) => {
  const page = await t.open("#new");
  await t.openFiles(page, { "spread.yaml": SPREAD_SCENARIO });
  await t.seek(page, "0:20.0");
  const lane = page.locator('[data-lane="spread"]');
  await expect(lane, "no lane without a selection").toHaveCount(0);
  await page.locator('[data-node="a-1"] [data-pod^="default/web-"]').first().click();
  await expect(lane.getByText("skew 0, at most 1")).toBeVisible();
  await expect(lane.getByText("a 2", { exact: true })).toBeVisible();
  await expect(lane.locator("svg path[class^=h]"), "one line per zone").toHaveCount(2);
  // Delete both pods of zone b: the constraint does not apply to running pods.
  for (const pod of await page.locator('[data-node="b-1"] [data-pod]').evaluateAll((all) => all.map((e) => e.dataset.pod.split("/")[1]))) {
    await t.command(page, `kubectl annotate pod ${pod} --overwrite controller.kubernetes.io/pod-deletion-cost=-1`);
  }
  await t.command(page, "kubectl scale deployment/web --replicas=2");
  await t.seek(page, "1:30.0");
  await expect(lane.getByText("skew 2, at most 1")).toBeVisible();
  expect(await lane.locator(".over").getAttribute("d"), "the violation is drawn").not.toBe("");
  for (const width of [1280, 1440, 1920]) {
    await t.resize(page, width, Math.round(width * 0.62));
    await t.expectNoOverflow(page, `${width} px`);
    await t.checkLooks(page, `spread-${width}`);
  }
  await t.resize(page, 1440, 900);
  // The keyboard opens the same counts as text.
  await page.getByRole("button", { name: /^The lanes as lists/ }).press("Enter");
  await page.getByRole("dialog").getByRole("group", { name: "Lanes" }).getByRole("button", { name: "Spread" }).press("Enter");
  const list = page.getByRole("dialog", { name: /^Spread of web-.* by zone$/ });
  await expect(list.getByText(/at most 1 above the emptiest/)).toBeVisible();
  await expect(list.getByRole("button", { name: /a 2 · b 0: skew 2, at most 1/ })).toBeVisible();
  await t.checkLooks(page, "spread-as-text");
  await list.getByRole("button", { name: /a 2 · b 2: skew 0, at most 1/ }).first().focus();
  await page.keyboard.press("Enter");
  await expect(list).toHaveCount(0);
  await expect(lane.getByText("skew 0, at most 1")).toBeVisible();
  // After a seek back the lane still shows the recorded future.
  expect(await lane.locator(".over").getAttribute("d"), "the later violation is still drawn").not.toBe("");
  await page.keyboard.press("Escape");
});

// Shows: U-05
test("topology spread counts pods without an owner by their constraint, and is not shown for nodes", async ({ t }) => {
  const page = await t.open("#new");
  const cluster = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: alone}\nspec: {seed: 2, cluster: {zones: [a, b], nodesPerZone: 1}}\n";
  await t.openFiles(page, { "alone.yaml": cluster + ["one", "two", "three"].map(podWithoutOwner).join("") });
  await t.seek(page, "0:10.0");
  await page.locator('[data-pod="default/one"]').click();
  const lane = page.locator('[data-lane="spread"]');
  await expect(lane.getByText("skew 1, at most 1")).toBeVisible();
  // The details cover the node, so it is selected by keyboard.
  await page.locator('[data-select-node="a-1"]').press("Enter");
  await expect(page.locator('.side[data-subject="a-1"]')).toBeVisible();
  await expect(lane).toHaveCount(0);
  // On a phone the timeline has the spread lane too.
  await page.locator('[data-pod="default/one"]').press("Enter");
  await t.resize(page, 390, 844);
  await expect(lane).toBeVisible();
  await t.expectNoOverflow(page, "a phone");
  await t.checkLooks(page, "spread-390");
});
