// `cargo xtask bench frames`: what the page's thread works for each frame of the engine while a
// cluster plays at 10× (issue: at most 8 ms at 100 nodes and 1 000 pods, 16 ms at 1 000 and
// 10 000). CPU time of the thread: script, style, layout and paint; not waiting.
import { more } from "./actions.mjs";
import { serve } from "./site.mjs";
import { launch } from "./tools.mjs";
import { visit } from "./visit.mjs";

const SECONDS = Number(process.env.PODSCOPE_BENCH_SECONDS ?? 8);

/** Deployments of fifty replicas, one of which is rolled every few seconds. */
const scenario = (nodes, pods) => {
  const deployments = pods / 50;
  const timeline = Array.from({ length: 40 }, (_, i) =>
    `  - {at: ${70 + i * 4}s, run: "kubectl rollout restart deployment/d${i % deployments}"}`);
  const objects = Array.from({ length: deployments }, (_, i) => `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: d${i}}
spec:
  replicas: 50
  selector: {matchLabels: {app: d${i}}}
  template:
    metadata: {labels: {app: d${i}}}
    spec: {terminationGracePeriodSeconds: 5, containers: [{name: c, image: "app:1", resources: {requests: {cpu: 100m, memory: 64Mi}}}]}`);
  return `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: bench}
spec:
  title: ${nodes} nodes, ${pods} pods
  seed: 1
  cluster: {zones: [a, b, c, d], nodesPerZone: ${nodes / 4}, node: {cpu: 8, memory: 16Gi}}
  timeline:
${timeline.join("\n")}
${objects.join("\n")}
`;
};

/** CPU milliseconds of the page's main thread from one animation frame to the next. */
const work = (events) => {
  const mains = new Map(events
    .filter((e) => e.name === "thread_name" && e.args?.name === "CrRendererMain")
    .map((e) => [`${e.pid}/${e.tid}`, { frames: [], tasks: [] }]));
  for (const e of events) {
    const main = mains.get(`${e.pid}/${e.tid}`);
    if (!main) continue;
    if (e.name === "FireAnimationFrame") main.frames.push(e.ts);
    else if (e.name === "RunTask" || e.name.endsWith("::RunTask")) main.tasks.push(e);
  }
  const { frames, tasks } = [...mains.values()].sort((a, b) => b.frames.length - a.frames.length)[0];
  // One kind of task record: the outermost.
  const name = tasks.some((e) => e.name === "RunTask") ? "RunTask" : tasks[0]?.name;
  const own = tasks.filter((e) => e.name === name).sort((a, b) => a.ts - b.ts);
  frames.sort((a, b) => a - b);
  const sums = frames.map(() => 0);
  let at = 0;
  for (const task of own) {
    while (at + 1 < frames.length && frames[at + 1] <= task.ts) at += 1;
    if (frames[at] <= task.ts) sums[at] += (task.tdur ?? task.dur ?? 0) / 1000;
  }
  return sums.slice(1, -1).sort((a, b) => a - b);
};

const measure = async (page) => {
  const wire = await page.context().newCDPSession(page);
  const events = [];
  wire.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await wire.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["__metadata", "toplevel", "devtools.timeline", "disabled-by-default-lighthouse"] },
  });
  await page.waitForTimeout(SECONDS * 1000);
  const done = new Promise((resolve) => wire.once("Tracing.tracingComplete", resolve));
  await wire.send("Tracing.end");
  await done;
  return work(events);
};

const site = await serve();
const browser = await launch();
const t = visit(browser, site);
for (const [nodes, pods] of [[100, 1_000], [1_000, 10_000]]) {
  const page = await t.open("");
  page.setDefaultTimeout(600_000);
  await t.pause(page);
  await more(page, "Files");
  await page.locator(".files input[type=file]").first().setInputFiles({
    name: "bench.yaml", mimeType: "text/plain", buffer: Buffer.from(scenario(nodes, pods)),
  });
  await page.getByText(`${nodes} nodes, ${pods} pods`).first().waitFor();
  await t.seek(page, "1:10.0", 400_000);
  await page.getByLabel("Speed").selectOption("6");
  await page.locator(".speed .set").getByText("10×", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Play" }).click();
  const sums = await measure(page);
  const part = (share) => sums[Math.min(sums.length - 1, Math.floor(sums.length * share))] ?? NaN;
  console.log(`figure: ${nodes} nodes ${pods} pods, frame work, median = ${part(0.5).toFixed(2)} ms`);
  console.log(`figure: ${nodes} nodes ${pods} pods, frame work, 95 % below = ${part(0.95).toFixed(2)} ms`);
  console.log(`figure: ${nodes} nodes ${pods} pods, frames a second = ${(sums.length / SECONDS).toFixed(1)} Hz`);
  await page.context().close();
}
await browser.close();
site.close();
