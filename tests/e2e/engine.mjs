// `cargo xtask bench engine`: the release site's engine in its worker, without the page. It opens
// the dump of a live cluster (5 s; the page stays responsive), seeks anywhere in half an hour of a
// lesson (50 ms) and of a thousand nodes (300 ms), and lets a lesson (5 000 times real time) and a
// cluster of 5 000 nodes and 50 000 pods (20 times, 400 MB) run. The files are written by the native bench.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "./site.mjs";
import { DIST, ROOT, launch } from "./tools.mjs";

const [inputs, ...names] = process.argv.slice(2);
const SESSION = 1_800_000_000; // half an hour, in microseconds
const SEEKS = Number(process.env.PODSCOPE_BENCH_SEEKS ?? 100);
const LOADS = 3;
/** The longest that one answer may take, in milliseconds. */
const PATIENCE = Number(process.env.PODSCOPE_BENCH_PATIENCE ?? 600_000);

const site = await serve();
const browser = await launch();
const shell = readFileSync(join(DIST, "index.html"), "utf8");
const engine = new URL(shell.match(/data-engine="([^"]+)"/)[1], site.url).href;

/** An answer, or the complaint that there is none. */
const within = async (what, answer, patience = PATIENCE) => {
  let alarm;
  const late = new Promise((_, reject) => {
    alarm = setTimeout(() => reject(new Error(`${what}: no answer in ${patience / 1000} s`)), patience);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(alarm);
  }
};

const SHELL = "<!doctype html><title>bench</title>";
// The engine's own worker, and a hand on the memory of its wasm.
const WORKER = `
const keep = (answer) => { self.memory = (answer.instance ?? answer).exports.memory; return answer; };
for (const way of ["instantiate", "instantiateStreaming"]) {
  const whole = WebAssembly[way];
  WebAssembly[way] = async (...given) => keep(await whole.apply(WebAssembly, given));
}
const loaded = import(${JSON.stringify(engine)});
// It waits for a first message, such as the page's start sends.
const first = setInterval(() => {
  if (!self.onmessage) return;
  clearInterval(first);
  self.onmessage({ data: null });
}, 5);
await loaded;
`;

/** A page with nothing on it but an engine's worker; `ask` sends a request and waits for its frame. */
const engineAlone = async () => {
  const page = await browser.newPage();
  const served = {
    "bench.html": ["text/html", SHELL],
    "bench-worker.js": ["text/javascript", WORKER],
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
    const answered = (isIt) => new Promise((resolve, reject) => {
      waiting = { isIt, resolve, reject };
    });
    const wrong = (message) => waiting?.reject(new Error(message));
    worker.onerror = (event) => wrong(event.message || "the engine did not load");
    worker.onmessage = ({ data }) => {
      const news = wire.heard(data);
      if (news.progress) window.progress += 1;
      if (news.wrong !== undefined) wrong(news.wrong);
      if (news.frame !== undefined) worker.postMessage(wire.frameDone());
      if (waiting?.isIt(news)) waiting.resolve(performance.now());
    };
    const ask = async (request, isIt) => {
      const began = performance.now();
      const answer = answered(isIt);
      worker.postMessage(request, [request.buffer]);
      return await answer - began;
    };
    window.open = (name, text) => ask(wire.openFile(name, text), (news) => news.frame !== undefined);
    window.seek = (at) => ask(wire.seekTo(at), (news) => news.frame === at);
    await answered((news) => news.hello);
  });
  await within("the engine starts", started, 60_000);
  return page;
};

const open = async (page, name) => {
  const text = readFileSync(join(inputs, name), "utf8");
  return within(`open ${name}`, page.evaluate(([name, text]) => open(name, text), [name, text]));
};
const seek = (page, at) => within(`seek to ${at / 1e6} s`, page.evaluate((at) => seek(at), at));

const figure = (name, value, unit = "ms") => console.log(`figure: ${name} = ${value.toFixed(1)} ${unit}`);

/** The wasm memory that the engine has taken. */
const memory = async (page) => {
  const [worker] = page.workers();
  return within("the engine's memory", worker.evaluate(() => self.memory.buffer.byteLength), 60_000);
};

/** The best of several: others compute on the same machine. */
const load = async () => {
  for (const name of ["dump.yaml", "dump.json"]) {
    const text = readFileSync(join(inputs, name), "utf8");
    const runs = [];
    for (let run = 0; run < LOADS; run += 1) {
      const page = await engineAlone();
      const opened = page.evaluate(async ([name, text]) => {
        // The page's own thread: the longest time it could not have drawn.
        let [stall, last] = [0, performance.now()];
        const watch = setInterval(() => {
          const now = performance.now();
          [stall, last] = [Math.max(stall, now - last), now];
        }, 4);
        const time = await open(name, text);
        clearInterval(watch);
        return { time, stall, progress: window.progress };
      }, [name, text]);
      runs.push({ ...await within(`open ${name}`, opened), memory: await memory(page) });
      await page.close();
    }
    runs.sort((a, b) => a.time - b.time);
    const [best] = runs;
    figure(name, text.length / 1e6, "MB");
    figure(`open ${name}`, best.time);
    figure(`the page stands still for at most, ${name}`, best.stall);
    figure(`progress is told, ${name}`, best.progress, "times");
    figure(`wasm memory, ${name}`, best.memory / 1e6, "MB");
  }
};

const timeline = async (name) => {
  const page = await engineAlone();
  await open(page, `${name}.yaml`);
  const ran = await seek(page, SESSION);
  figure(`run 30 min, ${name}`, ran);
  figure(`speed, ${name}`, SESSION / 1000 / ran, "x");
  figure(`wasm memory, ${name}`, await memory(page) / 1e6, "MB");
  const sought = page.evaluate(async ([seeks, end]) => {
    const times = [];
    let random = 1; // a fixed sequence: every run seeks the same instants
    for (let i = 0; i < seeks; i += 1) {
      random = (random * 48271) % 0x7fffffff;
      times.push(await seek(Math.floor((random / 0x7fffffff) * end)));
    }
    return times.sort((a, b) => a - b);
  }, [SEEKS, SESSION]);
  const times = await within(`seeks, ${name}`, sought, PATIENCE);
  figure(`seek, median, ${name}`, times[Math.floor(SEEKS / 2)]);
  figure(`seek, slowest, ${name}`, times[SEEKS - 1]);
  await page.close();
};

/** A cluster that fills itself, and then runs. */
const huge = async () => {
  const page = await engineAlone();
  figure("open, huge", await open(page, "huge.yaml"));
  const filled = Number(process.env.PODSCOPE_BENCH_FILLED ?? 60) * 1e6;
  figure("fill, huge", await seek(page, filled));
  figure("wasm memory when it is full, huge", await memory(page) / 1e6, "MB");
  const ran = await seek(page, filled + 600_000_000);
  figure("run 10 min, huge", ran);
  figure("speed, huge", 600_000 / ran, "x");
  figure("wasm memory, huge", await memory(page) / 1e6, "MB");
  await page.close();
};

const rows = { load, lesson: () => timeline("lesson"), large: () => timeline("large"), huge };
for (const [name, run] of Object.entries(rows)) {
  if (names.length === 0 || names.includes(name)) await run();
}
await browser.close();
site.close();
