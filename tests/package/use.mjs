// Calls the functions of the package and returns their results, which must be equal in Node and in a browser.
import init, { lessons, load } from "@podscope/engine";

const MANIFEST = `
apiVersion: podscope.dev/v1alpha1
kind: Scenario
metadata: {name: package}
spec:
  cluster: {zones: [a, b], nodesPerZone: 1}
  timeline: [{at: 20s, run: kubectl scale statefulset db --replicas=2}]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 1
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: postgres}]}
`;
// A legal manifest whose numbers do not all fit into a JavaScript number.
const WIDE_NUMBERS = `
apiVersion: batch/v1
kind: Job
metadata: {name: long, annotations: {note: "1"}}
spec:
  activeDeadlineSeconds: 9223372036854775807
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}}
`;
// The pod requests more CPU than any node has, so that it stays pending.
const UNSCHEDULABLE_POD = `
apiVersion: v1
kind: Pod
metadata: {name: big}
spec: {containers: [{name: main, image: busybox, resources: {requests: {cpu: 64}}}]}
`;

const errorThrownBy = (action) => {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error(`nothing was thrown by ${action}`);
};
const errorFields = (error) => ({
  name: error.name, isError: error instanceof Error, message: error.message, file: error.file,
  document: error.document, line: error.line, column: error.column, path: error.path, problems: error.problems,
});

/** Calls each function of the package. Returns what they returned, and the errors that they threw. */
export async function exercisePackage() {
  await init();
  const files = [{ name: "db.yaml", text: MANIFEST }, { name: "big.yaml", text: UNSCHEDULABLE_POD }];
  const session = load(files, { seed: 7 });
  const results = { began: [session.now, session.seed, session.notices, session.advice] };
  results.stepped = session.step();
  results.ran = session.runUntil("15s");
  results.before = session.processes();
  const { node } = results.before.find((one) => one.pod === "db-0");
  results.printed = session.command(`kubectl get nodes ${node}`);
  results.refused = session.command("kubectl get node nowhere");
  results.cut = session.command(`fault partition ${node}`);
  results.later = session.command("kubectl delete pod db-0 --timeout=5s");
  results.seconds = session.runUntil(90.5);
  results.forced = session.command("kubectl delete pod db-0 --force --grace-period=0");
  session.runUntil("10m");
  results.output = session.output();
  results.processes = session.processes();
  results.objects = session.objects();
  results.trace = session.trace();
  results.tail = session.trace(results.trace.length - 2);
  results.explained = session.explain("db-0");
  results.unschedulable = session.explain("default/big");
  results.noPod = session.explain("default/nobody") === undefined;
  results.first = session.explain("db-0", results.trace.find((one) => one.what === "Attempt" && one.object.name === "db-0").seq);

  results.link = session.link();
  const reopenedSession = load({ link: `https://example.org/play/#${results.link}` });
  const isLinkUnchanged = reopenedSession.link() === results.link;
  results.again = [reopenedSession.now, reopenedSession.seed, reopenedSession.notices, isLinkUnchanged];
  results.back = session.runUntil("15s");
  results.asBefore = JSON.stringify(session.processes()) === JSON.stringify(results.before);
  session.free();

  results.lessons = lessons();
  const lessonSession = load({ lesson: results.lessons[0].name });
  results.lessonLink = lessonSession.link().length;
  results.bigSeed = String(load(UNSCHEDULABLE_POD, { seed: 2n ** 64n - 1n }).seed);
  const wideNumbersSession = load(WIDE_NUMBERS);
  wideNumbersSession.runUntil(5);
  results.wide = wideNumbersSession.objects().find((one) => one.kind === "Job").spec.activeDeadlineSeconds;

  results.errors = [
    errorFields(errorThrownBy(() => load("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: 7}\nspec: {priority: high}\n"))),
    errorFields(errorThrownBy(() => load("a: [1"))),
    errorFields(errorThrownBy(() => load({ link: "s1:!" }))),
    errorFields(errorThrownBy(() => load({ lesson: "none" }))),
    errorFields(errorThrownBy(() => reopenedSession.command("kubectl gte pods"))),
    errorFields(errorThrownBy(() => reopenedSession.runUntil("soon"))),
    errorFields(errorThrownBy(() => reopenedSession.runUntil(-1))),
    errorFields(errorThrownBy(() => reopenedSession.runUntil(undefined))),
    errorFields(errorThrownBy(() => load(7))),
    errorFields(errorThrownBy(() => load(UNSCHEDULABLE_POD, { sead: 7 }))),
  ];
  results.untouched = reopenedSession.now;
  return results;
}
