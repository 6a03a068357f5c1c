// The page's engine worker. Requests that arrive while the wasm loads are kept in order.
import init, { serve } from "./podscope-js.js";

const early = [];
onmessage = (event) => early.push(event.data);

let engine;
// In a release build the code that a first visit does not run is a module of its own
// (crates/split). www/boot.js names the worker of those who will need it; else the engine asks for
// it in the middle of a call, so it is fetched at once; that holds up nobody but this worker.
const REST = new URL("./rest.wasm", import.meta.url);
let rest;
const atOnce = () => {
  const request = new XMLHttpRequest();
  request.open("GET", REST, false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw new Error(`a part of the engine did not load (${request.status})`);
  return new WebAssembly.Module(request.response);
};
globalThis.loadRest = () => new WebAssembly.Instance(rest ?? atOnce(), { first: engine });

try {
  const later = self.name === "whole" && fetch(REST).then(async (answer) => {
    if (answer.ok) rest = await WebAssembly.compile(await answer.arrayBuffer());
  }).catch(() => { /* it is asked for again when it is needed */ });
  engine = await init();
  await later;
  serve(early);
} catch (error) {
  // A rejected module is not an `error` event for the page in every browser: say it plainly.
  setTimeout(() => { throw error; });
}
