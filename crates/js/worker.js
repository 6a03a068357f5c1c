// The page's engine worker. Its wasm is asked for with the first message, an empty one of the page's
// start (www/boot.js) or a request; requests that arrive while it loads are kept in order.
import init, { serve } from "./podscope-js.js";

/** The lessons' texts, in one file beside this one (`cargo xtask finish`). */
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
  // A rejected module is not an `error` event for the page in every browser: say it plainly.
  setTimeout(() => { throw error; });
}
