// What-if questions about failures and further pods: the answer beside the stage, the predicted pods on the stage, and
// stopping the computation.
import { expect, test } from "../test.mjs";

/** Opens the details of a node of a paused cluster and asks for the effect of its drain. */
async function askDrainEffect(page, node) {
  await page.locator(`[data-select-node="${node}"]`).click();
  await page.locator(".side").getByRole("button", { name: "What if it goes?" }).click();
  return page.getByRole("dialog", { name: `What if ${node} is drained?` });
}

const nodeAndPodPositions = (page) => page.evaluate(() => [...document.querySelectorAll("#stage [data-node], #stage [data-pod]")]
  .map((e) => [e.dataset.node ?? e.dataset.id, ...Object.values(e.getBoundingClientRect().toJSON()).map(Math.round)].join(" ")));

// Shows: P-14
test("the effect of a drain is predicted without changing the run", async ({ t }) => {
  const page = await t.open("#new");
  await expect(page.locator("[data-pod]").first()).toBeVisible();
  await t.pause(page);
  const before = await t.now(page);
  const answer = await askDrainEffect(page, "a-1");
  await expect(answer.getByRole("row").nth(1)).toContainText("a-1", { timeout: 60_000 });
  await expect(answer.getByRole("row").nth(1)).toContainText(/[abc]-\d$/);
  await t.checkLooks(page, "what-if");
  await answer.getByRole("button", { name: "And the whole zone?" }).click();
  const zoneAnswer = page.getByRole("dialog", { name: "What if zone a loses its power?" });
  await expect(zoneAnswer.getByRole("row").nth(1)).toBeVisible({ timeout: 60_000 });
  for (const node of ["a-1", "a-2"]) await expect(page.locator(`[data-node="${node}"]`)).toContainText("would lose power");
  await page.keyboard.press("Escape");
  expect(await t.now(page), "the run stands still").toBe(before);
  await expect(page.locator('[data-node="a-1"] [data-pod]').first()).toBeVisible();
});

// Shows: P-14, U-08
test("pods of a what-if answer are marked on their new nodes until the answer is closed", async ({ t }) => {
  const page = await t.open("#new");
  await expect(page.locator("[data-pod]").first()).toBeVisible();
  await t.pause(page);
  await t.waitUntilSettled(page);
  const before = await nodeAndPodPositions(page);
  const answer = await askDrainEffect(page, "a-1");
  const marks = page.locator("#stage .would");
  await expect(marks.first()).toBeVisible({ timeout: 60_000 });
  await t.waitUntilSettled(page);
  expect(await nodeAndPodPositions(page), "no node and no pod has moved").toEqual(before);
  // Each predicted pod is drawn on the node that its label names, and the table names the same node.
  const moves = (await answer.getByRole("row").allInnerTexts()).map((row) => row.split(/\s+/)).filter((row) => row[1] === "a-1");
  const marked = await page.evaluate(() => [...document.querySelectorAll("#stage [data-node] [role=img][aria-label*='would go to'], #stage [data-node] .pods > .sr")]
    .map((e) => [e.ariaLabel ?? e.textContent, e.closest("[data-node]").dataset.node]));
  expect(marked.length).toBe(moves.filter((row) => /^[abc]-\d$/.test(row[2])).length);
  for (const [label, node] of marked) expect(label).toContain(`would go to ${node}, now on a-1`);
  const drainedNode = page.locator('[data-node="a-1"]');
  await expect(drainedNode).toHaveAttribute("aria-label", /would be drained/);
  await expect(drainedNode).toContainText("would be drained");
  await t.resize(page, 1366, 650);
  await t.checkLooks(page, "what-if-stage");
  await page.emulateMedia({ forcedColors: "active" });
  await t.screenshot(page, "what-if-forced-colours");
  const border = await marks.first().evaluate((e) => getComputedStyle(e).borderTopStyle);
  expect(border, "the shape stays in forced colours").toBe("dashed");
  await page.emulateMedia({ forcedColors: "none" });
  // The stage stays usable beside the answer.
  await page.locator('[data-select-node="b-1"]').click();
  await expect(page.locator(".side[data-subject=b-1]")).toBeVisible();
  await expect(answer).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(answer).toHaveCount(0);
  await expect(marks).toHaveCount(0);
  await expect(drainedNode).not.toHaveAttribute("aria-label", /would be drained/);
});

const FULL_NODES = `
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: full}
spec: {cluster: {zones: [a, b], nodesPerZone: 1, node: {cpu: 2, memory: 4Gi, pods: 20}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "app:1", resources: {requests: {cpu: 1500m}}}]}
`;

