// `cargo xtask bench engine`: the release site's engine in its worker, without the page. It opens
// the dump of a live cluster (3 s; the page stays responsive), and seeks anywhere in half an hour
// of a lesson (50 ms) and of a thousand nodes (300 ms). The files are written by the native bench.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, launch, serve } from "./harness.mjs";

const [inputs, ...names] = process.argv.slice(2);
const SESSION = 1_800_000_000; // half an hour, in microseconds
const SEEKS = Number(process.env.PODSCOPE_BENCH_SEEKS ?? 100);
const LOADS = 3;

const site = await serve();
const browser = await launch();
const shell = readFileSync(join(process.env.PODSCOPE_DIST ?? join(ROOT, "dist"), "index.html"), "utf8");
const engine = new URL(shell.match(/data-engine="([^"]+)"/)[1], site.url).href;

/** A page with nothing on it but an engine's worker; `ask` sends a request and waits for its frame. */
const engineAlone = async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(1_200_000);
  const blank = `${site.url}bench.html`;
  await page.route(blank, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>bench</title>" }));
  await page.goto(blank);
  await page.evaluate(async (engine) => {
    const worker = new Worker(engine, { type: "module" });
    let answer;
    window.progress = [];
    const started = new Promise((resolve, reject) => {
      worker.onerror = (event) => reject(new Error(event.message));
      worker.onmessage = ({ data }) => {
        if (data.hello) resolve();
        if (data.progress) window.progress.push(data.progress.perMille);
        if (data.crashed || data.refused) throw new Error(JSON.stringify(data));
        if (!data.frame) return;
        worker.postMessage("frameDone");
        answer?.(data.frame);
      };
    });
    window.ask = (request, isIt) => new Promise((resolve) => {
      const began = performance.now();
      answer = (frame) => { if (isIt(frame)) resolve(performance.now() - began); };
      worker.postMessage(request);
    });
    window.open = (name, text) =>
      ask({ open: { source: { files: { files: [[name, text]] } } } }, (frame) => frame.reset);
    window.seek = (at) => ask({ seek: { at } }, (frame) => Number(frame.now) === at);
    await started;
  }, engine);
  return page;
};

const figure = (name, value, unit = "ms") => console.log(`figure: ${name} = ${value.toFixed(1)} ${unit}`);

/** The best of several: others compute on the same machine. */
const load = async () => {
  const text = readFileSync(join(inputs, "dump.yaml"), "utf8");
  const runs = [];
  for (let run = 0; run < LOADS; run += 1) {
    const page = await engineAlone();
    runs.push(await page.evaluate(async (text) => {
      // The page's own thread: the longest time it could not have drawn.
      let [stall, last] = [0, performance.now()];
      const watch = setInterval(() => {
        const now = performance.now();
        [stall, last] = [Math.max(stall, now - last), now];
      }, 4);
      const time = await open("dump.yaml", text);
      clearInterval(watch);
      return { time, stall, progress: window.progress.length };
    }, text));
    await page.close();
  }
  runs.sort((a, b) => a.time - b.time);
  figure("dump", text.length / 1e6, "MB");
  figure("open the dump", runs[0].time);
  figure("the page stands still for at most", runs[0].stall);
  figure("progress is told", runs[0].progress, "times");
};

const timeline = async (name) => {
  const page = await engineAlone();
  const text = readFileSync(join(inputs, `${name}.yaml`), "utf8");
  await page.evaluate(([name, text]) => open(`${name}.yaml`, text), [name, text]);
  figure(`run 30 min, ${name}`, await page.evaluate((end) => seek(end), SESSION));
  const times = await page.evaluate(async ([seeks, end]) => {
    const times = [];
    let random = 1; // a fixed sequence: every run seeks the same instants
    for (let i = 0; i < seeks; i += 1) {
      random = (random * 48271) % 0x7fffffff;
      times.push(await seek(Math.floor((random / 0x7fffffff) * end)));
    }
    return times.sort((a, b) => a - b);
  }, [SEEKS, SESSION]);
  figure(`seek, median, ${name}`, times[Math.floor(SEEKS / 2)]);
  figure(`seek, slowest, ${name}`, times[SEEKS - 1]);
  await page.close();
};

const rows = { load, lesson: () => timeline("lesson"), large: () => timeline("large") };
for (const [name, run] of Object.entries(rows)) {
  if (names.length === 0 || names.includes(name)) await run();
}
await browser.close();
site.close();
