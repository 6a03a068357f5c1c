"""A watch of the official Python client across a restart of the API server: no change is lost."""

import sys

import urllib3
from kubernetes import client, config, watch
from kubernetes.client.exceptions import ApiException
from podscope import TIMEOUT, fault, wait_for

config.load_kube_config()
core = client.CoreV1Api()


def pod(name):
    container = {"name": "c", "image": "nginx"}
    return {"metadata": {"name": name, "labels": {"app": "watched"}}, "spec": {"containers": [container]}}


class Informer:
    """A cache of pods by name, filled by a list and the watch events after it."""

    def __init__(self):
        self.pods, self.version, self.seen = {}, None, []

    def list(self):
        found = core.list_namespaced_pod("default", label_selector="app=watched")
        self.pods = {pod.metadata.name: pod for pod in found.items}
        self.version = found.metadata.resource_version

    def watch_until(self, condition):
        """Watches from the last version until a condition holds. Returns how the watch ended: `met`, `lost`, `expired`."""
        stream = watch.Watch().stream(
            core.list_namespaced_pod,
            "default",
            label_selector="app=watched",
            resource_version=self.version,
            timeout_seconds=TIMEOUT,
        )
        try:
            for event in stream:
                pod = event["object"]
                assert int(pod.metadata.resource_version) > int(self.version), "an event came twice"
                self.version = pod.metadata.resource_version
                self.seen.append((event["type"], pod.metadata.name))
                if event["type"] == "DELETED":
                    del self.pods[pod.metadata.name]
                else:
                    self.pods[pod.metadata.name] = pod
                if condition(self.pods):
                    return "met"
        except ApiException as error:
            assert error.status == 410, error
            return "expired"
        except urllib3.exceptions.HTTPError:
            return "lost"
        return "lost"


def runs(name):
    return lambda pods: name in pods and pods[name].status.phase == "Running"


informer = Informer()
informer.list()
core.create_namespaced_pod("default", pod("before"))
assert informer.watch_until(runs("before")) == "met"
assert informer.seen[0] == ("ADDED", "before"), informer.seen

fault("crash apiserver")
assert informer.watch_until(lambda _: False) == "lost"
try:
    core.list_namespaced_pod("default")
    sys.exit("a crashed API server answered")
except urllib3.exceptions.HTTPError:
    pass

fault("restart apiserver")
# Changes that happen while no watch is open.
core.create_namespaced_pod("default", pod("meanwhile"))
core.delete_namespaced_pod("before", "default", grace_period_seconds=0)
wait_for(
    "the pod runs",
    lambda pods: pods.get("meanwhile", {}).get("status", {}).get("phase") == "Running",
    core.list_namespaced_pod,
    "default",
    label_selector="app=watched",
)

# The watch resumes at its last version; if the server reports it as expired, everything is listed again.
outcome = informer.watch_until(lambda pods: "before" not in pods and runs("meanwhile")(pods))
assert outcome in ("met", "expired"), outcome
if outcome == "expired":
    informer.list()
assert set(informer.pods) == {"meanwhile"}, informer.pods.keys()

# New changes arrive over the resumed watch.
core.create_namespaced_pod("default", pod("after"))
assert informer.watch_until(runs("after")) == "met"
listed = core.list_namespaced_pod("default", label_selector="app=watched").items
cached = {name: pod.metadata.resource_version for name, pod in informer.pods.items()}
assert cached == {pod.metadata.name: pod.metadata.resource_version for pod in listed}, cached
print(f"the watch after the restart: {outcome}")
