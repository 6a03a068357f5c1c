// The page's engine worker. Requests that arrive while the wasm loads are kept in order.
import init, { serve } from "./podscope-js.js";

const early = [];
onmessage = (event) => early.push(event.data);

try {
  await init();
  serve(early);
} catch (error) {
  // A rejected module is not an `error` event for the page in every browser: say it plainly.
  setTimeout(() => { throw error; });
}
