"""A controller with a planted bug. It keeps one pod for each ConfigMap with the label `wanted`, and looks up pods in a
cache that a watch fills. While the watch is broken the cache is stale, and the controller creates pods again and again
that it does not see.

`podscope search` runs it against a cluster with generated faults until it has created too many pods. With `--careful` it
lists the pods from the API server before it creates one, and the same faults do no harm.
"""

import os
import sys
import threading
import time

from kubernetes import client, config, watch

#: Seconds between two reconciliations, and until a broken watch is reopened.
PERIOD, BACKOFF = 0.1, 1.0
NAMESPACE, OWN = "default", "made-by=controller"


def pod(owner):
    return {
        "metadata": {"generateName": f"{owner}-", "labels": {"owner": owner, "made-by": "controller"}},
        "spec": {"containers": [{"name": "app", "image": "nginx:1"}]},
    }


class Cache:
    """A cache of the controller's pods by name, filled by a watch. It is stale while the watch is broken."""

    def __init__(self, core):
        self.core, self.pods = core, {}
        threading.Thread(target=self.watch_pods, daemon=True).start()

    def watch_pods(self):
        while True:
            try:
                found = self.core.list_namespaced_pod(NAMESPACE, label_selector=OWN)
                self.pods = {one.metadata.name: one.metadata.labels for one in found.items}
                version = found.metadata.resource_version
                stream = watch.Watch().stream(
                    self.core.list_namespaced_pod, NAMESPACE, label_selector=OWN, resource_version=version
                )
                for event in stream:
                    metadata = event["object"].metadata
                    if event["type"] == "DELETED":
                        self.pods.pop(metadata.name, None)
                    else:
                        self.pods[metadata.name] = metadata.labels
            except Exception as error:
                print(f"the watch is broken: {error}", flush=True)
            time.sleep(BACKOFF)

    def owners(self):
        return {labels["owner"] for labels in list(self.pods.values())}


def reconcile(core, cache, is_careful):
    wanted = core.list_namespaced_config_map(NAMESPACE, label_selector="wanted")
    for name in sorted({one.metadata.name for one in wanted.items} - cache.owners()):
        if is_careful and core.list_namespaced_pod(NAMESPACE, label_selector=f"owner={name}").items:
            continue
        core.create_namespaced_pod(NAMESPACE, pod(name))
        print(f"a pod for {name}", flush=True)


def main():
    config.load_kube_config(os.environ["KUBECONFIG"])
    core = client.CoreV1Api()
    cache = Cache(core)
    while True:
        try:
            reconcile(core, cache, "--careful" in sys.argv)
        except Exception as error:
            print(f"the pass has failed: {error}", flush=True)
        time.sleep(PERIOD)


if __name__ == "__main__":
    main()
