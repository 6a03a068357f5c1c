// Why a pod is where it is, what would help one that is nowhere, and nodes grouped by any label.
// U-04, U-11, S-14, S-15.

const STUCK = `apiVersion: podscope.dev/v1alpha1
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

const node = (name, rack) => `---
apiVersion: v1
kind: Node
metadata:
  name: ${name}
  labels: {kubernetes.io/hostname: ${name}, topology.kubernetes.io/zone: z${name[1] % 2}${rack ? `, rack: ${rack}` : ""}}
status: {capacity: {cpu: "4", memory: 8Gi, pods: "110"}, allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
`;

const RACKS = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: racks}
spec: {title: Racks, seed: 3, cluster: {zones: []}}
${node("n1", "r1")}${node("n2", "r1")}${node("n3", "r2")}${node("n4", "r2")}${node("n5")}---
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

const LARGE = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: large}
spec: {title: Large, seed: 3, cluster: {zones: [a], nodesPerZone: 1}, timeline: []}
---
apiVersion: v1
kind: Pod
metadata: {name: large}
spec: {containers: [{name: c, image: app, resources: {requests: {cpu: "5500m"}}}]}
`;

export const stories = {
  async "a decision under a spread constraint is explained (U-04)"(t) {
    const page = await t.open("");
    await t.seek(page, "0:08.0");
    await page.locator('[data-pod^="default/web-"]').nth(3).click();
    const side = page.locator(".side");
    await side.getByText(/Attempt \d+ of \d+/).waitFor();
    t.check(/goes to [abc]-\d/.test(await side.locator(".lead").innerText()), "a sentence comes first");
    await side.locator(".spread").getByText("maxSkew 1 allows at most", { exact: false }).waitFor();
    t.equal(await side.locator(".spread li").count(), 3, "a count for each zone");
    await side.locator(".scores").getByText("NodeResourcesFit").waitFor();
    t.equal(await page.locator(".node.win").count(), 1, "one node is chosen");
    t.check(await page.locator(".node .verdict").count() === 6, "every node says its verdict");
    t.check(await page.locator(".zone .skew").count() >= 3, "zones show the counts");
    await t.look(page, "spread");
  },

  async "what would help is found and tried in a fork (S-15)"(t) {
    const page = await t.open("");
    await t.openFiles(page, { "stuck.yaml": STUCK });
    const tray = page.getByRole("region", { name: "Pending pods" });
    await tray.getByText("picky").first().waitFor();
    await tray.getByText("unschedulable on 2 of 2").waitFor();
    await t.pause(page);
    await tray.getByRole("button", { name: "What would help?" }).click();
    const help = page.locator(".why.help");
    const first = help.getByRole("button", { name: /Try in a fork/ }).first();
    await first.waitFor();
    const command = await first.getAttribute("title");
    t.check(/^kubectl /.test(command), `the button names its command: ${command}`);
    await t.look(page, "what-would-help");
    await first.click();
    await page.locator('[aria-label="Branches"] button').nth(1).waitFor();
    await page.getByRole("button", { name: "Play" }).click();
    await page.locator('[data-node] [data-pod="default/picky"]').waitFor();
    // The other branch is kept: there it still waits.
    await t.pause(page);
    await page.locator('[aria-label="Branches"] button').first().click();
    await tray.getByText("picky").first().waitFor();
  },

  async "a pod that no node is large enough for gets one, by the command that stands there (S-15)"(t) {
    const page = await t.open("");
    await t.openFiles(page, { "large.yaml": LARGE });
    const tray = page.getByRole("region", { name: "Pending pods" });
    await tray.getByText("large").first().waitFor();
    await t.pause(page);
    await tray.getByRole("button", { name: "What would help?" }).click();
    const add = page.locator(".why.help li", { hasText: "Add a node like a-1 with cpu=6: then one node can take it" });
    await add.getByRole("button").click();
    await page.locator('[aria-label="Branches"] button').nth(1).waitFor();
    await page.getByRole("button", { name: "Play" }).click();
    await page.locator('[data-node="a-2"] [data-pod="default/large"]').waitFor();
    await t.look(page, "larger-node");
  },

  async "with the API server down a pending pod waits for it (S-12)"(t) {
    const page = await t.open("");
    await t.openFiles(page, { "large.yaml": LARGE.replace("timeline: []", "timeline: [{at: 5s, run: fault crash apiserver}]") });
    await t.seek(page, "0:10.0");
    const tray = page.getByRole("region", { name: "Pending pods" });
    await tray.getByText("waits for the API server, which does not run").waitFor();
  },

  async "nodes follow any label; those without it stand apart (U-11)"(t) {
    const page = await t.open("");
    await t.openFiles(page, { "racks.yaml": RACKS });
    await t.seek(page, "0:10.0");
    t.equal(await page.locator("[data-zone]").count(), 2, "two zones");
    await page.locator('[data-pod^="default/web-"]').first().click();
    const by = page.getByLabel("Group nodes by label");
    await by.getByText("rack (its constraint)").waitFor({ state: "attached" });
    await by.selectOption("rack");
    await page.locator('[data-zone="r1"]').waitFor();
    const names = await page.locator("[data-zone]").evaluateAll((all) => all.map((z) => [
      z.dataset.zone, [...z.querySelectorAll("[data-node]")].map((n) => n.dataset.node).join()]));
    t.equal(JSON.stringify(names), JSON.stringify([["r1", "n1,n2"], ["r2", "n3,n4"], ["", "n5"]]), "groups");
    await page.getByRole("region", { name: "without rack" }).waitFor();
    t.equal(await page.locator('[data-node="n5"] [data-pod]').count(), 0, "the constraint leaves n5 out");
    await t.look(page, "racks");
  },
};
