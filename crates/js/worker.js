// The engine's worker. It loads its wasm on the first message: an empty one from the start of the page (www/boot.js),
// or a request. Requests that arrive meanwhile are queued in order.
import init, { serve } from "./podscope-js.js";

/** Fetches the lessons' texts, which are one file beside this script (`cargo xtask finish`). */
const lessons = async () => {
  const answer = await fetch(new URL("lessons", import.meta.url), { signal: AbortSignal.timeout(30_000) });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
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
  serve(early, (came) => lessons().then(came, (error) => came(undefined, `${error}`)));
} catch (error) {
  // In some browsers a rejected module causes no `error` event on the page, so the error is thrown in a task.
  setTimeout(() => { throw error; });
}
