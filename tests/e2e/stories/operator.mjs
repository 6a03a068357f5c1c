// An operator opens the dump of a real cluster: it keeps its state, and the page explains why a pod is pending.
// Shows: U-06
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

const LONG_POD_NAME = "payments-settlement-worker-7c9d8f6b5-x2v4q"; // 42 characters

/** A cluster with many kinds of objects, a pod that fits on no node, and a long name. */
const CLUSTER = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: shop}
spec: {title: Shop, seed: 5, cluster: {zones: [a, b], nodesPerZone: 2}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 1000}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {priorityClassName: high, containers: [{name: web, image: web, resources: {requests: {cpu: 500m}}}]}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web, namespace: shop}, spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}}
---
apiVersion: v1
kind: Pod
metadata: {name: ${LONG_POD_NAME}, namespace: shop}
spec: {containers: [{name: worker, image: worker, resources: {requests: {cpu: 3800m}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: huge, namespace: shop}
spec: {containers: [{name: huge, image: huge, resources: {requests: {cpu: "40"}}}]}
`;

/** Returns kind and text of each object that the API server of `CLUSTER` has after 40 s. */
const dumpObjects = async (t) => {
  const page = await t.open("");
  await t.openFiles(page, { "shop.yaml": CLUSTER });
  await t.seek(page, "0:40.0");
  await chooseFromMore(page, "Files");
  const { bytes } = await t.download(page, () => page.getByRole("button", { name: /^Objects/ }).click());
  await page.context().close();
  const [, list] = bytes.toString("utf8").split(/^items:\n/m);
  // The List's own fields follow its items, without indentation.
  const items = list.split(/^(?=[a-z])/m)[0].split(/^(?=- )/m);
  return items.map((text) => ({ kind: /^ {2}kind: (\w+)$/m.exec(text)?.[1], text }));
};

const yamlList = (items) => `apiVersion: v1\nkind: List\nitems:\n${items.map((item) => item.text).join("")}`;

/** Pastes a text into the page. */
const paste = (page, text) => page.evaluate((text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}, text);

// Shows: P-09
test("a dump without the objects of one kind keeps its pods, and assumptions are listed", async ({ t }) => {
  const items = await dumpObjects(t);
  const kinds = [...new Set(items.map((item) => item.kind))].filter((kind) => !["Event", "Lease"].includes(kind));
  expect(kinds.includes("Pod") && kinds.includes("Node") && kinds.includes("ReplicaSet"), `kinds: ${kinds}`).toBeTruthy();
  const page = await t.open("");
  for (const without of ["nothing", ...kinds.filter((kind) => kind !== "Pod")]) {
    await page.goto(`${t.url}#new`);
    await page.reload();
    await t.waitUntilReady(page);
    await expect(page.locator("[data-node]").first()).toBeVisible();
    await paste(page, yamlList(items.filter((item) => item.kind !== without && !["Event", "Lease"].includes(item.kind))));
    await expect(page.getByRole("heading", { name: /pasted/ })).toBeAttached();
    const podUids = () => page.locator('[data-pod^="shop/"]').evaluateAll((all) => all.map((e) => e.dataset.uid).sort().join(" "));
    await expect(page.locator('[data-pod^="shop/web-"]').first()).toBeVisible();
    const before = await podUids();
    // Seek to 1:00 of simulated time.
    await t.seek(page, "1:00.0", 20_000);
    expect(await podUids(), `without ${without}: the pods after a minute`).toBe(before);
    expect(before.split(" ").length, `without ${without}: pods`).toBe(6);
    if (without === "ReplicaSet" || without === "PodDisruptionBudget") {
      await chooseFromMore(page, /^About what was opened/);
      const notice = page.getByRole("dialog", { name: "About what was opened" });
      await expect(notice.getByText(without === "ReplicaSet" ? /assumed to exist.*ReplicaSet/ : /No file has a PodDisruptionBudget/).first()).toBeVisible();
      await page.keyboard.press("Escape");
    }
  }
});

