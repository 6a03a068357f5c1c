// One use of the package, run by Node and by a browser: it tells what it saw, for comparison.
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
const WIDE = `
apiVersion: batch/v1
kind: Job
metadata: {name: long, annotations: {note: "1"}}
spec:
  activeDeadlineSeconds: 9223372036854775807
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: busybox}]}}
`;
const BIG = `
apiVersion: v1
kind: Pod
metadata: {name: big}
spec: {containers: [{name: main, image: busybox, resources: {requests: {cpu: 64}}}]}
`;

const thrown = (action) => {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error(`nothing was thrown by ${action}`);
};
const told = (error) => ({
  name: error.name, isError: error instanceof Error, message: error.message, file: error.file,
  document: error.document, line: error.line, column: error.column, path: error.path, problems: error.problems,
});

export async function use() {
  await init();
  const session = load([{ name: "db.yaml", text: MANIFEST }, { name: "big.yaml", text: BIG }], { seed: 7 });
  const saw = { began: [session.now, session.seed, session.notices, session.advice] };
  saw.stepped = session.step();
  saw.ran = session.runUntil("15s");
  saw.before = session.processes();
  const { node } = saw.before.find((one) => one.pod === "db-0");
  saw.printed = session.command(`kubectl get nodes ${node}`);
  saw.refused = session.command("kubectl get node nowhere");
  saw.cut = session.command(`fault partition ${node}`);
  saw.later = session.command("kubectl delete pod db-0 --timeout=5s");
  saw.seconds = session.runUntil(90.5);
  saw.forced = session.command("kubectl delete pod db-0 --force --grace-period=0");
  session.runUntil("10m");
  saw.output = session.output();
  saw.processes = session.processes();
  saw.objects = session.objects();
  saw.trace = session.trace();
  saw.tail = session.trace(saw.trace.length - 2);
  saw.explained = session.explain("db-0");
  saw.unschedulable = session.explain("default/big");
  saw.noPod = session.explain("default/nobody") === undefined;
  saw.first = session.explain("db-0", saw.trace.find((one) => one.what === "Attempt" && one.object.name === "db-0").seq);

  saw.link = session.link();
  const again = load({ link: `https://example.org/play/#${saw.link}` });
  saw.again = [again.now, again.seed, again.notices, again.link() === saw.link];
  saw.back = session.runUntil("15s");
  saw.asBefore = JSON.stringify(session.processes()) === JSON.stringify(saw.before);
  session.free();

  saw.lessons = lessons();
  const lesson = load({ lesson: saw.lessons[0].name });
  saw.lessonLink = lesson.link().length;
  saw.bigSeed = String(load(BIG, { seed: 2n ** 64n - 1n }).seed);
  const wide = load(WIDE);
  wide.runUntil(5);
  saw.wide = wide.objects().find((one) => one.kind === "Job").spec.activeDeadlineSeconds;

  saw.errors = [
    told(thrown(() => load("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: 7}\nspec: {priority: high}\n"))),
    told(thrown(() => load("a: [1"))),
    told(thrown(() => load({ link: "s1:!" }))),
    told(thrown(() => load({ lesson: "none" }))),
    told(thrown(() => again.command("kubectl gte pods"))),
    told(thrown(() => again.runUntil("soon"))),
    told(thrown(() => again.runUntil(-1))),
    told(thrown(() => again.runUntil(undefined))),
    told(thrown(() => load(7))),
    told(thrown(() => load(BIG, { sead: 7 }))),
  ];
  saw.untouched = again.now;
  return saw;
}
