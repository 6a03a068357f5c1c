// A first visit in Chromium, with the page's wasm instrumented: prints the segments that ran.
//
//   PODSCOPE_DIST=SITE node page-visit.mjs PAGE.wasm COUNTED.wasm
//
// Nobody touches the page: it is looked at, wide and on a phone, light and dark, on a fast machine
// and a slow one, with motion and without, while the cluster lives. What is seen here decides what
// a first visit loads, never what the page does.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SIZES, launch, serve } from "../../tests/e2e/harness.mjs";

const [name, counted] = process.argv.slice(2);
const SECONDS = 45; // the rolling update goes on to its end, and the session is saved once and again
const site = await serve();
const html = readFileSync(join(process.env.PODSCOPE_DIST, "index.html"), "utf8");
site.replaced.set(name, readFileSync(counted));
site.replaced.set("index.html", html
  .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "")
  .replace(/ integrity="[^"]*"/g, ""));
const browser = await launch();
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
  // Several visits: hash maps differ from one to the next.
  for (const seconds of [2, 2, 2, SECONDS]) {
    await page.goto(`${site.url}index.html`);
    await page.waitForFunction(() => window.visited && !document.getElementById("boot-status"), undefined, { timeout: 120_000 });
    await page.waitForTimeout(seconds * 1000);
    const segments = await page.evaluate(() => {
      const { memory, marks, marked } = window.visited;
      const bytes = new Uint8Array(memory.buffer, marks.value >>> 0, marked.value);
      localStorage.clear();
      return [...bytes.keys()].filter((segment) => bytes[segment]);
    });
    segments.forEach((segment) => ran.add(segment));
  }
}));
await browser.close();
site.close();
console.log([...ran].sort((a, b) => a - b).join("\n"));
