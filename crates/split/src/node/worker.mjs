// Simulates a web worker in Node and runs an engine through requests. The clock is simulated too, so that the same
// engine posts the same updates in every run.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const readFileBeside = (name) => readFileSync(new URL(name, import.meta.url));
export const { visit, further, frameDone, failures } = JSON.parse(readFileBeside("requests.json"));

/** Milliseconds since the start. */
let now;
/** Tasks in the order of their times: timers, messages, requests. */
let tasks;
const addTask = (at, run) => {
  const task = { at, run };
  const laterTaskIndex = tasks.findIndex((other) => other.at > at);
  tasks.splice(laterTaskIndex < 0 ? tasks.length : laterTaskIndex, 0, task);
  return task;
};

class Port {
  set onmessage(listener) { this.listener = listener; }
  postMessage(data) { addTask(now, () => this.other.listener?.({ data })); }
}
class Channel {
  port1 = new Port();
  port2 = new Port();
  constructor() { [this.port1.other, this.port2.other] = [this.port2, this.port1]; }
}
const acceptsAnyInstance = { [Symbol.hasInstance]: () => true };
const globals = {
  // Advance the clock at each call, as a real clock advances while the engine works.
  performance: { now: () => (now += 0.1) },
  setTimeout: (run, wait) => addTask(now + wait, run),
  clearTimeout: (task) => { tasks = tasks.filter((other) => other !== task); },
  MessageChannel: Channel,
  MessagePort: Port,
  DedicatedWorkerGlobalScope: acceptsAnyInstance,
  Performance: acceptsAnyInstance,
};
for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

export const receive = (bytes) => globalThis.onmessage({ data: new Uint8Array(bytes) });

let engineCount = 0;

/** Starts a new engine from the wasm of a file. */
export const start = async (file) => {
  now = 0;
  tasks = [];
  // Each URL loads a new instance of the script, with an engine of its own.
  const engineScript = await import(`./engine.mjs?${engineCount++}`);
  const exports = engineScript.initSync({ module: new WebAssembly.Module(readFileBeside(file)) });
  const updatesHash = createHash("sha256");
  globalThis.postMessage = (update) => {
    updatesHash.update(update);
    if (failures.includes(update[0])) throw new Error(`the engine refused a request or crashed: ${Buffer.from(update).toString("latin1")}`);
    // Answer each update as the page answers a frame; the engine ignores an answer if the update was no frame.
    addTask(now, () => receive(frameDone));
  };
  engineScript.serve([], (part, done) => {
    if (part === "lessons") addTask(now, () => done(new Uint8Array(readFileBeside("lessons")), undefined));
  });
  return {
    exports,
    /** Sends requests, each after its number of milliseconds, and waits a second after the last. Returns a digest of
     *  all updates so far. */
    run: (requests) => {
      let lastRequestAt = now;
      for (const [wait, bytes] of requests) {
        lastRequestAt += wait;
        addTask(lastRequestAt, () => receive(bytes));
      }
      while (tasks.length > 0 && tasks[0].at <= lastRequestAt + 1000) {
        const task = tasks.shift();
        now = Math.max(now, task.at);
        task.run();
      }
      return updatesHash.copy().digest("hex");
    },
  };
};