// Shows: P-14, U-08
test("predicted pods of a what-if answer fit into full nodes, and a zone's menu predicts its power loss", async ({ t }) => {
  const page = await t.open("#new");
  await t.openFiles(page, { "many.yaml": FULL_NODES.replace("nodesPerZone: 1", "nodesPerZone: 3").replace("cpu: 2,", "cpu: 8,").replace("pods: 20", "pods: 60")
    .replace("replicas: 2", "replicas: 54").replace("cpu: 1500m", "cpu: 500m") });
  await t.seek(page, "1:00.0");
  await expect(page.locator("[data-node] [data-pod]")).toHaveCount(54, { timeout: 60_000 });
  const answer = await askDrainEffect(page, "a-1");
  const marks = page.locator("[data-node] .would");
  await expect(marks).toHaveCount(9, { timeout: 60_000 });
  for (const mark of await marks.all()) {
    const [card, rect] = await Promise.all([mark.locator("xpath=ancestor::article").boundingBox(), mark.boundingBox()]);
    expect(rect.x >= card.x && rect.y >= card.y && rect.x + rect.width <= card.x + card.width && rect.y + rect.height <= card.y + card.height).toBe(true);
  }
  await t.checkLooks(page, "what-if-full");
  await answer.getByRole("button", { name: "Close" }).click();
  await page.locator('[data-menu-zone="b"]').click();
  await page.getByRole("dialog", { name: "Zone b" }).getByRole("button", { name: "What if it goes?" }).click();
  await expect(page.getByRole("dialog", { name: "What if zone b loses its power?" }).getByRole("row").nth(1)).toContainText("b-1", { timeout: 60_000 });
});

// Shows: P-14, U-08
test("a pod's details say how many more copies fit, on which nodes, and what stops the next", async ({ t }) => {
  const page = await t.open("#new");
  await t.openFiles(page, { "half.yaml": FULL_NODES.replace("nodesPerZone: 1", "nodesPerZone: 2") });
  await t.seek(page, "1:00.0");
  const pod = page.locator("[data-node] [data-pod]").first();
  await expect(page.locator("[data-node] [data-pod]")).toHaveCount(2, { timeout: 60_000 });
  await pod.click();
  await page.locator(".side").getByRole("button", { name: "How many more fit?" }).click();
  const answer = page.getByRole("dialog", { name: /^How many more pods like web-\S+ fit\?$/ });
  await expect(answer.getByText("2 more pods of this shape fit.")).toBeVisible({ timeout: 60_000 });
  const rows = (await answer.getByRole("row").allInnerTexts()).slice(1).map((row) => row.split("\t"));
  expect(rows.map((row) => row[0])).toEqual(["a-1", "a-2", "b-1", "b-2"]);
  for (const [node, more, reason] of rows) {
    expect(reason).toBe("Insufficient cpu");
    const card = page.locator(`[data-node="${node}"]`);
    expect(await card.locator("[data-pod]").count() + Number(more), `pods that fit on ${node}`).toBe(1);
    await expect(card).toHaveAttribute("aria-label", Number(more) ? /1 more fits/ : /no more fit/);
  }
  await t.checkLooks(page, "what-if-fit");
  // If fewer pods fit than requested, the answer lists changes that make room, and a click applies one of them.
  const podCountField = answer.getByLabel(/^Make room for/);
  await expect(podCountField).toHaveValue("3");
  await podCountField.fill("4");
  await podCountField.press("Enter");
  const change = answer.getByRole("listitem").filter({ hasText: "fault join a-1-copy --like a-1 --count 2" });
  await expect(change).toContainText("4 fit then", { timeout: 60_000 });
  await t.checkLooks(page, "what-if-room");
  await change.getByRole("button", { name: "Do it" }).click();
  await expect(answer).toHaveCount(0);
  await t.seek(page, "2:00.0");
  await expect(page.locator('[data-node^="a-1-copy"]')).toHaveCount(2);
  await page.locator(".side").getByRole("button", { name: "How many more fit?" }).click();
  await expect(answer.getByText("4 more pods of this shape fit.")).toBeVisible({ timeout: 60_000 });
  await page.keyboard.press("Escape");
  await expect(page.locator("[data-node=a-1]")).not.toHaveAttribute("aria-label", /more fit/);
  await expect(page.locator("[data-node] [data-pod]")).toHaveCount(2);
});

