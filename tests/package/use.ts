// Type checks of uses of the package: valid uses compile, and each invalid one is an error (P-06).
import init, { lessons, load, Session } from "@podscope/engine";
import type { Explanation, InputError, Problem, Process, Source, TraceRecord, What } from "@podscope/engine";

await init();
await init({ module_or_path: new URL("podscope_bg.wasm", "https://example.org/") });
const sources: Source[] = ["kind: Pod", [{ name: "a.yaml", text: "" }], { link: "s1:" }, { lesson: lessons()[0].name }];
const session: Session = load(sources[0], { seed: 7n });
load("");
const now: number = session.runUntil("5m") + session.runUntil(30) + session.step() + session.now;
const seed: number | bigint = session.seed;
const lines: string[] = session.command("help").filter((line) => !line.error).map((line) => line.text);
const advice: Problem[] = session.advice;
const ghosts: Process[] = session.processes().filter((one) => one.ghost);
const pods: string[] = session.objects().filter((one) => one.kind === "Pod").map((one) => one.metadata.name);
const records: TraceRecord[] = session.trace(10);
const what: What = records[0].what;
const why: Explanation | undefined = session.explain("default/web-0", records[0].seq);
const total: number | undefined = why?.nodes[0].total;
const link: string = session.link();
try {
  load("");
} catch (error) {
  if (error instanceof Error && error.name === "InputError") {
    const { document, line, column, path, file, problems } = error as InputError;
    const position: [number, number, number, string, string, Problem[]] = [document, line, column, path, file, problems];
    console.log(position);
  }
}
console.log(now, seed, lines, advice, ghosts, pods, what, total, link, session.notices.length, session.output(1).length);
session.free();

// @ts-expect-error a session comes from `load`
new Session();
// @ts-expect-error a number is no source
load(7);
// @ts-expect-error a misspelt option
load("", { sead: 7 });
// @ts-expect-error a time is seconds or a text
session.runUntil(true);
// @ts-expect-error a command is one line of text
session.command(["kubectl", "get", "pods"]);
// @ts-expect-error there may be no explanation
session.explain("web").sentence;
// @ts-expect-error no such record
if (session.trace()[0].what === "Exploded") session.free();
// @ts-expect-error time goes by `runUntil`
session.now = 5;
