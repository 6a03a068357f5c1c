// The engine's worker. It loads its wasm on the first message: an empty one when the page's wasm runs
// (crates/web/src/main.rs), or a request. Requests that arrive meanwhile are queued in order.
import init, { serve } from "./podscope-js.js";

/** Returns a promise that rejects if `promise` is not settled within a time. */
const within = (milliseconds, promise) => Promise.race([promise, new Promise((_, reject) => {
  setTimeout(() => reject(new Error(`no answer within ${milliseconds / 1000} s`)), milliseconds);
})]);

/** The second part of the engine's wasm (crates/split). The first part contains what a first visit runs. */
const REST = new URL("rest.wasm", import.meta.url);
const ATTEMPTS = 3;
/** Exports of the engine's wasm. */
let engine;
let isRestLoaded = false;

/** Instantiates the second part, which writes its functions to the tables of the first. */
const complete = (module) => {
  if (isRestLoaded) return;
  const functions = new Proxy({}, { get: (_, slot) => engine.slots.get(Number(slot)) });
  new WebAssembly.Instance(module, { first: engine, functions });
  isRestLoaded = true;
};

/** Loads the second part and returns when it is there: the engine has called a function of it (crates/js/src/rest.rs). */
globalThis.podscopeLoadRest = () => {
  let why;
  for (let attempt = 0; attempt < ATTEMPTS && !isRestLoaded; attempt++) {
    try {
      const request = new XMLHttpRequest();
      request.open("GET", REST, false);
      request.responseType = "arraybuffer";
      request.send();
      if (request.status !== 200) throw new Error(`${request.status} ${request.statusText}`);
      complete(new WebAssembly.Module(request.response));
    } catch (error) {
      why = error;
    }
  }
  if (!isRestLoaded) throw new Error(`the rest of the engine did not load: ${why.message}`);
};

/** Loads the second part ahead. A development build has none. */
const prepareRest = async (answer) => {
  const response = await (answer ?? fetch(REST));
  if (response.ok && engine.slots) complete(await WebAssembly.compile(await response.arrayBuffer()));
};

/** Fetches the texts of all lessons in one file (written by `cargo xtask finish`). */
const lessons = async () => {
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
    // A failure is reported when the second part is needed and fails again.
    if (part === "prepare") prepareRest().catch(() => {});
    else within(120_000, lessons()).then(done, (error) => done(undefined, `${error}`));
  });
  // Where the offline copy contains the second part (www/sw.js), loading it costs no transfer.
  const copy = await globalThis.caches?.match(REST);
  if (copy) await prepareRest(copy);
} catch (error) {
  // In some browsers a rejected module causes no `error` event on the page, so the error is thrown in a task.
  setTimeout(() => { throw error; });
}
