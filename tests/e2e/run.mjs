// `cargo xtask test e2e`: every story of stories/, or those whose name holds one of the arguments
// (`node tests/e2e/run.mjs WORD…` with the variables that `cargo xtask doctor` prints). Two are told at a time, each to a
// browser and on a site of its own, a third quicker on two cores; PODSCOPE_LANES says another number.
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { ROOT, Teller, launch, serve } from "./harness.mjs";

const STORIES = join(ROOT, "tests/e2e/stories");
const LANES = Number(process.env.PODSCOPE_LANES ?? Math.min(2, availableParallelism()));
const words = process.argv.slice(2);

const waiting = [];
for (const file of readdirSync(STORIES).filter((name) => name.endsWith(".mjs")).sort()) {
  const { stories } = await import(join(STORIES, file));
  for (const [name, tell] of Object.entries(stories)) {
    if (words.length === 0 || words.some((word) => `${file} ${name}`.includes(word))) waiting.push({ file, name, tell });
  }
}

/** Tells one story; whether nothing spoke against it. */
async function hear(browser, site, { file, name, tell }) {
  const began = performance.now();
  let failure;
  await new Teller(browser, site).tell(tell).catch((error) => { failure = error; });
  const time = `${((performance.now() - began) / 1000).toFixed(1)} s`;
  console.log(failure
    ? `FAILED  ${file}: ${name} (${time})\n        ${String(failure.message).replaceAll("\n", "\n        ")}`
    : `ok      ${file}: ${name} (${time})`);
  return !failure;
}

const told = [];
await Promise.all(Array.from({ length: LANES }, async () => {
  const site = await serve();
  const browser = await launch();
  for (let story = waiting.shift(); story; story = waiting.shift()) told.push(await hear(browser, site, story));
  await browser.close();
  site.close();
}));
const passed = told.filter(Boolean).length;
console.log(`${passed} passed, ${told.length - passed} failed`);
process.exit(passed < told.length || passed === 0 ? 1 : 0);
