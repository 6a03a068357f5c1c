// Prints the indexes of the function bodies that a first visit runs, and digests of the updates that the engine posts.
import { further, receive, start, visit } from "./worker.mjs";

const ran = new Set();
const addFunctionsThatRan = ({ profile }) => {
  for (let i = 0; i < profile.length; i++) if (profile.get(i) !== null) ran.add(i);
};

const engine = await start("instrumented.wasm");
const afterVisit = engine.run(visit);
addFunctionsThatRan(engine.exports);
const afterAll = engine.run(further);

// The first part also has to report a panic to the page, so cause one: an invalid message throws and leaves the engine
// borrowed, and the next message panics.
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
addFunctionsThatRan(crashed.exports);
console.log(JSON.stringify({ ran: [...ran], updates: [afterVisit, afterAll] }));