// Shows: P-09, S-15
test("one click explains a pasted pending pod, and a second click shows its remedies", async ({ t }) => {
  const items = (await dumpObjects(t)).filter((item) => ["Pod", "Node"].includes(item.kind));
  for (const size of ["desktop", "phone"]) {
    const page = await t.open("#new", { size });
    await expect(page.locator("[data-node]").first()).toBeVisible();
    await paste(page, yamlList(items));
    const hugePod = page.locator('.queue [data-pod="shop/huge"]');
    await expect(hugePod).toBeVisible();
    // The page lists its assumptions without a click, and this notice covers nothing.
    await expect(page.locator(".said").getByText(/assumed to exist/)).toBeVisible();
    await t.checkLooks(page, `operator-opened-${size}`);
    await hugePod.click(); // first click
    const side = page.locator(".side");
    await expect(side.getByText(/none of 4 nodes can take it/)).toBeVisible();
    await expect(side.getByText(/No file has a PodDisruptionBudget/).first()).toBeVisible();
    await side.getByRole("button", { name: /What would help/ }).click(); // second click
    const firstRemedy = side.locator(".help li").first();
    await expect(firstRemedy).toBeVisible();
    const clippedButtons = await side.locator(".help").evaluate((help) => [...help.querySelectorAll("button")].filter((e) => e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > help.getBoundingClientRect().right).length);
    expect(clippedButtons, `${size}: buttons with clipped text`).toBe(0);
    const box = await firstRemedy.boundingBox();
    const height = page.viewportSize().height;
    expect(box.y > 0 && box.y + Math.min(box.height, 40) <= height, `${size}: the answer is visible (${box.y})`).toBeTruthy();
    await t.expectNoOverflow(page, size);
    await t.checkLooks(page, `operator-helped-${size}`);
    // Long names are shown in full.
    await page.keyboard.press("Escape");
    await page.locator(`[data-pod="shop/${LONG_POD_NAME}"]`).first().click();
    const heading = side.getByRole("heading", { name: LONG_POD_NAME });
    await expect(heading).toBeVisible();
    expect(await heading.evaluate((e) => e.scrollWidth <= e.clientWidth + 1), `${size}: the name is not clipped`).toBeTruthy();
    await t.expectNoOverflow(page, size);
  }
});

// Shows: U-13
test("nodes are visible without scrolling, below a notice and pending pods", async ({ t }) => {
  const nodes = Array.from({ length: 12 }, (_, i) => `- apiVersion: v1
  kind: Node
  metadata: {name: ip-10-0-${100 + i}-17.eu-central-1.compute.intern, uid: n-${i}, labels: {topology.kubernetes.io/zone: eu-central-1${"abc"[i % 3]}}}
  status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}
`);
  const pod = (name, i, rest) => `- apiVersion: v1
  kind: Pod
  metadata: {name: ${name}, namespace: shop, uid: p-${name}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: payments-settlement-${i}-7c9d8f6b5, uid: rs-${i}, controller: true}]}
${rest}`;
  const runningPods = Array.from({ length: 24 }, (_, i) => pod(`payments-settlement-${i}`, i % 4, `  spec: {nodeName: ip-10-0-${100 + i % 12}-17.eu-central-1.compute.intern, containers: [{name: c, image: app}]}
  status: {phase: Running, conditions: [{type: Ready, status: "True"}], containerStatuses: [{name: c, ready: true, state: {running: {}}}]}
`));
  const pendingPods = [0, 1, 2].map((i) => pod(`reporting-nightly-aggregation-${i}-zzq8w`, 5, `  spec: {nodeSelector: ${i === 1 ? "{gpu: a100}" : "{}"}, containers: [{name: c, image: app, resources: {requests: {cpu: "40"}}}]}
  status: {phase: Pending}
`));
  const page = await t.open("#new");
  await expect(page.locator("[data-node]").first()).toBeVisible();
  await paste(page, `apiVersion: v1\nkind: List\nitems:\n${[...nodes, ...runningPods, ...pendingPods].join("")}`);
  await expect(page.locator(".queue [data-pod]").nth(2)).toBeVisible();
  // A dump is paused: the scheduler tries all three pods in its first second.
  await t.seek(page, "0:01.0");
  await t.unfoldPending(page);
  for (const [width, height] of [[390, 844], [768, 1024], [1024, 768], [1280, 720], [1366, 768], [1440, 900]]) {
    const at = `${width} × ${height}`;
    await t.resize(page, width, height);
    const visibleHeight = await page.evaluate(() => document.querySelector(".cluster").getBoundingClientRect().bottom - document.querySelector("[data-node]").getBoundingClientRect().top);
    expect(visibleHeight, `${at}: ${visibleHeight} px of the first node are on the screen`).toBeGreaterThanOrEqual(60);
    // Each pending pod shows its reason, and one click opens the assumptions.
    for (const row of await page.locator(".tray li").all()) expect(await row.innerText(), `${at}: the reason`).toMatch(/ on 12 of 12/);
    await page.locator(".said").getByRole("button", { name: /^all/ }).click();
    await expect(page.getByRole("dialog", { name: "About what was opened" }).getByText(/assumed to exist/)).toBeVisible();
    await page.keyboard.press("Escape");
    await t.expectNoOverflow(page, at);
    await t.checkLooks(page, `first-screen-${width}`);
  }
});

