// Everything about one thing: YAML, conditions, containers, events, attempts, owners, volumes. U-06.

const RICH = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: rich}
spec: {title: A pod with everything, seed: 2, cluster: {zones: [a], nodesPerZone: 1}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  replicas: 1
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      initContainers: [{name: migrate, image: "shop:1"}]
      containers:
      - {name: web, image: "shop:1", volumeMounts: [{name: scratch, mountPath: /tmp}], readinessProbe: {httpGet: {path: /, port: 80}}}
      - {name: helper, image: "helper:2"}
      volumes: [{name: scratch, emptyDir: {}}]
`;

export const stories = {
  async "a pod is inspected from all sides (U-06)"(t) {
    const page = await t.open("");
    await t.openFiles(page, { "rich.yaml": RICH });
    await t.seek(page, "0:20.0");
    await page.locator('[data-pod^="default/shop-"]').click();
    const side = page.locator(".side");
    await side.getByText("Attempt 1 of 1").waitFor();
    await side.getByRole("tab", { name: "Life" }).click();
    for (const [list, words] of [
      [".containers", ["migrate", "web", "helper", "shop:1", "helper:2", "init", "running", "ended: Completed, exit code 0"]],
      [".conditions", ["Ready", "ContainersReady", "Initialized", "PodScheduled"]],
      [".volumes", ["scratch", "lives as long as the pod"]],
      [".chain", ["ReplicaSet", "Deployment default/shop"]],
    ]) {
      for (const word of words) await side.locator(list).getByText(word).first().waitFor();
    }
    await t.look(page, "inspector-life");
    await side.getByRole("tab", { name: "Events" }).click();
    for (const reason of ["Scheduled", "Pulled", "Created", "Started"]) {
      await side.locator(".events").getByText(reason, { exact: true }).first().waitFor();
    }
    await t.look(page, "inspector-events");
    await side.getByRole("tab", { name: "YAML" }).click();
    await side.locator(".yaml").getByText("restartPolicy").waitFor();
    await side.locator(".yaml").getByText("nodeName").waitFor();
    await t.look(page, "inspector-yaml");

    // Up the chain of owners, and the node.
    await side.getByRole("tab", { name: "Life" }).click();
    await side.locator(".chain").getByRole("button", { name: /^Deployment/ }).click();
    await page.locator('.side[data-subject*="shop"]').getByText(/Deployment/).first().waitFor();
    await side.getByRole("tab", { name: "YAML" }).click();
    await side.locator(".yaml").getByText("replicas").first().waitFor();
    await page.locator('[data-select-node="a-1"]').click();
    await side.getByRole("tab", { name: "Life" }).click();
    await side.locator(".conditions").getByText("Ready", { exact: true }).waitFor();
    await t.look(page, "inspector-node");
  },
};
