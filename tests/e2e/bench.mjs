// `cargo xtask bench page`: the release site in Chromium, visited without cache; medians of five
// visits at full speed, and of five with the page's thread four times slower (issue: interactive
// within 1 s and 3 s).
import { Teller, launch, serve } from "./harness.mjs";

const VISITS = 5;
const STAY = 8000; // ms: what a visit loads besides is asked for within it
const site = await serve();
const browser = await launch();
const teller = new Teller(browser, site);

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
      observer.disconnect();
    }
  }).observe(document, { childList: true, subtree: true });
};

const visits = async (slower, label) => {
  const rows = { "first contentful paint": [], "page takes over the shell": [], "engine answers": [], "interactive": [] };
  let later = 0; // parts that a first visit was not expected to run
  for (let visit = 0; visit < VISITS; visit += 1) {
    const page = await teller.open("", {
      before: async (page) => {
        page.on("request", (request) => { later += request.url().endsWith("rest.wasm"); });
        const devtools = await page.context().newCDPSession(page);
        await devtools.send("Emulation.setCPUThrottlingRate", { rate: slower });
        await page.addInitScript(notes);
      },
    });
    const times = await (await page.waitForFunction(() => {
      const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
      const both = window.engineAnswered && window.pageTookOver;
      return paint && both && [paint, window.pageTookOver, window.engineAnswered, Math.max(window.engineAnswered, window.pageTookOver)];
    })).jsonValue();
    Object.values(rows).forEach((row, i) => row.push(times[i]));
    await page.waitForTimeout(STAY);
    await page.context().close();
  }
  for (const [name, times] of Object.entries(rows)) {
    const median = times.sort((a, b) => a - b)[Math.floor(VISITS / 2)];
    console.log(`figure: ${name}${label} = ${median.toFixed(1)} ms`);
  }
  console.log(`figure: parts loaded besides${label} = ${later.toFixed(1)} of ${2 * VISITS}`);
};

await visits(1, "");
await visits(4, ", page 4x slower");
await browser.close();
site.close();
