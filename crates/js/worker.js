// The engine's worker. It loads its wasm on the first message: an empty one from the start of the page (www/boot.js),
// or a request. Requests that arrive meanwhile are queued in order.
import init, { serve } from "./podscope-js.js";

/** Rejects if a promise is not settled within a time. */
const within = (milliseconds, promise) => Promise.race([promise, new Promise((_, reject) => {
  setTimeout(() => reject(new Error(`no answer within ${milliseconds / 1000} s`)), milliseconds);
})]);

let attempts = 0;
/** The function with which the whole engine takes over, once it has been asked for. */
let wholeEngine;

const loadWholeEngine = async () => {
  // A browser may remember that a module did not load, so each further attempt has another address.
  const attempt = attempts++;
  try {
    const engine = await import(`./podscope-whole.js${attempt === 0 ? "" : `?${attempt}`}`);
    await engine.default();
    return engine.take_over;
  } catch (error) {
    wholeEngine = undefined;
    throw error;
  }
};

/** The parts that are loaded on use, beside this script. */
const parts = {
  /** The lessons' texts, which are one file (`cargo xtask finish`). */
  lessons: async () => {
    const answer = await fetch(new URL("lessons", import.meta.url), { signal: AbortSignal.timeout(30_000) });
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    return new Uint8Array(await answer.arrayBuffer());
  },
  /** The whole engine, which takes over from this one (crates/js/src/whole.rs). */
  engine: () => wholeEngine ??= loadWholeEngine(),
};

const early = [];
const asked = new Promise((resolve) => {
  onmessage = ({ data }) => {
    if (data) early.push(data);
    resolve();
  };
});

try {
  await asked;
  await init();
  serve(early, (part, came) => {
    // A failure is reported when the whole engine is needed and fails again.
    if (part === "prepare") parts.engine().catch(() => {});
    else within(120_000, parts[part]()).then(came, (error) => came(undefined, `${error}`));
  });
} catch (error) {
  // In some browsers a rejected module causes no `error` event on the page, so the error is thrown in a task.
  setTimeout(() => { throw error; });
}
