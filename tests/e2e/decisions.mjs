// `cargo xtask bench chromium`: microseconds per scheduling decision in headless Chromium. The wasm module in the
// directory PODSCOPE_BENCH is served to a cross-origin isolated page, whose clock can time a single decision.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { launch } from "./tools.mjs";

const BENCH_DIRECTORY = process.env.PODSCOPE_BENCH;
const HEADERS = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };
const TYPES = { js: "text/javascript", wasm: "application/wasm", html: "text/html" };
/** Number of decisions per round. The fastest round counts, so that other load on the machine does not falsify the
 *  result. */
const DECISIONS_PER_ROUND = 50;

const browser = await launch();
const page = await browser.newPage();
await page.route("**/*", (route) => {
  const name = basename(new URL(route.request().url()).pathname) || "index.html";
  const body = name === "index.html" ? "<!doctype html>" : readFileSync(join(BENCH_DIRECTORY, name));
  return route.fulfill({ body, headers: { ...HEADERS, "Content-Type": TYPES[name.split(".").pop()] } });
});
await page.goto("http://127.0.0.1/");
if (!await page.evaluate(() => crossOriginIsolated)) throw new Error("the page is not isolated: its clock is too coarse");
await page.evaluate(async () => {
  window.engine = await import("/podscope_js.js");
  await window.engine.default();
});

/** Measures a decision; returns its duration in microseconds. */
async function measure(workload, nodes, pods, templates, decisions) {
  return page.evaluate(([workload, nodes, pods, templates, decisions, round]) => {
    const bench = new window.engine.Bench(workload, nodes, pods, templates);
    let best = Infinity;
    // The first 500 decisions are not measured, because V8 still compiles the code.
    for (let made = -500; made < decisions; made += round) {
      let spent = 0;
      for (let decision = 0; decision < round; decision += 1) {
        bench.prepare();
        const start = performance.now();
        bench.decide();
        spent += performance.now() - start;
        bench.settle();
      }
      if (made >= 0) best = Math.min(best, 1000 * spent / round);
    }
    bench.free();
    return best;
  }, [workload, nodes, pods, templates, decisions, DECISIONS_PER_ROUND]);
}

// Arguments: WORKLOAD or WORKLOAD=LIMIT (microseconds). Without a limit only the reference size is measured.
for (const argument of process.argv.slice(2)) {
  const [workload, limit] = argument.split("=");
  const decisions = workload === "preempt" ? 100 : 2000;
  const unit = limit ? `us of ${limit}` : "us";
  const printFigure = (name, value, unit) => console.log(`figure: ${name} = ${value.toFixed(1)} ${unit}`);
  printFigure(workload, await measure(workload, 5000, 5000, 1, decisions), unit);
  if (!limit) continue;
  printFigure(`${workload}, 200 templates, deletions`, await measure(workload, 5000, 5000, 200, decisions), unit);
  for (const [nodes, pods] of [[100, 100], [100, 1000], [1000, 1000], [1000, 10000], [5000, 50000], [15000, 15000]]) {
    printFigure(`${workload}, ${nodes} nodes, ${pods} pods`, await measure(workload, nodes, pods, 1, decisions), "us");
  }
}
await browser.close();
