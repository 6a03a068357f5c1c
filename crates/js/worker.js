// The engine's worker. It loads its wasm on the first message: an empty one when the page's wasm runs
// (crates/web/src/main.rs), or a request. Requests that arrive meanwhile are queued in order.
import init, { serve } from "./podscope-js.js";

/** URL of the rest of the engine's wasm; the first part, `podscope-js_bg.wasm`, contains what a first visit runs
 *  (crates/split). */
const REST_URL = new URL("rest.wasm", import.meta.url);
const REST_TIMEOUT_MS = 60_000;
/** Exports of the first part. Those of an uncut engine, which a development build has, include no `is_loaded`. */
let engine;

const isRestMissing = () => engine.is_loaded?.value === 0;

/** Instantiates the rest of the engine, which writes its functions to the tables of the first part. */
const instantiateRest = (module) => {
  if (!isRestMissing()) return;
  const functionsByTableSlot = new Proxy({}, { get: (_, slot) => engine.slots.get(Number(slot)) });
  new WebAssembly.Instance(module, { first: engine, functions: functionsByTableSlot });
};

/** Loads the rest of the engine synchronously: the engine has called one of the rest's functions
 *  (crates/js/src/rest_of_engine.rs). */
globalThis.podscopeLoadRest = () => {
  try {
    // On this message the page shows that the engine loads its rest (crates/web/src/engine.rs).
    postMessage("loading");
    const request = new XMLHttpRequest();
    request.open("GET", REST_URL, false);
    request.responseType = "arraybuffer";
    request.timeout = REST_TIMEOUT_MS;
    request.send();
    if (request.status !== 200) throw new Error(`${request.status} ${request.statusText}`);
    instantiateRest(new WebAssembly.Module(request.response));
  } catch (error) {
    // The error thrown below aborts the engine in the middle of a call. The engine is unusable afterwards, so the
    // worker accepts no more messages.
    globalThis.onmessage = null;
    // crates/web/src/components/dialogs.rs recognises this text.
    throw new Error(`the rest of the engine did not load: ${error.message}`);
  }
};

/** Loads the rest of the engine in advance, from the network or from a stored response. A failure is ignored here; it
 *  is reported if the rest cannot be loaded when it is needed. */
let restOfEnginePreparation;
const prepareRest = (stored) => {
  if (!isRestMissing()) return;
  const load = async () => {
    const response = stored ?? await fetch(REST_URL, { signal: AbortSignal.timeout(REST_TIMEOUT_MS) });
    if (response.ok) instantiateRest(await WebAssembly.compile(await response.arrayBuffer()));
  };
  restOfEnginePreparation ??= load().catch(() => {}).finally(() => { restOfEnginePreparation = undefined; });
};

/** Loads the rest of the engine in advance if the offline copy contains it (www/sw.js), because that costs no
 *  transfer. */
const prepareStoredRest = async () => {
  const stored = await globalThis.caches?.match(REST_URL);
  if (stored) prepareRest(stored);
};

/** Fetches the texts of all lessons in one file (written by `cargo xtask finish`). */
const fetchLessons = async () => {
  const answer = await fetch(new URL("lessons", import.meta.url), { signal: AbortSignal.timeout(30_000) });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
};

const earlyMessages = [];
const firstMessage = new Promise((resolve) => {
  onmessage = ({ data }) => {
    if (data) earlyMessages.push(data);
    resolve();
  };
});

try {
  await firstMessage;
  engine = await init();
  serve(earlyMessages, (part, done) => {
    if (part === "prepare") prepareRest();
    else fetchLessons().then(done, (error) => done(undefined, `${error}`));
  });
  prepareStoredRest().catch(() => { /* storage is forbidden or damaged: the rest is loaded when it is needed */ });
} catch (error) {
  // In some browsers a rejected module causes no `error` event on the page, so the error is thrown in a task.
  setTimeout(() => { throw error; });
}
