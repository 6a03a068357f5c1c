// The lane of a spread: pods in each domain over time beside what maxSkew allows, of what is selected. U-05.

const BY_ZONE = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]";
const SPREAD = `apiVersion: podscope.dev/v1alpha1
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
const alone = (name) => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: {app: web}}
spec: {containers: [{name: c, image: app}], ${BY_ZONE}}
`;

export const stories = {
  async "what is selected has a lane of its spread, in lines and in words (U-05)"(t) {
    const page = await t.open("#new");
    await t.openFiles(page, { "spread.yaml": SPREAD });
    await t.seek(page, "0:20.0");
    const lane = page.locator('[data-lane="spread"]');
    t.equal(await lane.count(), 0, "nothing is selected");
    await page.locator('[data-node="a-1"] [data-pod^="default/web-"]').first().click();
    await lane.getByText("skew 0, at most 1").waitFor();
    await lane.getByText("a 2", { exact: true }).waitFor();
    t.equal(await lane.locator("svg path[class^=h]").count(), 2, "a line a zone");
    // Two pods of zone b go: nobody keeps the constraint for pods that run.
    for (const pod of await page.locator('[data-node="b-1"] [data-pod]').evaluateAll((all) => all.map((e) => e.dataset.pod.split("/")[1]))) {
      await t.command(page, `kubectl annotate pod ${pod} --overwrite controller.kubernetes.io/pod-deletion-cost=-1`);
    }
    await t.command(page, "kubectl scale deployment/web --replicas=2");
    await t.seek(page, "1:30.0");
    await lane.getByText("skew 2, at most 1").waitFor();
    t.check(await lane.locator(".over").getAttribute("d") !== "", "the break is drawn");
    for (const width of [1280, 1440, 1920]) {
      await page.setViewportSize({ width, height: Math.round(width * 0.62) });
      await t.fits(page, `${width} px`);
      await t.look(page, `spread-${width}`);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    // The same as text, by keys alone.
    await page.getByRole("button", { name: "Spread" }).focus();
    await page.keyboard.press("Enter");
    const list = page.getByRole("dialog", { name: /^Spread of web-.* by zone$/ });
    await list.getByText(/at most 1 above the emptiest/).waitFor();
    await list.getByRole("button", { name: /a 2 · b 0: skew 2, at most 1/ }).waitFor();
    await t.look(page, "spread-as-text");
    await list.getByRole("button", { name: /a 2 · b 2: skew 0, at most 1/ }).first().focus();
    await page.keyboard.press("Enter");
    await list.waitFor({ state: "detached" });
    await lane.getByText("skew 0, at most 1").waitFor();
    // What lies ahead is as it was: the past has been visited, nothing was forgotten.
    t.check(await lane.locator(".over").getAttribute("d") !== "", "the later break stays");
    await page.keyboard.press("Escape");
  },

  async "pods without an owner are counted by their constraint; other things have no such lane (U-05)"(t) {
    const page = await t.open("#new");
    const cluster = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: alone}\nspec: {seed: 2, cluster: {zones: [a, b], nodesPerZone: 1}}\n";
    await t.openFiles(page, { "alone.yaml": cluster + ["one", "two", "three"].map(alone).join("") });
    await t.seek(page, "0:10.0");
    await page.locator('[data-pod="default/one"]').click();
    const lane = page.locator('[data-lane="spread"]');
    await lane.getByText("skew 1, at most 1").waitFor();
    await page.locator('[data-select-node="a-1"]').click();
    await lane.waitFor({ state: "detached" });
    // On a phone the lane is on the timeline's sheet.
    await page.locator('[data-pod="default/one"]').click();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole("button", { name: "Timeline" }).click();
    await lane.waitFor();
    await t.fits(page, "a phone");
    await t.look(page, "spread-390");
  },
};
