"""A kopf operator for a custom resource: children, status, finalizer, and a restart of the API server in between.

As a program, this file installs the definition, runs itself as an operator and checks the results. kopf loads the same
file for the handlers.
"""

import kopf
from kubernetes import client, config
from podscope import fault, wait_for

GROUP, VERSION, PLURAL = "clients.podscope.dev", "v1", "sites"


@kopf.on.startup()
def connect(**_):
    config.load_kube_config()


def deployment(name, replicas):
    labels = {"site": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "web", "image": "nginx"}]},
            },
        },
    }


@kopf.on.create(GROUP, VERSION, PLURAL)
def create(spec, name, namespace, **_):
    child = deployment(name, spec["replicas"])
    kopf.adopt(child)
    client.AppsV1Api().create_namespaced_deployment(namespace, child)
    return {"replicas": spec["replicas"]}


@kopf.on.update(GROUP, VERSION, PLURAL, field="spec.replicas")
def scale(new, name, namespace, **_):
    client.AppsV1Api().patch_namespaced_deployment(name, namespace, {"spec": {"replicas": new}})
    return {"replicas": new}


@kopf.on.delete(GROUP, VERSION, PLURAL)
def archive(spec, name, namespace, **_):
    """Runs before the finalizer is removed."""
    body = {"metadata": {"name": f"{name}-archive"}, "data": {"replicas": str(spec["replicas"])}}
    client.CoreV1Api().create_namespaced_config_map(namespace, body)


def definition():
    integer, free = {"type": "integer", "minimum": 1}, {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    spec = {"type": "object", "required": ["replicas"], "properties": {"replicas": integer}}
    schema = {"type": "object", "properties": {"spec": spec, "status": free}}
    version = {"name": VERSION, "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": PLURAL, "singular": "site", "kind": "Site"},
            "versions": [version],
        },
    }


def check_operator():
    core, apps, custom = client.CoreV1Api(), client.AppsV1Api(), client.CustomObjectsApi()
    sites = (custom.list_namespaced_custom_object, GROUP, VERSION, "default", PLURAL)

    def ready(count):
        return lambda found: found.get("blog", {}).get("status", {}).get("readyReplicas") == count

    def reported(handler, count):
        def is_met(found):
            return found.get("blog", {}).get("status", {}).get(handler, {}).get("replicas") == count

        return is_met

    def deployments(what, condition):
        return wait_for(what, condition, apps.list_namespaced_deployment, "default")

    site = {"apiVersion": f"{GROUP}/{VERSION}", "kind": "Site", "metadata": {"name": "blog"}, "spec": {"replicas": 2}}
    custom.create_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, site)
    child = deployments("two replicas are ready", ready(2))["blog"]
    owners = [(owner["kind"], owner["name"], owner["controller"]) for owner in child["metadata"]["ownerReferences"]]
    assert owners == [("Site", "blog", True)], owners
    found = wait_for("the operator writes the status", reported("create", 2), *sites)
    assert found["blog"]["metadata"]["finalizers"] == ["kopf.zalando.org/KopfFinalizerMarker"], found

    # The operator's watches break, and the operator opens them again.
    fault("crash apiserver")
    fault("restart apiserver")
    patch = {"spec": {"replicas": 3}}
    custom.patch_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, "blog", patch)
    deployments("three replicas are ready", ready(3))
    wait_for("the operator writes the new status", reported("scale/spec.replicas", 3), *sites)

    custom.delete_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, "blog")
    wait_for("the finalizer is removed", lambda found: "blog" not in found, *sites)
    assert core.read_namespaced_config_map("blog-archive", "default").data == {"replicas": "3"}
    # The garbage collector deletes the Deployment whose owner was deleted.
    deployments("the child is removed", lambda found: "blog" not in found)


if __name__ == "__main__":
    from kopf.testing import KopfRunner

    config.load_kube_config()
    extensions = client.ApiextensionsV1Api()
    extensions.create_custom_resource_definition(definition())
    wait_for(
        "the definition is established",
        lambda found: any(
            condition["type"] == "Established" and condition["status"] == "True"
            for entry in found.values()
            for condition in entry.get("status", {}).get("conditions", [])
        ),
        extensions.list_custom_resource_definition,
    )
    runner = KopfRunner(["run", "--namespace", "default", "--standalone", "--verbose", __file__], timeout=10)
    try:
        with runner:
            check_operator()
    except BaseException:
        print(runner.output if runner._future.done() else "")
        raise
    assert runner.exit_code == 0, runner.output
