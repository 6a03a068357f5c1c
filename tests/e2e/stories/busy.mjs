// A busy engine never delays a frame: it computes in a worker, the page draws. U-09, Q-05.

/** A manifest with a mistake in each of so many pods: checking all of it is work. */
const heavy = (pods) => Array.from({ length: pods }, (_, i) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: web-${i}, labels: {app: web}}\n` +
  "spec: {containers: [{name: app, image: nginx, resources: {requests: {cpu: lots, memory: 1Gi}}}]}\n---\n").join("");

export const stories = {
  async "frames come in time while the engine computes"(t) {
    const page = await t.open();
    await t.pause(page);
    const idle = await t.frames(page, 1000);
    await page.getByRole("button", { name: "Files" }).click();
    await page.locator(".files input[type=file]").first().setInputFiles({ name: "heavy.yaml", mimeType: "text/plain", buffer: Buffer.from(heavy(20_000)) });
    const began = performance.now();
    const refused = page.getByRole("dialog", { name: "This cannot be opened" }).waitFor({ timeout: 60_000 });
    const work = refused.then(() => performance.now() - began);
    const busy = await t.frames(page, 1000);
    const took = await work;
    console.log(`        idle ${JSON.stringify(idle)}\n        busy ${JSON.stringify(busy)}\n        work ${Math.round(took)} ms`);
    t.check(took > 150, `the work was too light to show anything: ${took} ms`);
    // The answer itself, with its problems, is the page's to read; frames before it are not touched.
    t.check(busy.median < 34, `median gap between frames ${busy.median} ms`);
    t.check(busy.p95 < Math.max(50, 3 * idle.p95), `95 % of gaps below ${busy.p95} ms, idle ${idle.p95} ms`);
  },
};
