#!/usr/bin/env python3
"""Records how a real API server takes updates of an object that a stricter schema would refuse.

    ratcheting.py --server http://127.0.0.1:8001     (a `kubectl proxy`)
"""

import argparse
import copy
import json
import pathlib
import time

from definitions import array, definition, obj, text
from record import Server

TARGET = pathlib.Path(__file__).resolve().parent / "ratcheting.rec"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
OBJECTS = "/apis/rules.io/v1/namespaces/default/rules"
KEYED = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}
LOOSE = obj(
    {
        "spec": obj(
            {
                "a": text(),
                "b": text(),
                "l": array(obj({"k": text(), "v": text()}, required=["k"]), **KEYED),
                "at": array(text()),
                "m": {"type": "object", "additionalProperties": text()},
                "o": obj({"x": text(), "y": text()}),
                "set": array(text()),
            }
        )
    }
)
OLD = {
    "a": "long",
    "b": "bad",
    "l": [{"k": "1", "v": "long"}, {"k": "2", "v": "long"}],
    "at": ["long", "x"],
    "m": {"p": "long"},
    "o": {"x": "long"},
    "set": ["d", "d"],
}
SPECS = [
    {},
    {"a": "longer"},
    {"b": "worse"},
    {"b": "q"},
    {"l": [{"k": "1", "v": "long"}, {"k": "2", "v": "longer"}]},
    {"l": [{"k": "2", "v": "long"}, {"k": "3", "v": "l"}]},
    {"l": [{"k": "2", "v": "long"}]},
    {"at": ["long", "y"]},
    {"at": ["long"]},
    {"m": {"p": "long", "q": "r"}},
    {"m": {"q": "rr"}},
    {"o": {"x": "long", "y": "new"}},
    {"o": {"x": "longer"}},
    {"set": ["d", "d", "e"]},
    {"set": ["e", "e", "d", "d"]},
    {"set": ["d"]},
]


def stricter():
    schema = copy.deepcopy(LOOSE)
    spec = schema["properties"]["spec"]["properties"]
    spec["a"]["maxLength"] = 1
    spec["b"]["enum"] = ["q"]
    spec["l"]["items"]["properties"]["v"]["maxLength"] = 1
    spec["l"]["maxItems"] = 1
    spec["at"]["items"]["maxLength"] = 1
    spec["m"]["additionalProperties"]["maxLength"] = 1
    spec["o"]["required"] = ["z"]
    spec["o"]["properties"]["x"]["maxLength"] = 1
    spec["set"]["x-kubernetes-list-type"] = "set"
    return schema


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True)
    server = Server(parser.parse_args().server)
    server.send("POST", DEFINITIONS, definition(LOOSE))
    while server.send("GET", OBJECTS)[0] != 200:
        pass
    time.sleep(2)
    about = {"apiVersion": "rules.io/v1", "kind": "Rule"}
    old = {**about, "metadata": {"name": "x", "namespace": "default"}, "spec": OLD}
    _, stored = server.send("POST", OBJECTS, old)
    _, found = server.send("GET", f"{DEFINITIONS}/rules.rules.io")
    found["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = stricter()
    server.send("PUT", f"{DEFINITIONS}/rules.rules.io", found)
    time.sleep(3)
    rows = []
    for changes in SPECS:
        body = {**stored, "spec": {**OLD, **changes}}
        code, reply = server.send("PUT", f"{OBJECTS}/x?dryRun=All", body)
        causes = (reply.get("details") or {}).get("causes", []) if code >= 300 else []
        rows.append({"spec": body["spec"], "code": code, "causes": causes})
    server.send("DELETE", f"{DEFINITIONS}/rules.rules.io")
    recorded = {"schema": stricter(), "old": old, "rows": rows}
    lines = json.dumps(recorded, separators=(",", ":"))
    TARGET.write_text(lines.replace('{"spec":{"a"', '\n{"spec":{"a"') + "\n")


if __name__ == "__main__":
    main()