// Shows: P-09
test("a truncated dump opens with its complete objects, and the truncation is reported", async ({ t }) => {
  const page = await t.open("");
  const pod = (name) => `- apiVersion: v1\n  kind: Pod\n  metadata: {name: ${name}, namespace: shop, uid: ${name}}\n  spec:\n    containers:\n    - {name: c, image: app}\n`;
  await paste(page, `apiVersion: v1\nitems:\n${pod("one")}${pod("two")}- apiVersion: v1\n  kind: Po`);
  await expect(page.locator('[data-pod="shop/one"]').first()).toBeVisible();
  await expect(page.getByText(/ends in the middle of line 16: 2 objects were read, and what came after is missing/).first()).toBeVisible();
  await t.checkLooks(page, "cut-off");
});

// Shows: P-09
test("a pasted node replaces the generated node of the same name", async ({ t }) => {
  const page = await t.open("#new");
  await expect(page.locator("[data-node]").first()).toBeVisible();
  await paste(page, "apiVersion: v1\nkind: Node\nmetadata: {name: a-1, labels: {disk: ssd}}\nspec: {taints: [{key: own, effect: NoSchedule}]}\n");
  await expect(page.getByRole("heading", { name: /pasted/ })).toBeAttached();
  await expect(page.locator('[data-node="a-1"]').getByText("own").first()).toBeVisible();
  await expect(page.locator("[data-node]"), "nodes").toHaveCount(6);
  await expect(page.locator('[data-zone="a"] [data-node]'), "nodes of the zone").toHaveCount(2);
});

// Shows: P-13, Q-06
test("a dump opens paused, its problems are listed, and it can be exported without names", async ({ t }) => {
  const page = await t.open("#new");
  await expect(page.locator("[data-node]").first()).toBeVisible();
  await paste(page, yamlList((await dumpObjects(t)).filter((item) => ["Pod", "Node"].includes(item.kind))));
  const notice = page.getByRole("region", { name: "About what was opened" });
  await expect(notice.getByRole("list", { name: /What is wrong/ }).getByText(/shop\/huge/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Play" }).first()).toBeVisible();
  // The address holds the key of the saved session, and nothing of the pasted text.
  await page.waitForFunction(() => /^#kept=\d+$/.test(location.hash));
  await notice.getByRole("button", { name: /problems?$/ }).click();
  const list = page.getByRole("dialog", { name: "What is wrong" });
  await list.getByLabel("Namespace").selectOption("shop");
  await t.expectNoOverflow(page, "the list of problems");
  await t.checkLooks(page, "triage");
  await list.getByRole("button", { name: /shop\/huge/ }).click();
  await expect(page.locator(".side").getByText(/none of 4 nodes can take it/)).toBeVisible();
  // The checkbox applies to every kind of export.
  await page.getByRole("button", { name: /^Share/ }).click();
  await page.getByRole("dialog", { name: "Share" }).getByLabel(/Rename objects first/).check();
  await page.getByRole("dialog", { name: "Share" }).getByRole("button", { name: "Picture" }).click();
  const saved = page.waitForEvent("download");
  await page.getByRole("dialog", { name: "Share" }).getByRole("button", { name: "Save as SVG" }).click();
  const file = await (await saved).createReadStream();
  const chunks = [];
  for await (const chunk of file) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).not.toContain("huge");
});

// Shows: Q-06
test("the current session can be deleted from the browser", async ({ t }) => {
  const page = await t.open("#new");
  await expect(page.locator("[data-node]").first()).toBeVisible();
  await paste(page, yamlList((await dumpObjects(t)).filter((item) => ["Pod", "Node"].includes(item.kind))));
  await expect(page.locator('.queue [data-pod="shop/huge"]')).toBeVisible();
  await t.waitUntilSaved(page);
  const key = await page.evaluate(() => location.hash.replace("#kept=", "session."));
  const isStored = () => page.evaluate((key) => Object.keys(localStorage).some((name) => name.endsWith(key)), key);
  expect(await isStored()).toBe(true);
  await chooseFromMore(page, "Files");
  await page.getByRole("button", { name: "Forget this cluster" }).click();
  await expect(page.locator('[data-pod="shop/huge"]')).toHaveCount(0);
  expect(await isStored()).toBe(false);
});
