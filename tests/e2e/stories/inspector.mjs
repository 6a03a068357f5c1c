// The details of an object: YAML, conditions, containers, events, scheduling attempts, owners, volumes.
import { expect, test } from "../test.mjs";

const POD_WITH_EVERYTHING = `apiVersion: podscope.dev/v1alpha1
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

// Shows: U-06
test("the details of a pod show containers, conditions, volumes, owners, events and YAML", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "rich.yaml": POD_WITH_EVERYTHING });
  await t.seek(page, "0:20.0");
  await page.locator('[data-pod^="default/shop-"]').click();
  const side = page.locator(".side");
  await expect(side.getByText("Attempt 1 of 1")).toBeVisible();
  await side.getByRole("tab", { name: "Life" }).click();
  for (const [list, words] of [
    [".containers", ["migrate", "web", "helper", "shop:1", "helper:2", "init", "running", "ended: Completed, exit code 0"]],
    [".conditions", ["Ready", "ContainersReady", "Initialized", "PodScheduled"]],
    [".volumes", ["scratch", "lives as long as the pod"]],
    [".chain", ["ReplicaSet", "Deployment default/shop"]],
  ]) {
    for (const word of words) await expect(side.locator(list).getByText(word).first()).toBeVisible();
  }
  await t.checkLooks(page, "inspector-life");
  await side.getByRole("tab", { name: "Events" }).click();
  for (const reason of ["Scheduled", "Pulled", "Created", "Started"]) {
    await expect(side.locator(".events").getByText(reason, { exact: true }).first()).toBeVisible();
  }
  await t.checkLooks(page, "inspector-events");
  await side.getByRole("tab", { name: "YAML" }).click();
  await expect(side.locator(".yaml").getByText("restartPolicy")).toBeVisible();
  await expect(side.locator(".yaml").getByText("nodeName")).toBeVisible();
  await t.checkLooks(page, "inspector-yaml");

  // Links lead to the owner and to the node.
  await side.getByRole("tab", { name: "Life" }).click();
  await side.locator(".chain").getByRole("button", { name: /^Deployment/ }).click();
  await expect(page.locator('.side[data-subject*="shop"]').getByText(/Deployment/).first()).toBeVisible();
  await side.getByRole("tab", { name: "YAML" }).click();
  await expect(side.locator(".yaml").getByText("replicas").first()).toBeVisible();
  await page.locator('[data-select-node="a-1"]').click();
  await side.getByRole("tab", { name: "Life" }).click();
  await expect(side.locator(".conditions").getByText("Ready", { exact: true })).toBeVisible();
  await t.checkLooks(page, "inspector-node");
});
