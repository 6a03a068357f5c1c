// Prints the numbers of the functions that a first visit runs, and digests of the updates that the engine posts.
import { further, receive, start, visit } from "./worker.mjs";

const ran = new Set();
const note = ({ profile }) => {
  for (let i = 0; i < profile.length; i++) if (profile.get(i) !== null) ran.add(i);
};

const engine = await start("instrumented.wasm");
const afterVisit = engine.run(visit);
note(engine.exports);
const afterAll = engine.run(further);

// The page also has to hear of a panic: an error leaves the engine in use, and the next message panics.
const crashed = await start("instrumented.wasm");
const error = console.error;
console.error = () => {};
let crashes = 0;
globalThis.postMessage = () => { crashes++; };
for (const bytes of [[255], [255]]) {
  try { receive(bytes); } catch { /* as intended */ }
}
console.error = error;
if (crashes !== 1) throw new Error("the engine did not report its panic");
note(crashed.exports);
console.log(JSON.stringify({ ran: [...ran], updates: [afterVisit, afterAll] }));
