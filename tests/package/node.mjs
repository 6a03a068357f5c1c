// Uses the package in Node and checks the results. It writes them to results.json, which the browser's results must
// equal, and as literals to values.ts, which TypeScript compares with the types.
// Shows: P-06, P-04
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { exercisePackage } from "./use.mjs";

const results = await exercisePackage();
const assertPlainValue = (value) => {
  if (Array.isArray(value)) return value.forEach(assertPlainValue);
  if (value === null || typeof value !== "object") return assert.notEqual(typeof value, "bigint");
  assert.equal(Object.getPrototypeOf(value), Object.prototype, "a plain object");
  Object.values(value).forEach(assertPlainValue);
};
assertPlainValue(results);

assert.deepEqual(results.began, [0, 7, [], results.began[3]]);
assert.ok(results.stepped >= 0 && results.stepped < 15);
assert.deepEqual([results.ran, results.seconds, results.back], [15, 90.5, 15]);
assert.deepEqual(results.before.map((one) => [one.pod, one.ghost]), [["db-0", false]]);
assert.match(results.printed[0].text, /^NAME +STATUS/);
assert.deepEqual([results.printed.length, results.printed[1].error], [2, false]);
assert.deepEqual(results.refused.map((line) => [line.error, line.text]),
  [[true, 'Error from server (NotFound): nodes "nowhere" not found']]);
assert.deepEqual(results.cut, []);
assert.ok(results.output.some((line) => line.error && line.text.includes("timed out waiting")), JSON.stringify(results.output));
assert.deepEqual(results.processes.filter((one) => one.pod === "db-0").map((one) => one.ghost).sort(), [false, true]);
assert.ok(results.processes.some((one) => one.pod === "db-1"), "the timeline scaled it");
assert.ok(["Node", "Pod", "StatefulSet"].every((kind) => results.objects.some((one) => one.kind === kind)));
assert.deepEqual(results.trace.map((one) => one.seq), results.trace.map((_, i) => i));
assert.deepEqual(results.tail, results.trace.slice(-2));
assert.deepEqual([results.explained.verdict, results.unschedulable.verdict, results.noPod, results.first.verdict],
  ["scheduled", "unschedulable", true, "scheduled"]);
assert.equal(results.unschedulable.nodes.length, 2);
assert.deepEqual(results.again, [600, 7, [], true]);
assert.ok(results.asBefore && results.link.startsWith("s1:"));
assert.ok(results.lessons.length >= 30 && results.lessonLink < 400);
assert.equal(results.bigSeed, "18446744073709551615");
assert.equal(results.wide, Number(9223372036854775807n));

const [fields, yaml, link, lesson, command, soon, negative, nothing, wrong, option] = results.errors;
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
assert.equal(results.untouched, 600);

writeFileSync("results.json", JSON.stringify(results));
const typedConstant = (name, type, value) => `export const ${name}: ${type} = ${JSON.stringify(value, null, 1)};\n`;
writeFileSync("values.ts", [
  'import type { Explanation, KubernetesObject, Lesson, OutputLine, Problem, Process, TraceRecord } from "@podscope/engine";\n',
  typedConstant("objects", "KubernetesObject[]", results.objects),
  typedConstant("processes", "Process[]", results.processes),
  typedConstant("trace", "TraceRecord[]", results.trace),
  typedConstant("explanations", "Explanation[]", [results.explained, results.unschedulable, results.first]),
  typedConstant("output", "OutputLine[]", results.output),
  typedConstant("lessons", "Lesson[]", results.lessons),
  typedConstant("problems", "Problem[]", results.errors[0].problems),
].join(""));
console.log(`${results.trace.length} records, ${results.objects.length} objects`);
