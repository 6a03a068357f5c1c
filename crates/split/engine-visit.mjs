// A first visit, played to the instrumented engine in Node: prints the segments that ran.
//
//   node engine-visit.mjs ENGINE.js COUNTED.wasm
//
// The engine believes it is in its worker; its clock is ours, so that a minute takes a moment.
// What is played here decides what a first visit loads, never what the engine does. The story
// `first visit` of tests/e2e fails when a first visit asks for the rest.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [glue, wasm] = process.argv.slice(2);
const MINUTE = 60_000;

let now = 0;
globalThis.DedicatedWorkerGlobalScope = class {};
Object.setPrototypeOf(globalThis, DedicatedWorkerGlobalScope.prototype);
Object.defineProperty(globalThis, "performance", { value: { now: () => now } });
const real = { setImmediate };
// The engine sleeps until the next frame is due: that is when our clock goes on.
const sleepers = [];
globalThis.setTimeout = (wake, wait = 0) => sleepers.push({ wake, at: now + wait });
globalThis.clearTimeout = (id) => { if (sleepers[id - 1]) sleepers[id - 1].wake = undefined; };

let opened = 0;
const send = (...bytes) => globalThis.onmessage({ data: Uint8Array.from(bytes) });
// The protocol's bytes begin with the number of the message's kind; a test of
// crates/session/src/protocol holds those that are used here.
const [OPEN_WELCOME, PLAY, INSPECT_NONE, GROUP_BY_ZONE, SHARE, FRAME_DONE] = [[0, 3], [2], [11, 0], [16, 0], [18, 0, 0], [24]];
const [OPENED, REFUSED, FRAME, CRASHED] = [2, 3, 4, 13];
globalThis.postMessage = ([kind, ...rest]) => {
  if (kind === REFUSED || kind === CRASHED) throw new Error(new TextDecoder().decode(Uint8Array.from(rest)));
  if (kind === OPENED) opened += 1;
  if (kind === FRAME) drawn = true;
};
let drawn = false;

const turn = () => new Promise((resolve) => real.setImmediate(resolve));
/** Lets the page's time pass. */
const live = async (time) => {
  const end = now + time;
  while (now < end) {
    now += 16;
    for (const sleeper of sleepers) {
      if (sleeper.wake && sleeper.at <= now) {
        const { wake } = sleeper;
        sleeper.wake = undefined;
        wake();
      }
    }
    await turn();
    if (drawn) {
      drawn = false;
      send(...FRAME_DONE);
    }
  }
};

const engine = await import(pathToFileURL(glue).href);
const exports = await engine.default({ module_or_path: readFileSync(wasm) });
engine.serve([]);
send(...OPEN_WELCOME);
while (opened === 0) await live(100);
send(...INSPECT_NONE);
send(...GROUP_BY_ZONE);
send(...PLAY);
await live(MINUTE);
send(...SHARE);
await live(1_000);
const { memory, marks, marked } = exports;
const bytes = new Uint8Array(memory.buffer, marks.value >>> 0, marked.value);
const ran = [];
bytes.forEach((mark, segment) => { if (mark) ran.push(segment); });
// A pipe takes its time.
process.stdout.write(`${ran.join("\n")}\n`, () => process.exit(0));
