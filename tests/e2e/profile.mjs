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
// The digest of the preloaded wasm is that of the first part.
site.change("index.html", (html) => html.replace(/<link rel="preload"[^>]*>/, ""));
const browser = await launch();
const visitor = visit(browser, site);

/** Runs in the page: keeps the exports of the copy. */
const keepExports = () => addEventListener("TrunkApplicationStarted", ({ detail }) => { window.profile = detail.wasm.profile; });

const ran = new Set();
const note = async (page) => {
  const bodies = await page.evaluate(() => Array.from({ length: window.profile.length }, (_, i) => i).filter((i) => window.profile.get(i) !== null));
  for (const body of bodies) ran.add(body);
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
  // What runs when the tab is left: the page can load nothing then.
  await page.evaluate(() => ["visibilitychange", "beforeunload", "pagehide"].forEach((name) => dispatchEvent(new Event(name))));
  await note(page);
}
await browser.close();
site.close();
writeFileSync(out, JSON.stringify([...ran].sort((a, b) => a - b)));
