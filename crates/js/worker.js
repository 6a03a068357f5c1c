// The engine's worker. It loads its wasm on the first message: an empty one when the page's wasm runs
// (crates/web/src/main.rs), or a request. Requests that arrive meanwhile are queued in order.
import init, { serve } from "./podscope-js.js";

/** The rest of the engine's wasm; `podscope-js_bg.wasm` is the first part, which contains what a first visit runs
 *  (crates/split). */
const REST = new URL("rest.wasm", import.meta.url);
const REST_TIMEOUT_MS = 60_000;
/** Exports of the first part. Those of an uncut engine, which a development build has, include no `is_loaded`. */
let engine;

const isRestMissing = () => engine.is_loaded?.value === 0;

/** Instantiates the rest, which writes its functions to the tables of the first part. */
const instantiateRest = (module) => {
  if (!isRestMissing()) return;
  const functions = new Proxy({}, { get: (_, slot) => engine.slots.get(Number(slot)) });
  new WebAssembly.Instance(module, { first: engine, functions });
};

/** Loads the rest and returns when it is there: the engine has called a function of it (crates/js/src/rest.rs). */
globalThis.podscopeLoadRest = () => {
  try {
    // The page says what it waits for (crates/web/src/engine.rs).
    postMessage("loading");
    const request = new XMLHttpRequest();
    request.open("GET", REST, false);
    request.responseType = "arraybuffer";
    request.timeout = REST_TIMEOUT_MS;
    request.send();
    if (request.status !== 200) throw new Error(`${request.status} ${request.statusText}`);
    instantiateRest(new WebAssembly.Module(request.response));
  } catch (error) {
    // The engine stops within a call, so it can handle no further message.
    globalThis.onmessage = null;
    // crates/web/src/components/dialogs.rs recognises this text.
    throw new Error(`the rest of the engine did not load: ${error.message}`);
  }
};

/** Loads the rest ahead, from the network or from a stored response. A failure is reported when the rest is needed and
 *  fails again. */
let preparation;
const prepareRest = (stored) => {
  if (!isRestMissing()) return;
  const load = async () => {
    const response = stored ?? await fetch(REST, { signal: AbortSignal.timeout(REST_TIMEOUT_MS) });
    if (response.ok) instantiateRest(await WebAssembly.compile(await response.arrayBuffer()));
  };
  preparation ??= load().catch(() => {}).finally(() => { preparation = undefined; });
};

/** Loads the rest ahead if the offline copy contains it (www/sw.js), because that costs no transfer. */
const prepareStoredRest = async () => {
  const stored = await globalThis.caches?.match(REST);
  if (stored) prepareRest(stored);
};

/** Fetches the texts of all lessons in one file (written by `cargo xtask finish`). */
const fetchLessons = async () => {
  const answer = await fetch(new URL("lessons", import.meta.url), { signal: AbortSignal.timeout(30_000) });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
};

const early = [];
const firstMessage = new Promise((resolve) => {
  onmessage = ({ data }) => {
    if (data) early.push(data);
    resolve();
  };
});

try {
  await firstMessage;
  engine = await init();
  serve(early, (part, done) => {
    if (part === "prepare") prepareRest();
    else fetchLessons().then(done, (error) => done(undefined, `${error}`));
  });
  prepareStoredRest().catch(() => { /* storage is forbidden or damaged: the rest is loaded when it is needed */ });
} catch (error) {
  // In some browsers a rejected module causes no `error` event on the page, so the error is thrown in a task.
  setTimeout(() => { throw error; });
}
