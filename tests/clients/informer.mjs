// The informer of @kubernetes/client-node across a restart of the API server: in the end its cache equals a list.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const library = join(process.env.PODSCOPE_NODE_CLIENTS, "@kubernetes/client-node/dist/index.js");
const { CoreV1Api, KubeConfig, makeInformer } = await import(pathToFileURL(library));

const config = new KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(CoreV1Api);
const namespace = "default";
const labelSelector = "app=informed";

const runFault = async (what) => {
  const body = JSON.stringify({ run: `fault ${what}` });
  const answer = await (await fetch(`${process.env.PODSCOPE_URL}/podscope/v1/command`, { method: "POST", body })).json();
  assert.ok(answer.refused === null && answer.lines.every(([isError]) => !isError), JSON.stringify(answer));
};

const createPod = (name) => core.createNamespacedPod({
  namespace,
  body: { metadata: { name, labels: { app: "informed" } }, spec: { containers: [{ name: "c", image: "nginx" }] } },
});

// `waitUntil` waits for a condition, which is checked at each event of the informer.
let waiting = [];
const received = [];
const recordEventOfType = (type) => (pod) => {
  received.push(`${type} ${pod.metadata.name}`);
  for (const { condition, met } of waiting) if (condition()) met();
  waiting = waiting.filter(({ condition }) => !condition());
};
const waitUntil = (condition) => condition() ? Promise.resolve() : new Promise((met) => waiting.push({ condition, met }));

const path = `/api/v1/namespaces/${namespace}/pods`;
const informer = makeInformer(config, path, () => core.listNamespacedPod({ namespace, labelSelector }), labelSelector);
for (const type of ["add", "update", "delete"]) informer.on(type, recordEventOfType(type));
const podPhase = (name) => informer.get(name, namespace)?.status?.phase;

await informer.start();
await createPod("before");
await waitUntil(() => podPhase("before") === "Running");
assert.equal(received[0], "add before");

const connectionLost = new Promise((reject) => informer.on("error", reject));
await runFault("crash apiserver");
await connectionLost;
await runFault("restart apiserver");

// Changes that happen while no watch is open.
await core.deleteNamespacedPod({ name: "before", namespace, gracePeriodSeconds: 0 });
await createPod("meanwhile");
await informer.start();
await waitUntil(() => !informer.get("before", namespace) && podPhase("meanwhile") === "Running");
assert.ok(received.includes("delete before"), received.join(", "));

await createPod("after");
await waitUntil(() => podPhase("after") === "Running");
const namesAndVersions = (pods) => pods.map((pod) => `${pod.metadata.name} ${pod.metadata.resourceVersion}`).sort();
const listed = await core.listNamespacedPod({ namespace, labelSelector });
assert.deepEqual(namesAndVersions(informer.list()), namesAndVersions(listed.items));
await informer.stop();
