// Runs an engine that was cut in two (`first.wasm` and `rest.wasm`) through a first visit and further requests, and
// prints digests of its updates. Fails if it loads `rest.wasm` during the visit, or not exactly once after it.
import { readFileSync } from "node:fs";
import { further, start, visit } from "./worker.mjs";

let restLoadCount = 0;
const engine = await start("first.wasm");
globalThis.podscopeLoadRest = () => {
  restLoadCount++;
  const functionsByTableSlot = new Proxy({}, { get: (_, slot) => engine.exports.slots.get(Number(slot)) });
  const restModule = new WebAssembly.Module(readFileSync(new URL("rest.wasm", import.meta.url)));
  new WebAssembly.Instance(restModule, { first: engine.exports, functions: functionsByTableSlot });
};
const digestAfterVisit = engine.run(visit);
if (restLoadCount !== 0) throw new Error("the visit needs the rest");
const digestAfterAllRequests = engine.run(further);
if (restLoadCount !== 1) throw new Error(`the rest was loaded ${restLoadCount} times`);
console.log(JSON.stringify([digestAfterVisit, digestAfterAllRequests]));
