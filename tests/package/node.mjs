// A stranger's Node program. It leaves what it saw: told.json for the browser to equal, and
// values.ts, the same as literals, for TypeScript to compare with the types.
// Shows: P-06, P-04
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { use } from "./use.mjs";

const saw = await use();
const plain = (value) => {
  if (Array.isArray(value)) return value.forEach(plain);
  if (value === null || typeof value !== "object") return assert.notEqual(typeof value, "bigint");
  assert.equal(Object.getPrototypeOf(value), Object.prototype, "a plain object");
  Object.values(value).forEach(plain);
};
plain(saw);

assert.deepEqual(saw.began, [0, 7, [], saw.began[3]]);
assert.ok(saw.stepped >= 0 && saw.stepped < 15);
assert.deepEqual([saw.ran, saw.seconds, saw.back], [15, 90.5, 15]);
assert.deepEqual(saw.before.map((one) => [one.pod, one.ghost]), [["db-0", false]]);
assert.match(saw.printed[0].text, /^NAME +STATUS/);
assert.deepEqual([saw.printed.length, saw.printed[1].error], [2, false]);
assert.deepEqual(saw.refused.map((line) => [line.error, line.text]),
  [[true, 'Error from server (NotFound): nodes "nowhere" not found']]);
assert.deepEqual(saw.cut, []);
assert.ok(saw.output.some((line) => line.error && line.text.includes("timed out waiting")), JSON.stringify(saw.output));
assert.deepEqual(saw.processes.filter((one) => one.pod === "db-0").map((one) => one.ghost).sort(), [false, true]);
assert.ok(saw.processes.some((one) => one.pod === "db-1"), "the timeline scaled it");
assert.ok(["Node", "Pod", "StatefulSet"].every((kind) => saw.objects.some((one) => one.kind === kind)));
assert.deepEqual(saw.trace.map((one) => one.seq), saw.trace.map((_, i) => i));
assert.deepEqual(saw.tail, saw.trace.slice(-2));
assert.deepEqual([saw.explained.verdict, saw.unschedulable.verdict, saw.noPod, saw.first.verdict],
  ["scheduled", "unschedulable", true, "scheduled"]);
assert.equal(saw.unschedulable.nodes.length, 2);
assert.deepEqual(saw.again, [600, 7, [], true]);
assert.ok(saw.asBefore && saw.link.startsWith("s1:"));
assert.ok(saw.lessons.length >= 30 && saw.lessonLink < 400);
assert.equal(saw.bigSeed, "18446744073709551615");
assert.equal(saw.wide, Number(9223372036854775807n));

const [fields, yaml, link, lesson, command, soon, negative, nothing, wrong, option] = saw.errors;
assert.deepEqual([fields.name, fields.isError, fields.file, fields.document, fields.line, fields.path],
  ["InputError", true, "input.yaml", 2, 7, "metadata.name"]);
assert.deepEqual(fields.problems.map((one) => one.path), ["metadata.name", "spec.priority"]);
assert.equal(fields.message.split("\n").length, 2);
assert.ok(yaml.line >= 1 && yaml.column >= 1);
assert.match(link.message, /damaged/);
assert.match(lesson.message, /no lesson/);
assert.deepEqual([command.name, command.line, command.column, command.problems.length], ["InputError", 1, 9, 1]);
assert.deepEqual([soon, negative, nothing, wrong, option].map((one) => one.name),
  ["TypeError", "RangeError", "TypeError", "TypeError", "TypeError"]);
assert.equal(saw.untouched, 600);

writeFileSync("told.json", JSON.stringify(saw));
const literal = (name, type, value) => `export const ${name}: ${type} = ${JSON.stringify(value, null, 1)};\n`;
writeFileSync("values.ts", [
  'import type { Explanation, KubernetesObject, Lesson, OutputLine, Problem, Process, TraceRecord } from "@podscope/engine";\n',
  literal("objects", "KubernetesObject[]", saw.objects),
  literal("processes", "Process[]", saw.processes),
  literal("trace", "TraceRecord[]", saw.trace),
  literal("explanations", "Explanation[]", [saw.explained, saw.unschedulable, saw.first]),
  literal("output", "OutputLine[]", saw.output),
  literal("lessons", "Lesson[]", saw.lessons),
  literal("problems", "Problem[]", saw.errors[0].problems),
].join(""));
console.log(`${saw.trace.length} records, ${saw.objects.length} objects`);
