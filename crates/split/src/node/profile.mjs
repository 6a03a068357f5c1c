// Prints the indexes of the function bodies that a first visit runs, and digests of the updates that the engine posts.
import { further, receive, start, visit } from "./worker.mjs";

const functionsThatRan = new Set();
const addFunctionsThatRan = ({ profile }) => {
  for (let i = 0; i < profile.length; i++) if (profile.get(i) !== null) functionsThatRan.add(i);
};

const engine = await start("instrumented.wasm");
const digestAfterVisit = engine.run(visit);
addFunctionsThatRan(engine.exports);
const digestAfterAllRequests = engine.run(further);

// The first part also has to report a panic to the page, so cause one: an invalid message throws and leaves the engine
// borrowed, and the next message panics.
const crashedEngine = await start("instrumented.wasm");
const originalConsoleError = console.error;
console.error = () => {};
let reportedPanics = 0;
globalThis.postMessage = () => { reportedPanics++; };
for (const bytes of [[255], [255]]) {
  try { receive(bytes); } catch { /* as intended */ }
}
console.error = originalConsoleError;
if (reportedPanics !== 1) throw new Error("the engine did not report its panic");
addFunctionsThatRan(crashedEngine.exports);
console.log(JSON.stringify({ ran: [...functionsThatRan], updates: [digestAfterVisit, digestAfterAllRequests] }));
