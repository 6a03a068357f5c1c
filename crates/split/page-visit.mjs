// A first visit in Chromium, with the page's wasm instrumented: prints the segments that ran.
//
//   PODSCOPE_DIST=SITE node page-visit.mjs PAGE.wasm COUNTED.wasm ENGINE.wasm COUNTED.wasm
//
// Nobody touches the page: it is looked at, wide and on a phone, light and dark, on a fast machine
// and a slow one, with motion and without, while the cluster lives. What is seen here decides what
// a first visit loads, never what the page does.
//
// In the worker runs the engine, instrumented as well: Node's visit of it is the same every time,
// a browser's comes to it at other moments.
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { SIZES, launch, serve } from "../../tests/e2e/harness.mjs";

const DIST = process.env.PODSCOPE_DIST;
const instrumented = [process.argv.slice(2, 4), process.argv.slice(4, 6)];
const SECONDS = 45; // the rolling update goes on to its end, and the session is saved once and again
const site = await serve();
const html = readFileSync(join(DIST, "index.html"), "utf8");
for (const [wasm, counted] of instrumented) site.replaced.set(relative(DIST, wasm), readFileSync(counted));
const worker = readFileSync(join(DIST, "engine/worker.js"), "utf8");
site.replaced.set("engine/worker.js", worker.replace("await init();", "globalThis.visited = await init();"));
site.replaced.set("index.html", html
  .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "")
  .replace(/ integrity="[^"]*"/g, ""));
const browser = await launch();

/** The segments of what `visited` is, in a page or its worker. */
const segments = (where) => where.evaluate(() => {
  const { memory, marks, marked } = globalThis.visited;
  const bytes = new Uint8Array(memory.buffer, marks.value >>> 0, marked.value);
  return [...bytes.keys()].filter((segment) => bytes[segment]);
});
const ran = new Set();
const looks = [["desktop", "light", 1], ["desktop", "dark", 4], ["phone", "dark", 1]];
await Promise.all(looks.map(async ([size, colorScheme, slower]) => {
  const phone = size === "phone";
  const context = await browser.newContext({
    viewport: SIZES[size], colorScheme, hasTouch: phone, isMobile: phone, serviceWorkers: "block",
    reducedMotion: slower > 1 ? "reduce" : "no-preference",
  });
  const page = await context.newPage();
  page.on("pageerror", (error) => { throw error; });
  await page.addInitScript(() => {
    addEventListener("TrunkApplicationStarted", (event) => { window.visited = event.detail.wasm; });
  });
  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: slower });
  // Several visits: hash maps and moments differ from one to the next.
  for (const seconds of [2, 2, 2, 2, 2, 2, SECONDS]) {
    await page.goto(`${site.url}index.html`);
    await page.waitForFunction(() => window.visited && !document.getElementById("boot-status"), undefined, { timeout: 120_000 });
    await page.waitForTimeout(seconds * 1000);
    for (const segment of await segments(page)) ran.add(`page ${segment}`);
    for (const segment of await segments(page.workers()[0])) ran.add(`engine ${segment}`);
    await page.evaluate(() => localStorage.clear());
  }
}));
await browser.close();
site.close();
console.log([...ran].sort().join("\n"));
