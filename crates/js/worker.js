// The page's engine worker. Requests that arrive while the wasm loads are kept in order.
import init, { serve } from "./podscope-js.js";

/** The lessons' texts, in one file beside this one (`cargo xtask finish`). */
const lessons = async () => {
  const answer = await fetch(new URL("lessons", import.meta.url), { signal: AbortSignal.timeout(30_000) });
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
};

const early = [];
onmessage = (event) => early.push(event.data);

try {
  await init();
  serve(early, (came) => lessons().then(came, (error) => came(undefined, `${error}`)));
} catch (error) {
  // A rejected module is not an `error` event for the page in every browser: say it plainly.
  setTimeout(() => { throw error; });
}
