// The engine's worker. It loads its wasm on the first message: an empty one from the start of the page (www/boot.js),
// or a request. Requests that arrive meanwhile are queued in order.
import init, { serve } from "./podscope-js.js";

/** Returns a promise that rejects if `promise` is not settled within a time. */
const within = (milliseconds, promise) => Promise.race([promise, new Promise((_, reject) => {
  setTimeout(() => reject(new Error(`no answer within ${milliseconds / 1000} s`)), milliseconds);
})]);

/** Number of attempts to load the whole engine. */
let attempts = 0;
/** Promise of the function `take_over` of the whole engine; undefined until it is requested. */
let wholeEngine;

const loadWholeEngine = async () => {
  // A browser may cache that a module failed to load, so each further attempt has a different address.
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

/** Functions that load a part by its name: the lesson texts, or the whole engine. */
const parts = {
  /** The texts of all lessons in one file (written by `cargo xtask finish`). */
  lessons: async () => {
    const answer = await fetch(new URL("lessons", import.meta.url), { signal: AbortSignal.timeout(30_000) });
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    return new Uint8Array(await answer.arrayBuffer());
  },
  /** The whole engine (the build with every capability, crates/js/src/whole.rs), which takes over from this one. */
  engine: () => wholeEngine ??= loadWholeEngine(),
};

/** Messages with requests that arrived before the engine could handle them. */
const early = [];
const firstMessage = new Promise((resolve) => {
  onmessage = ({ data }) => {
    if (data) early.push(data);
    resolve();
  };
});

try {
  await firstMessage;
  await init();
  serve(early, (part, done) => {
    // A failure of this preload is ignored: when the whole engine is needed, it is loaded again.
    if (part === "prepare") parts.engine().catch(() => {});
    else within(120_000, parts[part]()).then(done, (error) => done(undefined, `${error}`));
  });
} catch (error) {
  // In some browsers a rejected module causes no `error` event on the page, so the error is thrown in a task.
  setTimeout(() => { throw error; });
}
