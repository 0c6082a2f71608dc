#!/usr/bin/env python3
"""Records what a real API server says of CRDs' schemas and of objects under them.

    definitions.py --server http://127.0.0.1:8001     (a `kubectl proxy`)
"""

import argparse
import json
import pathlib

from record import Server

TARGET = pathlib.Path(__file__).resolve().parent / "definitions.rec"
GROUP = "rules.io"


def text(**more):
    return {"type": "string", **more}


def number(**more):
    return {"type": "integer", **more}


def obj(properties, **more):
    return {"type": "object", "properties": properties, **more}


def array(items, **more):
    return {"type": "array", "items": items, **more}


KEYED = {
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name", "p"],
}
FIELDS = {
    "s": text(),
    "n": number(),
    "num": {"type": "number"},
    "b": {"type": "boolean"},
    "o": obj({"x": text()}),
    "a": array(text()),
    "minl": text(minLength=3),
    "maxl": text(maxLength=3),
    "pat": text(pattern="^a+$"),
    "enum": text(enum=["A", "B"]),
    "enumn": number(enum=[1, 2]),
    "enumnull": text(enum=["A", None], nullable=True),
    "min": number(minimum=2),
    "max": number(maximum=5),
    "emin": number(minimum=2, exclusiveMinimum=True),
    "emax": number(maximum=5, exclusiveMaximum=True),
    "fmin": {"type": "number", "minimum": 2.5},
    "mult": number(multipleOf=3),
    "mini": array(text(), minItems=2),
    "maxi": array(text(), maxItems=1),
    "minp": {"type": "object", "minProperties": 2, "additionalProperties": text()},
    "maxp": {"type": "object", "maxProperties": 1, "additionalProperties": text()},
    "i32": number(format="int32"),
    "i64": number(format="int64"),
    **{
        name: text(format=name)
        for name in (
            "date", "date-time", "byte", "duration", "email", "ipv4", "ipv6", "uuid", "uri", "cidr",
            "mac", "hostname", "password", "whatever",
        )
    },
    "q": {
        "x-kubernetes-int-or-string": True,
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": "^[0-9]+$",
    },
    "ios": {"x-kubernetes-int-or-string": True},
    "set": array(text(), **{"x-kubernetes-list-type": "set"}),
    "map": array(
        obj({"name": text(), "p": text(default="TCP"), "v": number()}, required=["name"]), **KEYED
    ),
    "objs": array(obj({"name": text(), "v": number()}, required=["name", "v"])),
    "any": obj({"x": number(), "y": number()}, anyOf=[{"required": ["x"]}, {"required": ["y"]}]),
    "one": obj({"x": number(), "y": number()}, oneOf=[{"required": ["x"]}, {"required": ["y"]}]),
    "all": number(allOf=[{"minimum": 3}, {"maximum": 8}]),
    "not": obj({"x": number()}, **{"not": {"required": ["x"]}}),
    "anyn": number(anyOf=[{"minimum": 10}, {"maximum": 3}]),
    "pres": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "emb": {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
    },
    "nul": text(nullable=True),
    "req": obj({"a": text(), "b": number()}, required=["b", "a"]),
    "ad": {"type": "object", "additionalProperties": number(maximum=3)},
    "def": text(default="dd"),
    "defo": obj({"x": number(default=3)}, default={}),
}
SCHEMA = obj({"spec": obj(FIELDS), "status": obj({"x": text()})}, required=["spec"])
SPECS = [
    {"s": 1}, {"s": None}, {"n": "x"}, {"n": 1.5}, {"n": 3000000000}, {"num": "x"},
    {"b": "x"}, {"b": 1}, {"o": "x"}, {"o": []}, {"a": "x"}, {"a": {}}, {"a": [1, "x", 2]},
    {"minl": "a"}, {"maxl": "abcd"}, {"maxl": "ééé"}, {"pat": "b"}, {"enum": "C"}, {"enum": 3},
    {"enumn": 3}, {"enumnull": None}, {"enumnull": "C"}, {"min": 1}, {"max": 6}, {"emin": 2},
    {"emax": 5}, {"fmin": 2.1}, {"mult": 4}, {"mini": ["a"]}, {"maxi": ["a", "b"]},
    {"minp": {"a": "b"}}, {"maxp": {"a": "b", "c": "d"}}, {"i32": 3000000000}, {"i32": 1.5},
    {"i32": "x"}, {"i32": True}, {"i64": 1e30}, {"date": "x"}, {"date": "2020-02-30"},
    {"date": "2020-02-29"}, {"date-time": "x"}, {"date-time": "2020-01-01T00:00:00Z"},
    {"date-time": "2020-01-01T00:00:00.123+01:00"}, {"byte": "###"}, {"byte": "YQ=="},
    {"duration": "x"}, {"duration": "5s"}, {"duration": "1h30m"}, {"email": "x"},
    {"email": "a@b.c"}, {"ipv4": "x"}, {"ipv4": "1.2.3.4"}, {"ipv4": "1.2.3.400"}, {"ipv4": "::1"},
    {"ipv6": "::1"}, {"ipv6": "1.2.3.4"}, {"ipv6": "1:2:3:4:5:6:7:8"}, {"ipv6": "1::2::3"},
    {"uuid": "x"}, {"uuid": "01234567-89ab-cdef-0123-456789abcdef"}, {"uri": "x y"},
    {"uri": "http://a/b"}, {"cidr": "x"}, {"cidr": "10.0.0.0/8"}, {"cidr": "::/64"},
    {"mac": "x"}, {"mac": "01:23:45:67:89:ab"}, {"hostname": "a b"}, {"hostname": "a.bc"},
    {"password": "x"}, {"whatever": "x"}, {"date": 5}, {"date": {}}, {"q": "a"}, {"q": 5},
    {"q": 1.5}, {"q": True}, {"ios": True}, {"ios": {}}, {"set": ["a", "a"]},
    {"set": ["a", "b", "a", "b", "b"]}, {"map": [{"name": "a"}, {"name": "a"}]},
    {"map": [{"p": "x"}]}, {"map": [{"name": "a", "v": "x"}]},
    {"objs": [{"name": "a"}, {"v": 1}, "x", None, {}]}, {"any": {}}, {"one": {}},
    {"one": {"x": 1, "y": 1}}, {"all": 1}, {"all": 9}, {"not": {"x": 1}}, {"anyn": 5},
    {"pres": {"a": {"b": 1}}}, {"pres": 1}, {"emb": {}}, {"emb": {"apiVersion": "v1"}},
    {"emb": {"apiVersion": "v1", "kind": "bad kind"}},
    {"emb": {"apiVersion": "a/b/c", "kind": "K"}},
    {"emb": {"apiVersion": "", "kind": ""}}, {"nul": None}, {"req": {}},
    {"req": {"a": None, "b": 1}},
    {"ad": {"a": 4, "b": "x"}}, {"ad": {"a": None}}, {"a": [None]},
    {"s": 1, "n": "x", "b": 3, "enum": "Q", "req": {}}, {"o": {"x": {"y": [1, None]}}},
    {"unknown": 1, "o": {"y": 1}, "objs": [{"name": "a", "v": 1, "w": 2}]}, "text", [], None,
]
NAMED = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}
EMBEDDED = {"x-kubernetes-embedded-resource": True}
SCHEMAS = [
    {}, text(), obj({"a": {}}), obj({"a": {"type": "array"}}), obj({"a": {"type": "wat"}}),
    obj({"a": {"type": "object", "additionalProperties": True}}),
    obj({"a": {"type": "object", "additionalProperties": {}}}),
    obj({"a": obj({"x": text()}, additionalProperties=text())}), obj({"a": array([text()])}),
    obj({"a": array({})}), obj({"a": array(text(), uniqueItems=True)}), obj({"a": {"$ref": "#/x"}}),
    obj({"a": text(pattern="(")}), obj({"a": array(obj({}), **{"x-kubernetes-list-type": "map"})}),
    obj({"a": array(obj({"x": text()}), **NAMED)}), obj({"a": array(obj({"k": text()}), **NAMED)}),
    obj({"a": array(obj({"k": text()}, required=["k"]), **NAMED)}),
    obj({"a": array(obj({"x": text()}), **{"x-kubernetes-list-type": "set"})}),
    obj({"a": text(**{"x-kubernetes-list-type": "set"})}),
    obj({"a": array(text(), **{"x-kubernetes-list-type": "wat"})}),
    obj({"a": text(**{"x-kubernetes-map-type": "atomic"})}), obj({"a": text(default=5)}),

       obj({"a": obj({"b": text()}, default={"zz": 1})}), obj({"a": text(nullable=True,
    default=None)}),
    obj({"a": text(anyOf=[{"type": "string"}])}),
    obj({"a": obj({}, anyOf=[{"properties": {"q": text()}}])}),
    obj({"a": text(**{"x-kubernetes-int-or-string": True})}),
    obj({"a": text(**{"not": {"description": "x"}})}),
    obj({"metadata": obj({"labels": {"type": "object"}})}),
    obj({"metadata": obj({"name": text(maxLength=5)})}),
    obj({"a": text(**{"x-kubernetes-preserve-unknown-fields": False})}),
    obj({"a": text(**EMBEDDED)}), obj({"a": {"type": "object", **EMBEDDED}}),
    obj({"a": {"type": "object", "patternProperties": {"x": text()}}}),
    obj({"a": {"type": "object", "dependencies": {"x": ["y"]}}}), obj({"kind": number()}),
    obj({"metadata": text()}),
    obj({"a": array(text(nullable=True), **{"x-kubernetes-list-type": "set"})}),
    obj({"a": text(id="x")}),
    obj({"a": {"type": "object", "additionalItems": text(), "definitions": {"x": text()}}}),
    {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    obj({"a": obj({"b": obj({"c": {}})})}, nullable=True), SCHEMA,
]


def definition(schema):
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "rules", "kind": "Rule"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"rules.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }


def answer(code, reply):
    details = reply.get("details") or {}
    return {"code": code, "causes": details.get("causes", []), "message": reply.get("message", "")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True)
    server = Server(parser.parse_args().server)
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    schemas = []
    for schema in SCHEMAS:
        code, reply = server.send("POST", path + "?dryRun=All", definition(schema))
        schemas.append({"schema": schema, **answer(code, reply)})
    server.send("POST", path, definition(SCHEMA))
    objects = f"/apis/{GROUP}/v1/namespaces/default/rules"
    while server.send("GET", objects)[0] != 200:
        pass
    specs = []
    for spec in SPECS:
        body = {"apiVersion": f"{GROUP}/v1", "kind": "Rule", "metadata": {"name": "x"}}
        if spec is not None:
            body["spec"] = spec
        code, reply = server.send("POST", objects + "?dryRun=All&fieldValidation=Ignore", body)
        stored = {"stored": reply.get("spec")} if code < 300 else {}
        specs.append({"body": body, **answer(code, reply), **stored})
    server.send("DELETE", f"{path}/rules.{GROUP}")
    recorded = {"schema": SCHEMA, "schemas": schemas, "objects": specs}
    lines = json.dumps(recorded, separators=(",", ":"), ensure_ascii=False)
    for row in ('{"body":', '{"schema":'):
        lines = lines.replace(row, "\n" + row)
    TARGET.write_text(lines.strip() + "\n")


if __name__ == "__main__":
    main()
