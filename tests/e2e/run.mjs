// `cargo xtask test e2e`: every story of stories/, or those whose name holds one of the arguments
// (`node tests/e2e/run.mjs WORD…` with the variables that `cargo xtask doctor` prints).
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT, Teller, launch, serve } from "./harness.mjs";

const STORIES = join(ROOT, "tests/e2e/stories");
const words = process.argv.slice(2);
const site = await serve();
const browser = await launch();
let passed = 0;
let failed = 0;
for (const file of readdirSync(STORIES).filter((name) => name.endsWith(".mjs")).sort()) {
  const { stories } = await import(join(STORIES, file));
  for (const [name, tell] of Object.entries(stories)) {
    if (words.length > 0 && !words.some((word) => `${file} ${name}`.includes(word))) continue;
    const teller = new Teller(browser, site);
    const began = performance.now();
    let failure;
    try {
      await tell(teller);
    } catch (error) {
      failure = error;
    }
    try {
      await teller.end();
    } catch (error) {
      failure ??= error;
    }
    const time = `${((performance.now() - began) / 1000).toFixed(1)} s`;
    if (failure) {
      failed += 1;
      console.log(`FAILED  ${file}: ${name} (${time})\n        ${String(failure.message).replaceAll("\n", "\n        ")}`);
    } else {
      passed += 1;
      console.log(`ok      ${file}: ${name} (${time})`);
    }
  }
}
await browser.close();
site.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
