// `cargo xtask bench page`: the release site in Chromium. Medians of five visits without cache.
import { Teller, launch, serve } from "./harness.mjs";

const VISITS = 5;
const site = await serve();
const browser = await launch();
const teller = new Teller(browser, site);
const rows = { "first contentful paint": [], "page takes over the shell": [], "engine answers": [] };
let later = 0; // parts that a first visit was not expected to run
for (let visit = 0; visit < VISITS; visit += 1) {
  const page = await teller.open("", {
    before: (page) => page.on("request", (request) => { later += request.url().endsWith("rest.wasm"); }).addInitScript(() => {
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
    }),
  });
  const times = await (await page.waitForFunction(() => {
    const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
    return paint && window.engineAnswered && [paint, window.pageTookOver, window.engineAnswered];
  })).jsonValue();
  Object.values(rows).forEach((row, i) => row.push(times[i]));
  await page.waitForTimeout(8000);
}
for (const [name, times] of Object.entries(rows)) {
  const median = times.sort((a, b) => a - b)[Math.floor(VISITS / 2)];
  console.log(`figure: ${name} = ${median.toFixed(1)} ms`);
}
console.log(`figure: parts loaded besides, of ${2 * VISITS} = ${later.toFixed(1)} `);
await browser.close();
site.close();
