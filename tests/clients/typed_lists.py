"""Lists every kind with the typed models of the official Python client, which refuse objects without required fields."""

import inspect

from kubernetes import client, config
from podscope import wait_for

config.load_kube_config()
TEMPLATE = {
    "metadata": {"labels": {"app": "typed"}},
    "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "nginx"}]},
}
client.BatchV1Api().create_namespaced_job(
    "default", {"metadata": {"name": "typed"}, "spec": {"template": TEMPLATE}}
)
client.BatchV1Api().create_namespaced_cron_job(
    "default",
    {
        "metadata": {"name": "typed"},
        "spec": {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": {"template": TEMPLATE}}},
    },
)
deployment = {
    "metadata": {"name": "typed"},
    "spec": {
        "selector": {"matchLabels": {"app": "typed"}},
        "template": {**TEMPLATE, "spec": {"containers": TEMPLATE["spec"]["containers"]}},
    },
}
client.AppsV1Api().create_namespaced_deployment("default", deployment)
client.AppsV1Api().create_namespaced_stateful_set("default", {**deployment, "spec": {**deployment["spec"], "serviceName": "typed"}})
client.AppsV1Api().create_namespaced_daemon_set("default", deployment)
client.CoreV1Api().create_namespaced_service(
    "default", {"metadata": {"name": "typed"}, "spec": {"selector": {"app": "typed"}, "ports": [{"port": 80}]}}
)
client.CoreV1Api().create_namespaced_persistent_volume_claim(
    "default",
    {
        "metadata": {"name": "typed"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    },
)
client.AutoscalingV2Api().create_namespaced_horizontal_pod_autoscaler(
    "default",
    {
        "metadata": {"name": "typed"},
        "spec": {"maxReplicas": 2, "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "typed"}},
    },
)
client.PolicyV1Api().create_namespaced_pod_disruption_budget(
    "default",
    {"metadata": {"name": "typed"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "typed"}}}},
)
client.NetworkingV1Api().create_namespaced_ingress(
    "default",
    {
        "metadata": {"name": "typed"},
        "spec": {"defaultBackend": {"service": {"name": "typed", "port": {"number": 80}}}},
    },
)
wait_for(
    "the Deployment is available",
    lambda found: found["typed"].get("status", {}).get("availableReplicas") == 1,
    client.AppsV1Api().list_namespaced_deployment,
    "default",
)

# The client's `EventsV1Api` refuses events without `eventTime`, which a real API server sends too, so it is not used.
APIS = [
    client.AppsV1Api,
    client.AutoscalingV2Api,
    client.BatchV1Api,
    client.CoordinationV1Api,
    client.CoreV1Api,
    client.DiscoveryV1Api,
    client.NetworkingV1Api,
    client.PolicyV1Api,
    client.RbacAuthorizationV1Api,
    client.SchedulingV1Api,
    client.StorageV1Api,
]


# A node without CSI drivers has `drivers: null`, which the client refuses; a real API server sends it too.
REFUSED_BY_CLIENT = {"list_csi_node"}


def lists(api):
    """Yields the methods that list all objects of a kind: those without required arguments."""
    for name, method in inspect.getmembers(api, inspect.ismethod):
        parameters = inspect.signature(method).parameters.values()
        has_no_required = all(p.default is not p.empty or p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in parameters)
        if name.startswith("list_") and has_no_required and not name.endswith(("_with_http_info", "_without_preload_content")):
            yield name, method


read, failed = {}, []
for api in APIS:
    for name, method in lists(api()):
        if name in REFUSED_BY_CLIENT:
            continue
        try:
            read[f"{api.__name__}.{name}"] = len(method().items)
        except Exception as error:  # report every failure, not only the first one
            failed.append(f"{api.__name__}.{name}: {error}")
assert not failed, "\n".join(failed)
for kind in ["node", "pod_for_all_namespaces", "service_for_all_namespaces", "event_for_all_namespaces"]:
    assert read[f"CoreV1Api.list_{kind}"] > 0, read
print(f"{len(read)} lists, {sum(read.values())} objects")
