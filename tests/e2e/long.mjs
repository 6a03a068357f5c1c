// `cargo xtask bench long`: an hour of simulated time on 100 nodes with random clicks, keys and commands (seed:
// LONG_SEED). It fails if the page shows an error, a reload loses the session, or the page's heap grows by more than
// 50 MB after the first quarter of an hour.
import { readFileSync } from "node:fs";
import { serve } from "./site.mjs";
import { launch } from "./tools.mjs";
import { visit } from "./visit.mjs";

const DURATION_SECONDS = Number(process.env.LONG_SECONDS ?? 3600);
const MAX_HEAP_GROWTH = 50; // MiB
let state = BigInt(process.env.LONG_SEED ?? 36);
/** A random whole number below `bound`; the seed determines the sequence. */
const randomBelow = (bound) => {
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffff_ffff_ffff_ffffn;
  return Number((state >> 33n) % BigInt(bound));
};
const pickRandom = (from) => from[randomBelow(from.length)];

const TITLE = "A long session";
const CLUSTER = `apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: long}
spec: {title: ${TITLE}, seed: 36, cluster: {zones: [a, b, c, d], nodesPerZone: 25}}
${["web", "api", "shop", "jobs"].map((name) => `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: 60
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: c, image: "${name}:1", resources: {requests: {cpu: 100m, memory: 64Mi}}}]}
`).join("")}`;

const KEYS = ["n", "j", "k", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Tab", "Shift+Tab", "Enter", "Escape", "?", "l", "f", "e", "t", ".", ",", "+", "-"];
const randomNode = () => `${pickRandom("abcd")}-${1 + randomBelow(25)}`;
const COMMANDS = [
  () => `fault partition ${randomNode()}`, () => "fault heal --all", () => `fault poweroff ${randomNode()}`, () => `fault boot ${randomNode()}`,
  () => `kubectl scale deploy/${pickRandom(["web", "api", "shop"])} --replicas=${20 + randomBelow(80)}`, () => `kubectl cordon ${randomNode()}`,
  () => `kubectl uncordon ${randomNode()}`, () => "kubectl get pods -o wide", () => `kubectl rollout restart deploy/${pickRandom(["web", "api"])}`,
  () => "kubectl delete pod -l app=jobs --wait=false", () => `fault crash kubelet ${randomNode()}`, () => "fault restart controller-manager",
];

const parseSeconds = (text) => text.split(":").map(Number).reduce((sum, part) => sum * 60 + part, 0);
const site = await serve();
const browser = await launch();
const t = visit(browser, site);
const page = await t.open("#new");
page.setDefaultTimeout(20_000); // short, because the target of a click may be gone
const devtools = await page.context().newCDPSession(page);
/** Memory in MiB: the heap of the page's objects, and the largest resident set of a renderer process. */
const measureMemory = async () => {
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const { processInfo } = await (await browser.newBrowserCDPSession()).send("SystemInfo.getProcessInfo");
  const resident = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))[1]) / 1024;
    } catch {
      return 0; // not Linux, or the process has ended
    }
  });
  return { heap: usedSize / 2 ** 20, resident: Math.max(0, ...resident) };
};

await t.openFiles(page, { "long.yaml": CLUSTER });
const countOpenDialogs = async () => page.locator("dialog[open]").count();
const now = async () => parseSeconds(await t.now(page));
const randomActions = [
  async () => page.keyboard.press(pickRandom(KEYS)),
  async () => page.mouse.click(randomBelow(1440), randomBelow(900), { button: randomBelow(6) === 0 ? "right" : "left" }),
  async () => {
    const targets = page.locator("[data-node]:visible, [data-pod]:visible, [role=tab]:visible");
    const count = await targets.count();
    if (count > 0) await targets.nth(randomBelow(count)).click({ timeout: 500 });
  },
  async () => { if (!(await countOpenDialogs())) await t.command(page, pickRandom(COMMANDS)()); },
];
const isSessionShown = async () => (await page.title()).startsWith(TITLE);
let [actionCount, departures, earlyMemory, reached] = [0, 0, undefined, 0];
const began = performance.now();
while (reached < DURATION_SECONDS || await now() < DURATION_SECONDS) {
  await pickRandom(randomActions)().catch(() => {}); // the target of a click may be gone
  actionCount += 1;
  if (actionCount % 10 === 0) {
    // Return to the cluster and resume: a click may have left the page or paused time.
    for (let tries = 0; tries < 4 && await countOpenDialogs(); tries += 1) await page.keyboard.press("Escape");
    if (!page.url().startsWith(t.url) || await page.locator(".page").count() === 0) await page.goBack();
    // If a click opened a lesson, Back returns to the session.
    for (let tries = 0; tries < 5 && !await isSessionShown(); tries += 1) {
      departures += tries === 0 ? 1 : 0;
      await page.goBack();
      await page.waitForFunction((title) => document.title.startsWith(title), TITLE, { timeout: 10_000 }).catch(() => {});
    }
    if (!await isSessionShown()) throw new Error(`the session is lost: the page shows ${await page.title()} at ${page.url()}`);
    const play = page.getByRole("button", { name: "Play", exact: true });
    if (await play.count() > 0) await play.click({ timeout: 500 }).catch(() => {});
    const at = await now();
    if (actionCount % 200 === 0) await t.command(page, pickRandom(COMMANDS)());
    // Time must have advanced, whatever instant and speed the random clicks have chosen.
    reached = Math.min(DURATION_SECONDS, reached + 60);
    if (at < reached) await t.seek(page, clock(reached), 20_000).catch(() => {});
  }
  if (earlyMemory === undefined && await now() >= DURATION_SECONDS / 4) earlyMemory = await measureMemory();
}
function clock(at) {
  const [h, m, s] = [Math.floor(at / 3600), Math.floor(at / 60) % 60, Math.floor(at) % 60];
  return `${h > 0 ? `${h}:${String(m).padStart(2, "0")}` : m}:${String(s).padStart(2, "0")}.0`;
}
for (let tries = 0; tries < 4 && await countOpenDialogs(); tries += 1) await page.keyboard.press("Escape");
await t.pause(page);
await page.locator('.page[data-kept="true"]').waitFor({ timeout: 60_000 });
const lastMemory = await measureMemory();
const shownInstants = () => page.evaluate(() => [...document.querySelectorAll("[data-now]")].map((it) => it.dataset.now).join());
const before = await shownInstants();
await page.reload();
await t.waitUntilReady(page);
await page.waitForFunction((now) => [...document.querySelectorAll("[data-now]")].map((it) => it.dataset.now).join() === now, before, { timeout: 60_000 });
const growth = lastMemory.heap - (earlyMemory ?? lastMemory).heap;
console.log(`figure: cluster time = ${DURATION_SECONDS} s`);
console.log(`figure: real time = ${((performance.now() - began) / 1000).toFixed(0)} s`);
console.log(`figure: clicks, keys, commands = ${actionCount} actions`);
console.log(`figure: other sessions opened and left again = ${departures}`);
console.log(`figure: page's heap after a quarter = ${(earlyMemory ?? lastMemory).heap.toFixed(1)} MiB`);
console.log(`figure: page's heap at the end = ${lastMemory.heap.toFixed(1)} MiB`);
console.log(`figure: page and engine at the end = ${lastMemory.resident.toFixed(0)} MiB`);
if (growth >= MAX_HEAP_GROWTH) throw new Error(`the page's heap has grown by ${growth.toFixed(1)} MiB`);
await t.end();
await browser.close();
site.close();
