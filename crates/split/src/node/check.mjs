// Prints digests of the updates that the cut engine posts. Fails if it loads the rest during the visit, or not exactly
// once after it.
import { readFileSync } from "node:fs";
import { further, start, visit } from "./worker.mjs";

let loads = 0;
const engine = await start("first.wasm");
globalThis.podscopeLoadRest = () => {
  loads++;
  const functionsBySlot = new Proxy({}, { get: (_, slot) => engine.exports.slots.get(Number(slot)) });
  const restModule = new WebAssembly.Module(readFileSync(new URL("rest.wasm", import.meta.url)));
  new WebAssembly.Instance(restModule, { first: engine.exports, functions: functionsBySlot });
};
const digestAfterVisit = engine.run(visit);
if (loads !== 0) throw new Error("the visit needs the rest");
const digestAfterAll = engine.run(further);
if (loads !== 1) throw new Error(`the rest was loaded ${loads} times`);
console.log(JSON.stringify([digestAfterVisit, digestAfterAll]));
