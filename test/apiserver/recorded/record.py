#!/usr/bin/env python3
"""Records what a real API server answers to the requests of scenarios, for recorded_test.cpp.

    control_plane.py start /tmp/plane && kubectl proxy --port 8001 &
    record.py --server http://127.0.0.1:8001 [--only WORD]

Each scenario becomes a file: its requests one after the other, each with the reply. Of the
kube-controller-manager nothing may run meanwhile, or it would write statuses of its own. Requests
are a second apart, so that the times of managedFields tell which of them a request has changed.
"""

import argparse
import json
import pathlib
import sys
import time
import urllib.error
import urllib.request

from scenario_parts import NAMESPACE
from scenarios_custom import CUSTOM
from scenarios_kinds import KINDS
from scenarios_pods import PODS

FOLDER = pathlib.Path(__file__).resolve().parent
CONTENT_TYPES = {
    "create": "application/json",
    "put": "application/json",
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}
DEFINED = set()
METHODS = {"create": "POST", "put": "PUT"}


class Server:
    def __init__(self, address):
        self.address = address

    def send(self, method, path, body=None, content_type="application/json"):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data, method=method)
        request.add_header("Content-Type", content_type)
        request.add_header("Accept", "application/json")
        request.add_header("User-Agent", "recorder/1")
        try:
            with urllib.request.urlopen(request) as reply:
                return reply.status, json.loads(reply.read())
        except urllib.error.HTTPError as error:
            text = error.read()
            is_json = "json" in error.headers.get("Content-Type", "")
            return error.code, json.loads(text) if is_json else {"message": text.decode()}


def collection(scenario):
    root = f"/apis/{scenario['group']}" if scenario["group"] else "/api"
    space = "" if scenario.get("cluster") else f"/namespaces/{NAMESPACE}"
    return f"{root}/{scenario['version']}{space}/{scenario['plural']}"


def remove(server, path):
    server.send("DELETE", path + "?gracePeriodSeconds=0&propagationPolicy=Background")
    for _ in range(100):
        code, found = server.send("GET", path)
        if code == 404:
            return
        if found.get("metadata", {}).get("finalizers"):
            server.send("PATCH", path, {"metadata": {"finalizers": None}}, CONTENT_TYPES["merge"])
        if found.get("kind") == "Namespace":
            server.send("PUT", path + "/finalize", {**found, "spec": {}})
        time.sleep(0.1)
    sys.exit(f"error: {path} does not go away")


def record(server, scenario):
    if "schema" in scenario:
        define(server, scenario)
    path = collection(scenario)
    steps = []
    live = None
    for step in scenario["steps"]:
        verb, body, options = step[0], step[1], dict(step[2]) if len(step) > 2 else {}
        if callable(body):
            body = body(json.loads(json.dumps(live)))
        name = options.pop("name", scenario["name"])
        if verb == "create" or options.get("fresh"):
            remove(server, f"{path}/{name}")
        options.pop("fresh", None)
        query = {"fieldManager": options.get("manager", "recorder"), **options.get("query", {})}
        if options.get("force"):
            query["force"] = "true"
        target = path if verb == "create" else f"{path}/{name}"
        if options.get("subresource"):
            target += "/" + options["subresource"]
        target += "?" + "&".join(f"{key}={value}" for key, value in query.items())
        time.sleep(1.05)
        code, reply = server.send(METHODS.get(verb, "PATCH"), target, body, CONTENT_TYPES[verb])
        steps.append({"verb": verb, **options, "body": body, "code": code, "reply": reply})
        print(f"{scenario['file']}: {verb} {code} {reply.get('message', '')[:150]}", flush=True)
        if code < 300:
            live = reply
    remove(server, f"{path}/{scenario['name']}")
    kept = {key: value for key, value in scenario.items() if key not in ("steps", "file")}
    return {**kept, "steps": steps}


def define(server, scenario):
    name = f"{scenario['plural']}.{scenario['group']}"
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    code, found = server.send("GET", f"{path}/{name}")
    if code == 200 and name in DEFINED:
        return
    DEFINED.add(name)
    remove(server, f"{path}/{name}")
    version = {
        "name": scenario["version"],
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": scenario["schema"]},
        "subresources": {"status": {}},
    }
    names = {"plural": scenario["plural"], "kind": scenario["kind"]}
    spec = {"group": scenario["group"], "scope": "Namespaced", "names": names}
    body = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name},
        "spec": {**spec, "versions": [version]},
    }
    code, reply = server.send("POST", path, body)
    if code >= 300:
        sys.exit(f"error: {reply['message']}")
    for _ in range(100):
        if server.send("GET", collection(scenario))[0] == 200:
            break
        time.sleep(0.1)
    time.sleep(2)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--server", required=True)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    server = Server(arguments.server)
    for scenario in CUSTOM + PODS + KINDS:
        if arguments.only in scenario["file"]:
            recorded = record(server, scenario)
            text = json.dumps(recorded, separators=(",", ":"), ensure_ascii=False)
            text = text.replace('{"verb":', '\n{"verb":') + "\n"
            (FOLDER / f"{scenario['file']}.json").write_text(text)


if __name__ == "__main__":
    main()
