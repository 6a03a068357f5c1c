// Runs the instrumented engine through a first visit, outside a browser and with a clock of its own, and prints the
// numbers of the functions that ran. The clock makes the result the same in every run.
import { readFileSync } from "node:fs";
import * as engine from "./engine.mjs";

const file = (name) => readFileSync(new URL(name, import.meta.url));
const { frameDone, requests } = JSON.parse(file("requests.json"));
/** Milliseconds since the start. */
let now = 0;
/** Tasks, each with its time: timers, messages, requests. */
const tasks = [];
const add = (at, run) => {
  const task = { at, run };
  const after = tasks.findIndex((other) => other.at > at);
  tasks.splice(after < 0 ? tasks.length : after, 0, task);
  return task;
};

class Port {
  set onmessage(listener) { this.listener = listener; }
  postMessage(data) { add(now, () => this.other.listener?.({ data })); }
}
const globals = {
  // A real clock moves while the engine works.
  performance: { now: () => (now += 0.1) },
  setTimeout: (run, wait) => add(now + wait, run),
  clearTimeout: (task) => { const at = tasks.indexOf(task); if (at >= 0) tasks.splice(at, 1); },
  MessageChannel: class { constructor() { this.port1 = new Port(); this.port2 = new Port(); this.port1.other = this.port2; this.port2.other = this.port1; } },
  MessagePort: Port,
  DedicatedWorkerGlobalScope: { [Symbol.hasInstance]: () => true },
  Performance: { [Symbol.hasInstance]: () => true },
  self: globalThis,
};
for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
// The page answers each frame; the engine ignores an answer without a frame.
globalThis.postMessage = () => add(now, () => receive(frameDone));
const receive = (bytes) => globalThis.onmessage({ data: new Uint8Array(bytes) });

const exports = engine.initSync({ module: new WebAssembly.Module(file("engine.wasm")) });
engine.serve([], (part, done) => {
  if (part === "lessons") add(now, () => done(new Uint8Array(file("lessons")), undefined));
});
let end = 0;
for (const [wait, bytes] of requests) {
  end += wait;
  add(end, () => receive(bytes));
}
while (tasks.length > 0 && tasks[0].at <= end + 1000) {
  const task = tasks.shift();
  now = Math.max(now, task.at);
  task.run();
}
const ran = [];
for (let i = 0; i < exports.profile.length; i++) if (exports.profile.get(i) !== null) ran.push(i);
console.log(ran.join(" "));
