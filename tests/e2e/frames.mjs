// `cargo xtask bench frames`: CPU time of the page's main thread per frame of the engine while a cluster plays at 10×
// (limits: 8 ms at 100 nodes and 1 000 pods, 16 ms at 1 000 and 10 000). It counts script, style, layout and paint,
// not waiting.
import { chooseFromMore } from "./actions.mjs";
import { serve } from "./site.mjs";
import { launch } from "./tools.mjs";
import { visit } from "./visit.mjs";

const SECONDS = Number(process.env.PODSCOPE_BENCH_SECONDS ?? 8);

/** A scenario with Deployments of fifty replicas; every few seconds one of them is restarted. */
const scenarioWithRollouts = (nodes, pods) => {
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

/** Returns the CPU milliseconds of the page's main thread for each animation frame, sorted. */
const workTimesOfFrames = (events) => {
  const threads = new Map(events
    .filter((e) => e.name === "thread_name" && e.args?.name === "CrRendererMain")
    .map((e) => [`${e.pid}/${e.tid}`, { frames: [], tasks: [] }]));
  for (const event of events) {
    const thread = threads.get(`${event.pid}/${event.tid}`);
    if (!thread) continue;
    if (event.name === "FireAnimationFrame") thread.frames.push(event.ts);
    else if (event.name === "RunTask" || event.name.endsWith("::RunTask")) thread.tasks.push(event);
  }
  const { frames, tasks } = [...threads.values()].sort((a, b) => b.frames.length - a.frames.length)[0];
  // Chromium records two kinds of tasks, one inside the other: count only the outer kind.
  const name = tasks.some((e) => e.name === "RunTask") ? "RunTask" : tasks[0]?.name;
  const outermost = tasks.filter((e) => e.name === name).sort((a, b) => a.ts - b.ts);
  frames.sort((a, b) => a - b);
  const sums = frames.map(() => 0);
  let current = 0;
  for (const task of outermost) {
    while (current + 1 < frames.length && frames[current + 1] <= task.ts) current += 1;
    if (frames[current] <= task.ts) sums[current] += (task.tdur ?? task.dur ?? 0) / 1000;
  }
  return sums.slice(1, -1).sort((a, b) => a - b);
};

const recordFrameTimes = async (page) => {
  const devtools = await page.context().newCDPSession(page);
  const events = [];
  devtools.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await devtools.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["__metadata", "toplevel", "devtools.timeline", "disabled-by-default-lighthouse"] },
  });
  await page.waitForTimeout(SECONDS * 1000);
  const done = new Promise((resolve) => devtools.once("Tracing.tracingComplete", resolve));
  await devtools.send("Tracing.end");
  await done;
  return workTimesOfFrames(events);
};

const site = await serve();
const browser = await launch();
const t = visit(browser, site);
for (const [nodes, pods] of [[100, 1_000], [1_000, 10_000]]) {
  const page = await t.open("");
  page.setDefaultTimeout(600_000);
  await t.pause(page);
  await chooseFromMore(page, "Files");
  await page.locator(".files input[type=file]").first().setInputFiles({
    name: "bench.yaml", mimeType: "text/plain", buffer: Buffer.from(scenarioWithRollouts(nodes, pods)),
  });
  await page.getByText(`${nodes} nodes, ${pods} pods`).first().waitFor();
  await t.seek(page, "1:10.0", 400_000);
  await page.getByLabel("Speed").selectOption("6");
  await page.locator(".speed option:checked", { hasText: "10×" }).waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Play" }).click();
  const workPerFrame = await recordFrameTimes(page);
  const percentileOfWork = (share) => workPerFrame[Math.min(workPerFrame.length - 1, Math.floor(workPerFrame.length * share))] ?? NaN;
  console.log(`figure: ${nodes} nodes ${pods} pods, frame work, median = ${percentileOfWork(0.5).toFixed(2)} ms`);
  console.log(`figure: ${nodes} nodes ${pods} pods, frame work, 95 % below = ${percentileOfWork(0.95).toFixed(2)} ms`);
  console.log(`figure: ${nodes} nodes ${pods} pods, frames a second = ${(workPerFrame.length / SECONDS).toFixed(1)} Hz`);
  await page.context().close();
}
await browser.close();
site.close();
