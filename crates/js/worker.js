// The page's engine worker. Requests that arrive while the wasm loads are kept in order.
import init, { serve } from "./podscope-js.js";

const early = [];
onmessage = (event) => early.push(event.data);

let engine;
// In a release build the code that a first visit does not run is a module of its own
// (crates/split). The engine asks for it in the middle of a call, so it is fetched at once;
// that holds up nobody but this worker.
globalThis.loadRest = () => {
  const request = new XMLHttpRequest();
  request.open("GET", new URL("./rest.wasm", import.meta.url), false);
  request.responseType = "arraybuffer";
  request.send();
  if (request.status !== 200) throw new Error(`a part of the engine did not load (${request.status})`);
  new WebAssembly.Instance(new WebAssembly.Module(request.response), { first: engine });
};

try {
  engine = await init();
  serve(early);
} catch (error) {
  // A rejected module is not an `error` event for the page in every browser: say it plainly.
  setTimeout(() => { throw error; });
}
