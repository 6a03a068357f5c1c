// `cargo xtask bench engine`: measures the release site's engine in its worker, without the page: opening the dump of
// a live cluster (limit 5 s; the page stays responsive), seeking to random instants in half an hour of a lesson
// (limit 50 ms) and of a thousand nodes (300 ms), and the speed of a lesson (5 000 times real time) and of a cluster
// with 5 000 nodes and 50 000 pods (20 times, 400 MB), and counting how many more pods fit into it (15 s). The native
// bench writes the input files.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "./site.mjs";
import { DIST, ROOT, launch } from "./tools.mjs";

const [inputs, ...names] = process.argv.slice(2);
const SESSION_MICROSECONDS = 1_800_000_000; // half an hour, in microseconds
const SEEKS = Number(process.env.PODSCOPE_BENCH_SEEKS ?? 100);
const LOADS_PER_DUMP = 3;
/** Timeout of one answer, in milliseconds. */
const TIMEOUT = Number(process.env.PODSCOPE_BENCH_PATIENCE ?? 600_000);

const site = await serve();
const browser = await launch();
const shell = readFileSync(join(DIST, "index.html"), "utf8");
const engine = new URL(shell.match(/data-engine="([^"]+)"/)[1], site.url).href;

/** Waits for an answer; throws after the timeout. */
const withTimeout = async (what, answer, patience = TIMEOUT) => {
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: no answer in ${patience / 1000} s`)), patience);
  });
  try {
    return await Promise.race([answer, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

const BENCH_PAGE = "<!doctype html><title>bench</title>";
// Loads the unchanged worker of the engine, and makes its wasm memory accessible.
const BENCH_WORKER = `
const storeMemory = (answer) => { self.memory = (answer.instance ?? answer).exports.memory; return answer; };
for (const method of ["instantiate", "instantiateStreaming"]) {
  const original = WebAssembly[method];
  WebAssembly[method] = async (...args) => storeMemory(await original.apply(WebAssembly, args));
}
const loaded = import(${JSON.stringify(engine)});
// The worker waits for a first message, which the page sends at its start.
const first = setInterval(() => {
  if (!self.onmessage) return;
  clearInterval(first);
  self.onmessage({ data: null });
}, 5);
await loaded;
`;

/** Opens a page that contains only the engine's worker. Its function `ask` sends a request and waits for the answer. */
const openEngine = async () => {
  const page = await browser.newPage();
  const served = {
    "bench.html": ["text/html", BENCH_PAGE],
    "bench-worker.js": ["text/javascript", BENCH_WORKER],
    "wire.mjs": ["text/javascript", readFileSync(join(ROOT, "tests/e2e/wire.mjs"), "utf8")],
  };
  for (const [name, [contentType, body]] of Object.entries(served)) {
    await page.route(site.url + name, (route) => route.fulfill({ contentType, body }));
  }
  await page.goto(`${site.url}bench.html`);
  const started = page.evaluate(async () => {
    const wire = await import("./wire.mjs");
    const worker = new Worker("bench-worker.js", { type: "module", name: "whole" });
    let waiting;
    window.progress = 0;
    const answered = (matches) => new Promise((resolve, reject) => {
      waiting = { matches, resolve, reject };
    });
    const fail = (message) => waiting?.reject(new Error(message));
    worker.onerror = (event) => fail(event.message || "the engine did not load");
    worker.onmessage = ({ data }) => {
      if (data === "loading") return; // the rest of the engine
      const update = wire.decodeUpdate(data);
      if (update.progress) window.progress += 1;
      if (update.error !== undefined) fail(update.error);
      if (update.frame !== undefined) worker.postMessage(wire.frameDone());
      if (waiting?.matches(update)) waiting.resolve(performance.now());
    };
    const ask = async (request, matches) => {
      const began = performance.now();
      const answer = answered(matches);
      worker.postMessage(request, [request.buffer]);
      return await answer - began;
    };
    window.open = (name, text) => ask(wire.openFile(name, text), (update) => update.frame !== undefined);
    window.countCopies = (pod) => ask(wire.howManyMore(pod), (update) => update.whatIf);
    window.seek = (at) => ask(wire.seekTo(at), (update) => update.frame === at);
    await answered((update) => update.hello);
  });
  await withTimeout("the engine starts", started, 60_000);
  return page;
};

const open = async (page, name) => {
  const text = readFileSync(join(inputs, name), "utf8");
  return withTimeout(`open ${name}`, page.evaluate(([name, text]) => open(name, text), [name, text]));
};
const seek = (page, at) => withTimeout(`seek to ${at / 1e6} s`, page.evaluate((at) => seek(at), at));
/** Asks the engine how many more copies of this pod fit into the cluster. */
const countCopies = (page, pod) => withTimeout("count", page.evaluate((pod) => countCopies(pod), pod));

const printFigure = (name, value, unit = "ms") => console.log(`figure: ${name} = ${value.toFixed(1)} ${unit}`);

/** Returns the size of the engine's wasm memory in bytes. */
const readMemory = async (page) => {
  const [worker] = page.workers();
  return withTimeout("the engine's memory", worker.evaluate(() => self.memory.buffer.byteLength), 60_000);
};

/** Measures the time to open a dump. The fastest run counts, because other programs use the same machine. */
const measureDumpOpening = async () => {
  for (const name of ["dump.yaml", "dump.json"]) {
    const text = readFileSync(join(inputs, name), "utf8");
    const runs = [];
    for (let run = 0; run < LOADS_PER_DUMP; run += 1) {
      const page = await openEngine();
      const opened = page.evaluate(async ([name, text]) => {
        // Measure the longest time during which the page's main thread did not respond.
        let [stall, last] = [0, performance.now()];
        const watch = setInterval(() => {
          const now = performance.now();
          [stall, last] = [Math.max(stall, now - last), now];
        }, 4);
        const time = await open(name, text);
        clearInterval(watch);
        return { time, stall, progress: window.progress };
      }, [name, text]);
      runs.push({ ...await withTimeout(`open ${name}`, opened), memory: await readMemory(page) });
      await page.close();
    }
    runs.sort((a, b) => a.time - b.time);
    const [best] = runs;
    printFigure(name, text.length / 1e6, "MB");
    printFigure(`open ${name}`, best.time);
    printFigure(`longest stall of the page, ${name}`, best.stall);
    printFigure(`progress reports, ${name}`, best.progress, "times");
    printFigure(`wasm memory, ${name}`, best.memory / 1e6, "MB");
  }
};

/** Measures the speed of a run of half an hour, and seeks to random instants in it. */
const measureSeeks = async (name) => {
  const page = await openEngine();
  await open(page, `${name}.yaml`);
  const ran = await seek(page, SESSION_MICROSECONDS);
  printFigure(`run 30 min, ${name}`, ran);
  printFigure(`speed, ${name}`, SESSION_MICROSECONDS / 1000 / ran, "x");
  printFigure(`wasm memory, ${name}`, await readMemory(page) / 1e6, "MB");
  const seeking = page.evaluate(async ([seeks, end]) => {
    const times = [];
    let random = 1; // a fixed sequence: every run seeks to the same instants
    for (let i = 0; i < seeks; i += 1) {
      random = (random * 48271) % 0x7fffffff;
      times.push(await seek(Math.floor((random / 0x7fffffff) * end)));
    }
    return times.sort((a, b) => a - b);
  }, [SEEKS, SESSION_MICROSECONDS]);
  const times = await withTimeout(`seeks, ${name}`, seeking, TIMEOUT);
  printFigure(`seek, median, ${name}`, times[Math.floor(SEEKS / 2)]);
  printFigure(`seek, slowest, ${name}`, times[SEEKS - 1]);
  await page.close();
};

/** Measures a large cluster while it fills with pods, and afterwards. */
const measureLargestCluster = async () => {
  const page = await openEngine();
  printFigure("open, huge", await open(page, "huge.yaml"));
  const fillTime = Number(process.env.PODSCOPE_BENCH_FILLED ?? 60) * 1e6;
  printFigure("fill, huge", await seek(page, fillTime));
  printFigure("wasm memory when it is full, huge", await readMemory(page) / 1e6, "MB");
  printFigure("count more large pods, huge", await countCopies(page, "default/large"));
  const ran = await seek(page, fillTime + 600_000_000);
  printFigure("run 10 min, huge", ran);
  printFigure("speed, huge", 600_000 / ran, "x");
  printFigure("wasm memory, huge", await readMemory(page) / 1e6, "MB");
  await page.close();
};

const measurements = {
  load: measureDumpOpening, lesson: () => measureSeeks("lesson"), large: () => measureSeeks("large"), huge: measureLargestCluster,
};
for (const [name, run] of Object.entries(measurements)) {
  if (names.length === 0 || names.includes(name)) await run();
}
await browser.close();
site.close();
