// Prints digests of the updates that the cut engine posts. Fails if it loads the rest during the visit, or not exactly
// once after it.
import { readFileSync } from "node:fs";
import { further, start, visit } from "./worker.mjs";

let loads = 0;
const engine = await start("first.wasm");
globalThis.podscopeLoadRest = () => {
  loads++;
  const functions = new Proxy({}, { get: (_, slot) => engine.exports.slots.get(Number(slot)) });
  const rest = new WebAssembly.Module(readFileSync(new URL("rest.wasm", import.meta.url)));
  new WebAssembly.Instance(rest, { first: engine.exports, functions });
};
const afterVisit = engine.run(visit);
if (loads !== 0) throw new Error("the visit needs the rest");
const afterAll = engine.run(further);
if (loads !== 1) throw new Error(`the rest was loaded ${loads} times`);
console.log(JSON.stringify([afterVisit, afterAll]));
