// A first visit, played to the instrumented engine in Node: prints the segments that ran.
//
//   node engine-visit.mjs ENGINE.js COUNTED.wasm
//
// The engine believes it is in its worker; its clock is ours, so that a minute takes a moment. It is played on a fast machine and on slower ones.
// What is played here decides what a first visit loads, never what the engine does. `cargo xtask
// bench page` counts what a first visit asks for besides.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [glue, wasm] = process.argv.slice(2);
const MINUTE = 60_000;

let now = 0;
let random = 1;
/** Below `bound`; the same at every build. */
const below = (bound) => (random = (random * 48271) % 0x7fffffff) % bound;
/** How slow the machine is: what a look at the clock, a turn and a drawing cost at most. */
let slow = 1;
globalThis.DedicatedWorkerGlobalScope = class {};
Object.setPrototypeOf(globalThis, DedicatedWorkerGlobalScope.prototype);
Object.defineProperty(globalThis, "performance", { value: { now: () => (now += below(slow) / 4) } });
const real = { setImmediate };
// The engine sleeps until the next frame is due: that is when our clock goes on.
const sleepers = [];
globalThis.setTimeout = (wake, wait = 0) => sleepers.push({ wake, at: now + wait });
globalThis.clearTimeout = (id) => { if (sleepers[id - 1]) sleepers[id - 1].wake = undefined; };

let opened = 0;
const send = (...bytes) => globalThis.onmessage({ data: Uint8Array.from(bytes) });
// The protocol's bytes begin with the number of the message's kind; a test of
// crates/protocol/src holds those that are used here.
const [OPEN_WELCOME, PLAY, INSPECT_NONE, GROUP_BY_ZONE, SHARE, FRAME_DONE] = [[0, 3], [2], [11, 0], [16, 0], [18, 2, 123, 125, 0], [24]];
const [OPENED, REFUSED, FRAME, CRASHED] = [2, 3, 4, 13];
globalThis.postMessage = ([kind, ...rest]) => {
  if (kind === REFUSED || kind === CRASHED) throw new Error(new TextDecoder().decode(Uint8Array.from(rest)));
  if (kind === OPENED) opened += 1;
  if (kind === FRAME) drawing = 1 + below(slow);
};
/** Turns until the page has drawn. */
let drawing = 0;

const turn = () => new Promise((resolve) => real.setImmediate(resolve));
/** Lets the page's time pass. */
const live = async (time) => {
  const end = now + time;
  while (now < end) {
    now += 1 + below(16 + slow);
    for (const sleeper of sleepers) {
      if (sleeper.wake && sleeper.at <= now) {
        const { wake } = sleeper;
        sleeper.wake = undefined;
        wake();
      }
    }
    await turn();
    if (drawing > 0 && --drawing === 0) send(...FRAME_DONE);
  }
};

const engine = await import(pathToFileURL(glue).href);
const exports = await engine.default({ module_or_path: readFileSync(wasm) });
engine.serve([]);
for (slow of [1, 4, 40]) {
  const before = opened;
  send(...OPEN_WELCOME);
  while (opened === before) await live(100);
  send(...INSPECT_NONE);
  send(...GROUP_BY_ZONE);
  send(...PLAY);
  for (let saved = 0; saved < 4; saved += 1) {
    await live(MINUTE / 6);
    send(...SHARE);
  }
}
await live(1_000);
const { memory, marks, marked } = exports;
const bytes = new Uint8Array(memory.buffer, marks.value >>> 0, marked.value);
const ran = [];
bytes.forEach((mark, segment) => { if (mark) ran.push(segment); });
// A pipe takes its time.
process.stdout.write(`${ran.join("\n")}\n`, () => process.exit(0));
