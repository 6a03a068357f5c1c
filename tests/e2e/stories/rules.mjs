// Rules that are new in v1.36 are explained: the effect of a pod on a node's balance, features that an old kubelet
// lacks, and the restart rule that matched.
// Shows: F-05
import { expect, test } from "../test.mjs";

const SCENARIO_WITH_NEW_RULES = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: rules}
spec: {title: Rules of v1.36, seed: 3, cluster: {zones: []}}
---
apiVersion: v1
kind: Node
metadata: {name: new-1, labels: {kubernetes.io/hostname: new-1}}
status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}, allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: new-2, labels: {kubernetes.io/hostname: new-2}}
status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}, allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: old-1, labels: {kubernetes.io/hostname: old-1}}
status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}, allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, nodeInfo: {kubeletVersion: v1.34.1}}
---
apiVersion: v1
kind: Pod
metadata: {name: train, annotations: {behavior.podscope.dev/main: "run=5s, exit=42"}}
spec:
  restartPolicy: Never
  containers:
  - name: main
    image: train:1
    resources: {requests: {cpu: 100m, memory: 4Gi}}
    restartPolicy: Never
    restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}]
`;

// Shows: S-14
test("the details explain node balance, declared node features and restart rules", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "rules.yaml": SCENARIO_WITH_NEW_RULES });
  await t.seek(page, "0:20.0");
  await page.locator('[data-pod="default/train"]').first().click();
  const side = page.locator(".side");
  await side.getByRole("tab", { name: /Why/ }).click();
  await expect(side.locator(".scores").getByText("NodeResourcesBalancedAllocation").first()).toBeVisible();
  const balanceDetails = side.locator("details").filter({ hasText: "BalancedAllocation" });
  await balanceDetails.locator("summary").click();
  await expect(balanceDetails.getByText(/\d+ → \d+: this pod makes the node less even/).first()).toBeVisible();
  await expect(side.getByText(/RestartAllContainersOnContainerExits/).first()).toBeVisible();
  await t.checkLooks(page, "rules-why");
  await side.getByRole("tab", { name: /Life/ }).click();
  await expect(side.getByText(/restartPolicyRules\[0\]/).first()).toBeVisible();
  await t.checkLooks(page, "rules-life");
});
