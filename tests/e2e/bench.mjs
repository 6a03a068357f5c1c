// `cargo xtask bench page`: load time of the release site in Chromium without cache, as medians of five visits: at full
// speed (limit: interactive within 1 s), with the page's CPU four times slower, and with that CPU over a line of 10
// Mbit/s with 20 ms to the first byte (limit: 1 s too). The page is interactive when it shows its cluster and accepts
// clicks; clicks before the engine's first answer wait for it. The server throttles the line, so that page and worker
// share it, as in a real network.
import { serve } from "./site.mjs";
import { launch } from "./tools.mjs";
import { visit } from "./visit.mjs";

const VISITS = 5;
const browser = await launch();

/** Runs in the page: records when the page replaces the shell and when the engine first answers. */
const recordTimes = () => {
  const RealWorker = Worker;
  window.Worker = class extends RealWorker {
    constructor(...args) {
      super(...args);
      this.addEventListener("message", () => { window.engineAnswered ??= performance.now(); });
    }
  };
  new MutationObserver((_, observer) => {
    if (document.getElementById("app") && !document.getElementById("boot-status")) {
      window.pageTookOver ??= performance.now();
      if (!document.querySelector("[data-node]")) return;
      window.clusterSeen = performance.now();
      observer.disconnect();
    }
  }).observe(document, { childList: true, subtree: true });
};

const measureVisits = async (slowdown, line, label) => {
  const site = await serve({ line });
  const visitor = visit(browser, site);
  const rows = { "first contentful paint": [], "page takes over the shell": [], "interactive": [], "engine answers": [] };
  // The first visit over a throttled line only fills the server's cache of compressed files. It is not measured.
  for (let visit = line ? -1 : 0; visit < VISITS; visit += 1) {
    const page = await visitor.open("", {
      before: async (page) => {
        const devtools = await page.context().newCDPSession(page);
        await devtools.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
        await page.addInitScript(recordTimes);
      },
    });
    const times = await (await page.waitForFunction(() => {
      const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
      const isComplete = window.engineAnswered && window.clusterSeen;
      return paint && isComplete && [paint, window.pageTookOver, window.clusterSeen, window.engineAnswered];
    })).jsonValue();
    if (visit >= 0) Object.values(rows).forEach((row, i) => row.push(times[i]));
    await page.context().close();
  }
  site.close();
  for (const [name, times] of Object.entries(rows)) {
    const median = times.sort((a, b) => a - b)[Math.floor(VISITS / 2)];
    console.log(`figure: ${name}${label} = ${median.toFixed(1)} ms`);
  }
};

await measureVisits(1, undefined, "");
await measureVisits(4, undefined, ", page 4x slower");
await measureVisits(4, { bits: 10e6, delay: 20 }, ", page 4x slower, 10 Mbit/s");
await browser.close();