// Shows: P-14, U-08
test("a what-if question finds nodes that can be removed, and marks them on the stage", async ({ t }) => {
  const page = await t.open("#new");
  await expect(page.locator("[data-pod]").first()).toBeVisible();
  await t.pause(page);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("button", { name: "Which nodes can be removed?" }).click();
  const answer = page.getByRole("dialog", { name: "Which nodes can be removed?" });
  await expect(answer.getByText(/nodes can be removed together; their drains were simulated\.$/)).toBeVisible({ timeout: 120_000 });
  const lines = await answer.locator("section", { has: page.getByRole("heading", { name: "Can be removed" }) }).locator("li").allInnerTexts();
  for (const node of lines.map((line) => line.split(":")[0])) {
    await expect(page.locator(`[data-node="${node}"]`)).toHaveAttribute("aria-label", /removable/);
  }
  await expect(page.locator("[data-node].leaves")).toHaveCount(lines.length);
  await t.checkLooks(page, "what-if-can-go");
  await page.keyboard.press("Escape");
  await expect(page.locator("[data-node].leaves")).toHaveCount(0);
});

// Shows: P-14, U-08
test("a pod that would stay Pending is marked beside the scheduler on a phone", async ({ t }) => {
  const page = await t.open("#new", { size: "phone" });
  await t.openFiles(page, { "full.yaml": FULL_NODES });
  await t.seek(page, "1:00.0");
  await expect(page.locator("[data-node=a-1] [data-pod]")).toBeVisible({ timeout: 60_000 });
  const answer = await askDrainEffect(page, "a-1");
  const pendingMark = page.getByRole("region", { name: "Pending pods" }).getByRole("img", { name: /would stay Pending, now on a-1: .*Insufficient cpu/ });
  await expect(pendingMark).toBeVisible({ timeout: 60_000 });
  await t.checkLooks(page, "what-if-phone");
  await t.expectNoOverflow(page, "the answer on a phone");
  await answer.getByRole("button", { name: "Close" }).click();
  await expect(pendingMark).toHaveCount(0);
});

// Shows: P-14, U-09
test("a what-if question about a large cluster shows progress and can be stopped", async ({ t }) => {
  const page = await t.open("#new");
  const scenario = "apiVersion: podscope.dev/v1alpha1\nkind: Scenario\nmetadata: {name: big}\nspec: {cluster: {zones: [a, b, c], nodesPerZone: 200}}\n---\n"
    + FULL_NODES.split("---\n")[1].replace("replicas: 2", "replicas: 900");
  await t.openFiles(page, { "big.yaml": scenario });
  await t.seek(page, "1:00.0");
  await expect(page.locator(".overview")).toBeVisible({ timeout: 60_000 });
  await page.locator("#stage").focus();
  await page.keyboard.press("/");
  await page.locator(".find input").fill("a-1");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  const details = page.locator(".side");
  await page.locator(".beside [data-select-node]").click();
  await details.getByRole("button", { name: "What if it goes?" }).click();
  await page.getByRole("button", { name: "And the whole zone?" }).click({ timeout: 120_000 });
  const answer = page.getByRole("dialog", { name: "What if zone a loses its power?" });
  const progress = answer.getByRole("progressbar");
  await expect.poll(() => progress.evaluate((e) => e.value), { timeout: 60_000 }).toBeGreaterThan(20);
  // While the what-if question is computed, the engine answers other requests.
  await t.command(page, "kubectl get deployments");
  await answer.getByRole("button", { name: "Stop" }).click();
  await expect(answer).toHaveCount(0);
  await details.getByRole("button", { name: "What if it goes?" }).click();
  await expect(page.getByText("the table alone says where the pods would go")).toBeVisible({ timeout: 120_000 });
  await expect(page.locator("#stage .would")).toHaveCount(0);
});

// Shows: C-17, S-15
test("a pending pod's details say which node group could run it", async ({ t }) => {
  const page = await t.open("#new");
  const scenario = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: groups}
spec:
  cluster:
    zones: [a]
    nodesPerZone: 1
    node: {cpu: 2, memory: 4Gi}
    nodeGroups: [{name: small}, {name: large, node: {cpu: 16, memory: 64Gi}, max: 1, delay: 60s}]
---
apiVersion: v1
kind: Pod
metadata: {name: new}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 8}}}]}
`;
  await t.openFiles(page, { "groups.yaml": scenario });
  await t.seek(page, "0:05.0");
  await page.locator('.queue [data-pod="default/new"]').click();
  await page.locator(".side").getByRole("button", { name: "What would help?" }).click();
  const groups = page.locator(".side .groups li");
  await expect(groups).toHaveText(["small: Insufficient cpu", "large: one more node takes it"], { timeout: 60_000 });
  await t.checkLooks(page, "what-if-groups");
  // The autoscaler adds the node by itself: the machine boots after its delay, and the pod is bound to it.
  await t.seek(page, "1:40.0");
  await expect(page.locator('[data-node="large-1"] [data-pod="default/new"]')).toBeVisible();
});
