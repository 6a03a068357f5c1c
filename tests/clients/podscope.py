"""Code that the Python programs share: requests to Podscope's own API, and waiting for objects with watches."""

import json
import os
import urllib.request

from kubernetes import client, watch

#: Timeout of every wait in these programs, in seconds.
TIMEOUT = 60


def podscope(path, body):
    """Sends a request to /podscope/v1 of the server whose address is in PODSCOPE_URL."""
    url = f"{os.environ['PODSCOPE_URL']}/podscope/v1/{path}"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode())) as response:
        return json.load(response)


def fault(what):
    """Runs a fault command, which must be accepted."""
    answer = podscope("command", {"run": f"fault {what}"})
    assert answer["refused"] is None, answer
    assert not any(is_error for is_error, _ in answer["lines"]), answer


def wait_for(what, condition, list_objects, *args, **selection):
    """Lists and watches objects until a condition holds for the dictionary of objects by name. Returns the dictionary."""
    found = as_dictionary(list_objects(*args, **selection))
    objects = {entry["metadata"]["name"]: entry for entry in found["items"]}
    if condition(objects):
        return objects
    version = found["metadata"]["resourceVersion"]
    stream = watch.Watch().stream(
        list_objects, *args, resource_version=version, timeout_seconds=TIMEOUT, **selection
    )
    for event in stream:
        entry = event["raw_object"]
        if event["type"] == "DELETED":
            objects.pop(entry["metadata"]["name"], None)
        else:
            objects[entry["metadata"]["name"]] = entry
        if condition(objects):
            return objects
    raise AssertionError(f"{what}: not within {TIMEOUT} s; there are {objects}")


def as_dictionary(found):
    """Converts a list of typed or custom objects to the dictionary form of the API."""
    return found if isinstance(found, dict) else client.ApiClient().sanitize_for_serialization(found)
