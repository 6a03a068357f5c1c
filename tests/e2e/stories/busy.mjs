// A busy engine never delays a frame: the engine computes in a worker, while the page draws.
// Shows: U-09
import { chooseFromMore } from "../actions.mjs";
import { expect, test } from "../test.mjs";

/** A manifest of `pods` pods, each with an invalid quantity: validating all of it takes time. */
const invalidPods = (pods) => Array.from({ length: pods }, (_, i) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: web-${i}, labels: {app: web}}\n` +
  "spec: {containers: [{name: app, image: nginx, resources: {requests: {cpu: lots, memory: 1Gi}}}]}\n---\n").join("");

/** Blocks the engine's worker for the given time; returns when the blocking has begun. */
const blockEngine = async (page, milliseconds) => {
  const [engine] = page.workers();
  const blockingBegun = page.evaluate(() => new Promise((resolve) => {
    const channel = new BroadcastChannel("stall");
    channel.onmessage = resolve;
    window.listening = true;
  }).then(() => {}));
  await page.waitForFunction(() => window.listening);
  engine.evaluate((milliseconds) => {
    setTimeout(() => {
      new BroadcastChannel("stall").postMessage("begun");
      for (const end = Date.now() + milliseconds; Date.now() < end;);
    });
  }, milliseconds).catch(() => {});
  await blockingBegun;
};

test("the page keeps drawing while the engine computes", async ({ t }) => {
  const page = await t.open();
  await t.pause(page);
  await page.evaluate(() => {
    window.frameCount = 0;
    const countFrame = () => {
      window.frameCount += 1;
      requestAnimationFrame(countFrame);
    };
    requestAnimationFrame(countFrame);
  });
  await chooseFromMore(page, "Files");
  await page.locator(".files input[type=file]").first().setInputFiles({ name: "heavy.yaml", mimeType: "text/plain", buffer: Buffer.from(invalidPods(20_000)) });
  const framesBefore = await page.evaluate(() => window.frameCount);
  await expect(page.getByRole("dialog", { name: "This cannot be opened" })).toBeVisible({ timeout: 60_000 });
  const frames = await page.evaluate(() => window.frameCount) - framesBefore;
  // One frame is not enough: it could be the frame that shows the answer.
  expect(frames, `${frames} frames while the engine parsed`).toBeGreaterThanOrEqual(3);
});

// Shows: Q-05
test("an unresponsive engine can be stopped, and the session continues", async ({ t }) => {
  const page = await t.open();
  await t.seek(page, "0:20.0");
  await t.command(page, "fault poweroff c-2");
  await expect(page.locator('.node.dark[data-node="c-2"]')).toBeVisible();
  await t.waitUntilSaved(page);
  await blockEngine(page, 120_000);
  const busyDialog = page.getByRole("dialog", { name: "The engine is busy" });
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect(busyDialog).toBeVisible();
  await t.checkLooks(page, "busy");
  await busyDialog.getByRole("button", { name: "Stop it" }).click();
  await expect(busyDialog).toHaveCount(0);
  await expect(page.getByText(/The engine was stopped/)).toBeVisible();
  await expect(page.locator('.node.dark[data-node="c-2"]')).toBeVisible();
  // The new engine answers requests.
  await t.seek(page, "0:30.0");
  await t.command(page, "fault boot c-2");
  await expect(page.locator('.node:not(.dark)[data-node="c-2"]')).toBeVisible();
});

// Shows: Q-03
test("two billion replicas are created gradually, and the page stays responsive", async ({ t }) => {
  const page = await t.open("#new");
  await expect(page.locator("[data-zone] [data-node]").first()).toBeVisible();
  await t.openFiles(page, { "web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: "web:1"}]}
` });
  await expect(page.locator('[data-pod^="default/web-"]').first()).toBeVisible();
  await t.command(page, "kubectl scale deployment/web --replicas=2000000000");
  await page.waitForFunction(() => [...document.querySelectorAll(".queue .waits-for span")].some((b) => Number(/^(\d+) pending/.exec(b.textContent)?.[1] ?? 0) >= 1000), undefined, { timeout: 60_000 });
  await t.pause(page);
  await expect(page.getByRole("dialog", { name: "The engine is busy" }), "the engine never stops answering").toHaveCount(0);
  await t.screenshot(page, "replicas");
});

// Shows: Q-05
test("the busy dialog closes when the engine answers again", async ({ t }) => {
  const page = await t.open();
  await t.pause(page);
  await blockEngine(page, 9_000);
  await page.getByRole("button", { name: "Play", exact: true }).click();
  const busyDialog = page.getByRole("dialog", { name: "The engine is busy" });
  await expect(busyDialog).toBeVisible();
  await expect(busyDialog).toHaveCount(0);
  await expect(page.locator('.page[data-playing="true"]')).toBeVisible();
});

// Shows: Q-05
test("an engine that loads its second wasm file slowly says so", async ({ t }) => {
  const page = await t.open("#new", { before: (page) => page.route(/\/rest\.wasm/, async (route) => {
    await new Promise((loaded) => { setTimeout(loaded, 9_000); });
    await route.continue();
  }) });
  await t.seek(page, "0:20.0");
  const commandField = page.getByLabel("Command", { exact: true });
  await commandField.fill("kubectl describe node a-1");
  await commandField.press("Enter");
  const loadingDialog = page.getByRole("dialog", { name: "The engine is still loading" });
  await expect(loadingDialog).toBeVisible();
  await expect(loadingDialog).toHaveCount(0);
  await expect(page.locator(".con .log").getByText(/^Name:\s+a-1/)).toBeVisible();
});
