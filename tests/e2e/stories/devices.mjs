// Devices are shown on their node, held by claims, and tainted by a fault.
import { expect, test } from "../test.mjs";

const SCENARIO_WITH_DEVICES = `
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: two-gpus}
spec:
  cluster:
    zones: [a]
    nodesPerZone: 2
    devices:
    - {driver: gpu.example.com, count: 2, prefix: gpu, attributes: {model: A100}, capacity: {memory: 80Gi}}
  timeline:
  - at: 1s
    apply: |
      {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}}
      ---
      {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: one}, spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu}}]}}}
      ---
      {apiVersion: v1, kind: Pod, metadata: {name: train}, spec: {resourceClaims: [{name: g, resourceClaimName: one}], containers: [{name: c, image: "app:1", resources: {claims: [{name: g}]}}]}}
`;

// Shows: L-19
test("a node shows its devices, with the claim and the pod that hold them", async ({ t }) => {
  const page = await t.open("#new");
  await t.openFiles(page, { "two-gpus.yaml": SCENARIO_WITH_DEVICES });
  const heldDevices = page.locator(".node .devices i.held");
  await expect(heldDevices).toHaveCount(1, { timeout: 60_000 });
  await expect(page.locator(".node .devices i.free")).toHaveCount(3);
  const node = page.locator("[data-node]").filter({ has: page.locator(".devices i.held") });
  await expect(node.getByRole("img", { name: "2 devices: 1 held, 1 free" })).toBeVisible();
  await t.checkLooks(page, "devices");
  await node.locator("[data-select-node]").click();
  const deviceList = page.getByRole("region", { name: "Devices" });
  await expect(deviceList.getByText("Held by default/one, for train")).toBeVisible();
  await expect(deviceList.getByText("gpu.example.com · model A100 · memory 80Gi").first()).toBeVisible();
  const nodeName = await node.getAttribute("data-node");
  await t.command(page, `fault device ${nodeName} gpu-1 taint sick=yes:NoSchedule`);
  await expect(deviceList.getByText("sick=yes:NoSchedule")).toBeVisible();
  await t.checkLooks(page, "devices-tainted");
  await deviceList.getByRole("button", { name: "default/one" }).click();
  await expect(page.getByRole("heading", { name: "one", exact: true })).toBeVisible();
});

const SCENARIO_ASKING_FOR_THREE = SCENARIO_WITH_DEVICES.replace("deviceClassName: gpu}}]", "deviceClassName: gpu, count: 3}}]");

// Shows: S-14, S-15, U-04
test("a pod that lacks devices shows the reason for each request, and verified remedies", async ({ t }) => {
  const page = await t.open("#new");
  await t.openFiles(page, { "three-gpus.yaml": SCENARIO_ASKING_FOR_THREE });
  const pendingPods = page.getByRole("region", { name: "Pending pods" });
  await t.unfoldPending(page);
  await pendingPods.locator('[data-pod="default/train"]').first().click({ timeout: 60_000 });
  const details = page.locator(".side");
  const devices = details.locator("section[data-devices]");
  await expect(devices).toContainText("asks for 3 devices, and only 2 would do", { timeout: 60_000 });
  await expect(devices).toContainText("gpu.example.com/a-1/gpu-0");
  await t.checkLooks(page, "devices-explained");
  await details.getByRole("button", { name: "What would help?" }).click();
  const remedy = details.getByText("Ask for 2 instead of 3 devices in request g of ResourceClaim default/one");
  await expect(remedy).toBeVisible({ timeout: 60_000 });
});
