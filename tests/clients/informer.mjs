// The informer of @kubernetes/client-node across a restart of the API server: in the end its cache equals a list.
import assert from "node:assert/strict";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const clientLibrary = join(process.env.PODSCOPE_NODE_CLIENTS, "@kubernetes/client-node/dist/index.js");
const { CoreV1Api, KubeConfig, makeInformer } = await import(pathToFileURL(clientLibrary));

const config = new KubeConfig();
config.loadFromDefault();
const coreApi = config.makeApiClient(CoreV1Api);
const namespace = "default";
const labelSelector = "app=informed";

const runFault = async (fault) => {
  const body = JSON.stringify({ run: `fault ${fault}` });
  const answer = await (await fetch(`${process.env.PODSCOPE_URL}/podscope/v1/command`, { method: "POST", body })).json();
  assert.ok(answer.refused === null && answer.lines.every(([isError]) => !isError), JSON.stringify(answer));
};

const createPod = (name) => coreApi.createNamespacedPod({
  namespace,
  body: { metadata: { name, labels: { app: "informed" } }, spec: { containers: [{ name: "c", image: "nginx" }] } },
});

// Conditions that `waitUntil` waits for. They are checked at each event of the informer.
let pendingConditions = [];
const receivedEvents = [];
const recordEventOfType = (type) => (pod) => {
  receivedEvents.push(`${type} ${pod.metadata.name}`);
  for (const { condition, met } of pendingConditions) if (condition()) met();
  pendingConditions = pendingConditions.filter(({ condition }) => !condition());
};
const waitUntil = (condition) => condition() ? Promise.resolve() : new Promise((met) => pendingConditions.push({ condition, met }));

const path = `/api/v1/namespaces/${namespace}/pods`;
const informer = makeInformer(config, path, () => coreApi.listNamespacedPod({ namespace, labelSelector }), labelSelector);
for (const type of ["add", "update", "delete"]) informer.on(type, recordEventOfType(type));
const podPhase = (name) => informer.get(name, namespace)?.status?.phase;

await informer.start();
await createPod("before");
await waitUntil(() => podPhase("before") === "Running");
assert.equal(receivedEvents[0], "add before");

const connectionLost = new Promise((reject) => informer.on("error", reject));
await runFault("crash apiserver");
await connectionLost;
await runFault("restart apiserver");

// Changes that happen while no watch is open.
await coreApi.deleteNamespacedPod({ name: "before", namespace, gracePeriodSeconds: 0 });
await createPod("meanwhile");
await informer.start();
await waitUntil(() => !informer.get("before", namespace) && podPhase("meanwhile") === "Running");
assert.ok(receivedEvents.includes("delete before"), receivedEvents.join(", "));

await createPod("after");
await waitUntil(() => podPhase("after") === "Running");
const namesAndVersions = (pods) => pods.map((pod) => `${pod.metadata.name} ${pod.metadata.resourceVersion}`).sort();
const listedPods = await coreApi.listNamespacedPod({ namespace, labelSelector });
assert.deepEqual(namesAndVersions(informer.list()), namesAndVersions(listedPods.items));
await informer.stop();
