// A busy engine never delays a frame: it computes in a worker, the page draws. U-09, Q-05.

/** Runs in the page: an engine of its own checks a manifest of 20 000 pods. */
const startHeavyWork = (pods) => {
  const text = Array.from({ length: pods }, (_, i) =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: web-${i}, labels: {app: web}}\n` +
    "spec: {containers: [{name: app, image: nginx, resources: {requests: {cpu: lots, memory: 1Gi}}}]}\n---\n").join("");
  const worker = new Worker(document.documentElement.dataset.engine, { type: "module" });
  window.heavy = { began: performance.now(), took: undefined, problems: undefined };
  worker.onmessage = ({ data }) => {
    if (data.hello) {
      window.heavy.began = performance.now();
      worker.postMessage({ check: { text, revision: 1 } });
    } else if (data.checked) {
      window.heavy.took = performance.now() - window.heavy.began;
      window.heavy.problems = data.checked.problems.length;
      worker.terminate();
    }
  };
};

export const stories = {
  async "frames come in time while the engine computes"(t) {
    const page = await t.open();
    const idle = await t.frames(page, 1000);
    await page.evaluate(startHeavyWork, 20_000);
    const busy = await t.frames(page, 1000);
    await page.waitForFunction(() => window.heavy.took !== undefined);
    const heavy = await page.evaluate(() => window.heavy);
    console.log(`        idle ${JSON.stringify(idle)}\n        busy ${JSON.stringify(busy)}\n        work ${JSON.stringify(heavy)}`);
    t.check(heavy.took > 150, `the work was too light to show anything: ${heavy.took} ms`);
    // The answer itself, with its problems, is the page's to read; frames before it are not touched.
    t.check(busy.median < 34, `median gap between frames ${busy.median} ms`);
    t.check(busy.p95 < Math.max(50, 3 * idle.p95), `95 % of gaps below ${busy.p95} ms, idle ${idle.p95} ms`);
  },
};
