// `cargo xtask bench page`: the release site in Chromium, visited without cache; medians of five
// visits at full speed (limit: interactive within 1 s), and of five with the page's thread four
// times slower over a line of 10 Mbit/s with 20 ms to the first byte (limit: 1 s too). Interactive is a page that shows its
// cluster and takes presses; what is pressed before the engine answers waits for it. The line is
// the server's, so that page and worker share it, as they do in a home.
import { serve } from "./site.mjs";
import { launch } from "./tools.mjs";
import { visit } from "./visit.mjs";

const VISITS = 5;
const browser = await launch();

/** Notes in the page when it took the shell over and when the engine first answered. */
const notes = () => {
  const real = Worker;
  window.Worker = class extends real {
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

const visits = async (slower, line, label) => {
  const site = await serve({ line });
  const visitor = visit(browser, site);
  const rows = { "first contentful paint": [], "page takes over the shell": [], "interactive": [], "engine answers": [] };
  // The first over a line compresses what it serves, and does not count.
  for (let visit = line ? -1 : 0; visit < VISITS; visit += 1) {
    const page = await visitor.open("", {
      before: async (page) => {
        const devtools = await page.context().newCDPSession(page);
        await devtools.send("Emulation.setCPUThrottlingRate", { rate: slower });
        await page.addInitScript(notes);
      },
    });
    const times = await (await page.waitForFunction(() => {
      const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
      const all = window.engineAnswered && window.clusterSeen;
      return paint && all && [paint, window.pageTookOver, window.clusterSeen, window.engineAnswered];
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

await visits(1, undefined, "");
await visits(4, undefined, ", page 4x slower");
await visits(4, { bits: 10e6, delay: 20 }, ", page 4x slower, 10 Mbit/s");
await browser.close();
