// Why a pod was placed on its node, what would help an unschedulable pod, and grouping of nodes by any label.
// Shows: S-14
import { expect, test } from "../test.mjs";

const SCENARIO_WITH_PENDING_POD = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: stuck}
spec:
  title: A pod that fits nowhere
  seed: 1
  cluster: {zones: [a, b], nodesPerZone: 1, node: {cpu: 2, memory: 4Gi}}
  timeline:
  - {at: 1s, run: "kubectl cordon a-1 b-1"}
  - at: 3s
    apply: "{apiVersion: v1, kind: Pod, metadata: {name: picky}, spec: {containers: [{name: c, image: app:1, resources: {requests: {cpu: 500m}}}]}}"
`;

const nodeManifest = (name, rack) => `---
apiVersion: v1
kind: Node
metadata:
  name: ${name}
  labels: {kubernetes.io/hostname: ${name}, topology.kubernetes.io/zone: z${name[1] % 2}${rack ? `, rack: ${rack}` : ""}}
status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}, allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
`;

const NODES_WITH_RACKS = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: racks}
spec: {title: Racks, seed: 3, cluster: {zones: []}}
${nodeManifest("n1", "r1")}${nodeManifest("n2", "r1")}${nodeManifest("n3", "r2")}${nodeManifest("n4", "r2")}${nodeManifest("n5")}---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
      containers: [{name: c, image: "app:1"}]
`;

const SCENARIO_WITH_TOO_LARGE_POD = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: large}
spec: {title: Large, seed: 3, cluster: {zones: [a], nodesPerZone: 1}, timeline: []}
---
apiVersion: v1
kind: Pod
metadata: {name: large}
spec: {containers: [{name: c, image: app, resources: {requests: {cpu: "5500m"}}}]}
`;

// Shows: U-04
test("a scheduling decision with a spread constraint is explained", async ({ t }) => {
  const page = await t.open("");
  await t.seek(page, "0:08.0");
  await page.locator('[data-pod^="default/web-"]').nth(3).click();
  const details = page.locator(".side");
  await expect(details.getByText(/Attempt \d+ of \d+/)).toBeVisible();
  expect(await details.locator(".lead").innerText(), "the explanation starts with a sentence").toMatch(/went to [abc]-\d/);
  await expect(details.locator(".spread").getByText("maxSkew 1 allows at most", { exact: false })).toBeVisible();
  await expect(details.locator(".spread li"), "a count for each zone").toHaveCount(3);
  await expect(details.locator(".scores").getByText("NodeResourcesFit")).toBeVisible();
  await expect(page.locator(".node.win"), "one node is chosen").toHaveCount(1);
  await expect(page.locator(".node .verdict"), "every node shows its verdict").toHaveCount(6);
  await expect(page.locator(".node.win .verdict"), "a verdict of the past names its instant").toContainText(/chosen at 0:0\d\.\d/);
  expect(await page.locator(".zone .skew").count(), "zones show the counts").toBeGreaterThanOrEqual(3);
  await t.checkLooks(page, "spread");
});

// Shows: S-15
test("a suggested command for a pending pod can be tried on a branch", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "stuck.yaml": SCENARIO_WITH_PENDING_POD });
  const pendingPods = page.getByRole("region", { name: "Pending pods" });
  await t.unfoldPending(page);
  await expect(pendingPods.getByText("picky").first()).toBeVisible();
  await expect(pendingPods.locator(".tray").getByText("unschedulable on 2 of 2")).toBeVisible();
  await t.pause(page);
  await pendingPods.getByRole("button", { name: "What would help?" }).click();
  const remedies = page.locator(".why.help");
  const tryButton = remedies.getByRole("button", { name: /Try on a branch/ }).first();
  await expect(tryButton).toBeVisible();
  const command = await tryButton.getAttribute("title");
  expect(command, `the button names its command: ${command}`).toMatch(/^kubectl /);
  await t.checkLooks(page, "what-would-help");
  await tryButton.click();
  await expect(page.locator('[aria-label="Branches"] button[aria-pressed]').nth(1)).toBeVisible();
  await page.getByRole("button", { name: "Play" }).click();
  await expect(page.locator('[data-node] [data-pod="default/picky"]')).toBeVisible();
  // On the original branch nothing has changed: the pod is still pending.
  await t.pause(page);
  await page.getByRole("group", { name: "Branches" }).getByRole("button", { name: "main", exact: true }).click();
  await expect(pendingPods.getByText("picky").first()).toBeVisible();
});

// Shows: S-15
test("a pod too large for every node is bound after the suggested command adds a node", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "large.yaml": SCENARIO_WITH_TOO_LARGE_POD });
  const pendingPods = page.getByRole("region", { name: "Pending pods" });
  await t.unfoldPending(page);
  await expect(pendingPods.getByText("large").first()).toBeVisible();
  await t.pause(page);
  await pendingPods.getByRole("button", { name: "What would help?" }).click();
  const addNodeRemedy = page.locator(".why.help li", { hasText: "Add a node like a-1 with cpu=6: then one node can take it" });
  await addNodeRemedy.getByRole("button").click();
  await expect(page.locator('[aria-label="Branches"] button[aria-pressed]').nth(1)).toBeVisible();
  await page.getByRole("button", { name: "Play" }).click();
  await expect(page.locator('[data-node="a-2"] [data-pod="default/large"]')).toBeVisible();
  await t.checkLooks(page, "larger-node");
});

// Shows: S-12
test("a pending pod shows that it waits for an API server that is down", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "large.yaml": SCENARIO_WITH_TOO_LARGE_POD.replace("timeline: []", "timeline: [{at: 5s, run: fault crash apiserver}]") });
  await t.seek(page, "0:10.0");
  const pendingPods = page.getByRole("region", { name: "Pending pods" });
  await t.unfoldPending(page);
  await expect(pendingPods.locator(".tray").getByText("waits for the API server, which does not run")).toBeVisible();
});

// Shows: U-11
test("nodes can be grouped by any label; nodes without the label form a group", async ({ t }) => {
  const page = await t.open("");
  await t.openFiles(page, { "racks.yaml": NODES_WITH_RACKS });
  await t.seek(page, "0:10.0");
  await expect(page.locator("[data-zone]"), "two zones").toHaveCount(2);
  // The details open on the left, because the clicked pod is on the right.
  await page.locator('[data-node="n4"] [data-pod^="default/web-"]').click();
  await t.openView(page);
  const groupBy = page.getByLabel("Group nodes by label");
  await expect(groupBy.getByText("rack (its constraint)")).toBeAttached();
  await groupBy.selectOption("rack");
  await expect(page.locator('[data-zone="r1"]')).toBeVisible();
  const groupNames = await page.locator("[data-zone]").evaluateAll((all) => all.map((z) => [
    z.dataset.zone, [...z.querySelectorAll("[data-node]")].map((n) => n.dataset.node).join()]));
  expect(JSON.stringify(groupNames), "groups").toBe(JSON.stringify([["r1", "n1,n2"], ["r2", "n3,n4"], ["", "n5"]]));
  await expect(page.getByRole("region", { name: "without rack" })).toBeVisible();
  await expect(page.locator('[data-node="n5"] [data-pod]'), "the constraint excludes n5").toHaveCount(0);
  await t.checkLooks(page, "racks");
});
