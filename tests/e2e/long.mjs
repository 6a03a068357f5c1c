// `cargo xtask bench long`: an hour of cluster time on 100 nodes while somebody clicks and types at random, by a seed
// (LONG_SEED). It fails where the page says an error, the session is lost by a reload, or the page's memory grows by
// more than 50 MB after the first quarter of an hour.
import { readFileSync } from "node:fs";
import { serve } from "./site.mjs";
import { launch } from "./tools.mjs";
import { visit } from "./visit.mjs";

const HOUR = Number(process.env.LONG_SECONDS ?? 3600);
const LEAK = 50; // MiB
let state = BigInt(process.env.LONG_SEED ?? 36);
/** A whole number below `bound`: the same ones for the same seed. */
const below = (bound) => {
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffff_ffff_ffff_ffffn;
  return Number((state >> 33n) % BigInt(bound));
};
const pick = (from) => from[below(from.length)];

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
const node = () => `${pick("abcd")}-${1 + below(25)}`;
const COMMANDS = [
  () => `fault partition ${node()}`, () => "fault heal --all", () => `fault poweroff ${node()}`, () => `fault boot ${node()}`,
  () => `kubectl scale deploy/${pick(["web", "api", "shop"])} --replicas=${20 + below(80)}`, () => `kubectl cordon ${node()}`,
  () => `kubectl uncordon ${node()}`, () => "kubectl get pods -o wide", () => `kubectl rollout restart deploy/${pick(["web", "api"])}`,
  () => "kubectl delete pod -l app=jobs --wait=false", () => `fault crash kubelet ${node()}`, () => "fault restart controller-manager",
];

const seconds = (text) => text.split(":").map(Number).reduce((sum, part) => sum * 60 + part, 0);
const site = await serve();
const browser = await launch();
const t = visit(browser, site);
const page = await t.open("#new");
page.setDefaultTimeout(20_000); // what a click was meant for may be gone
const devtools = await page.context().newCDPSession(page);
/** What the page's own objects take, and what its processes take altogether, in MiB. */
const memory = async () => {
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const { processInfo } = await (await browser.newBrowserCDPSession()).send("SystemInfo.getProcessInfo");
  const resident = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, "utf8"))[1]) / 1024;
    } catch {
      return 0; // another system, or a process that has gone
    }
  });
  return { heap: usedSize / 2 ** 20, resident: Math.max(0, ...resident) };
};

await t.openFiles(page, { "long.yaml": CLUSTER });
const open = async () => page.locator("dialog[open]").count();
const now = async () => seconds(await t.now(page));
const acts = [
  async () => page.keyboard.press(pick(KEYS)),
  async () => page.mouse.click(below(1440), below(900), { button: below(6) === 0 ? "right" : "left" }),
  async () => {
    const all = page.locator("[data-node]:visible, [data-pod]:visible, [role=tab]:visible");
    const n = await all.count();
    if (n > 0) await all.nth(below(n)).click({ timeout: 500 });
  },
  async () => { if (!(await open())) await t.command(page, pick(COMMANDS)()); },
];
const isOurs = async () => (await page.title()).startsWith(TITLE);
let [done, left, first, far] = [0, 0, undefined, 0];
const began = performance.now();
while (far < HOUR || await now() < HOUR) {
  await pick(acts)().catch(() => {}); // what a click was meant for may be gone
  done += 1;
  if (done % 10 === 0) {
    // Back to the cluster, and on: a click may have left the page's way, or stopped time.
    for (let tries = 0; tries < 4 && await open(); tries += 1) await page.keyboard.press("Escape");
    if (!page.url().startsWith(t.url) || await page.locator(".page").count() === 0) await page.goBack();
    // A click opened a lesson, which waits for its reader: Back leads to the session.
    for (let tries = 0; tries < 5 && !await isOurs(); tries += 1) {
      left += tries === 0 ? 1 : 0;
      await page.goBack();
      await page.waitForFunction((title) => document.title.startsWith(title), TITLE, { timeout: 10_000 }).catch(() => {});
    }
    if (!await isOurs()) throw new Error(`the session is lost: the page shows ${await page.title()} at ${page.url()}`);
    const play = page.getByRole("button", { name: "Play", exact: true });
    if (await play.count() > 0) await play.click({ timeout: 500 }).catch(() => {});
    const at = await now();
    if (done % 200 === 0) await t.command(page, pick(COMMANDS)());
    // Time goes on, wherever the clicks went to, and whatever they did to its speed.
    far = Math.min(HOUR, far + 60);
    if (at < far) await t.seek(page, clock(far), 20_000).catch(() => {});
  }
  if (first === undefined && await now() >= HOUR / 4) first = await memory();
}
function clock(at) {
  const [h, m, s] = [Math.floor(at / 3600), Math.floor(at / 60) % 60, Math.floor(at) % 60];
  return `${h > 0 ? `${h}:${String(m).padStart(2, "0")}` : m}:${String(s).padStart(2, "0")}.0`;
}
for (let tries = 0; tries < 4 && await open(); tries += 1) await page.keyboard.press("Escape");
await t.pause(page);
await page.locator('.page[data-kept="true"]').waitFor({ timeout: 60_000 });
const last = await memory();
const marks = () => page.evaluate(() => [...document.querySelectorAll("[data-now]")].map((it) => it.dataset.now).join());
const before = await marks();
await page.reload();
await t.ready(page);
await page.waitForFunction((now) => [...document.querySelectorAll("[data-now]")].map((it) => it.dataset.now).join() === now, before, { timeout: 60_000 });
const grown = last.heap - (first ?? last).heap;
console.log(`figure: cluster time = ${HOUR} s`);
console.log(`figure: real time = ${((performance.now() - began) / 1000).toFixed(0)} s`);
console.log(`figure: clicks, keys, commands = ${done} acts`);
console.log(`figure: other sessions opened, and come back from = ${left}`);
console.log(`figure: page's heap after a quarter = ${(first ?? last).heap.toFixed(1)} MiB`);
console.log(`figure: page's heap at the end = ${last.heap.toFixed(1)} MiB`);
console.log(`figure: page and engine at the end = ${last.resident.toFixed(0)} MiB`);
if (grown >= LEAK) throw new Error(`the page's heap has grown by ${grown.toFixed(1)} MiB`);
await t.end();
await browser.close();
site.close();
