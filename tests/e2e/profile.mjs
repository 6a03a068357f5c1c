// `cargo xtask profile`: runs first visits with the instrumented copy of the page's wasm (`crates/split/src/instrument.rs`).
// Arguments: the copy, and the file for the numbers of the functions that ran.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { serve } from "./site.mjs";
import { DIST, launch } from "./tools.mjs";
import { visit } from "./visit.mjs";

const [copy, out] = process.argv.slice(2);
const site = await serve();
const wasm = readdirSync(DIST).find((name) => name.startsWith("podscope-web-") && name.endsWith("_bg.wasm"));
site.replaced.set(wasm, readFileSync(copy));
// Remove the preload: its digest is that of the wasm's first part, and would not match the copy.
site.change("index.html", (html) => html.replace(/<link rel="preload"[^>]*>/, ""));
const browser = await launch();
const visitor = visit(browser, site);

/** Runs in the page: keeps the exports of the copy. */
const keepExports = () => addEventListener("TrunkApplicationStarted", ({ detail }) => { window.profile = detail.wasm.profile; });

const functionsThatRan = new Set();
const collectFunctions = async (page) => {
  const numbers = await page.evaluate(() => Array.from({ length: window.profile.length }, (_, i) => i).filter((i) => window.profile.get(i) !== null));
  for (const number of numbers) functionsThatRan.add(number);
};

for (const [size, theme] of [["desktop", "light"], ["phone", "dark"]]) {
  const page = await visitor.open("", { size, theme, motion: "no-preference", before: (page) => page.addInitScript(keepExports) });
  await page.locator('.page[data-now^="0:2"]').waitFor();
  for (const subject of ["[data-pod]", "[data-node]"]) {
    await page.locator(subject).first().click();
    await page.locator(".side h2:visible").first().waitFor();
    await page.keyboard.press("Escape");
  }
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Play" }).click();
  await visitor.waitUntilSaved(page);
  // Also record the functions that run when the tab is left, because the page can load nothing then.
  await page.evaluate(() => ["visibilitychange", "beforeunload", "pagehide"].forEach((name) => dispatchEvent(new Event(name))));
  await collectFunctions(page);
}
await browser.close();
site.close();
writeFileSync(out, JSON.stringify([...functionsThatRan].sort((a, b) => a - b)));
