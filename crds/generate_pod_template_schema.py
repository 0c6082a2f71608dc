#!/usr/bin/env python3
"""Makes parts/pod_template_schema.json, the structural schema of a Workload's pod templates.

A Workload carries whole pod templates, so its CRD needs a schema of core/v1 PodTemplateSpec. That
is 1200 properties, and the API server already publishes them. This script turns
the server's OpenAPI v3 document into what a CRD wants:

  * references are expanded: a structural schema has none;
  * descriptions go: with them the Workload CRD would not fit into the last-applied annotation of a
  client-side
    `kubectl apply` (256 KiB);
  * `metadata` keeps the five fields that mean something in a template;
  * enums go, so that a template which a newer Kubernetes understands is not refused here; the API
  server checks the
    pods themselves anyway.

    generate_pod_template_schema.py --kubectl PATH --kubeconfig FILE   asks a running API server
    generate_pod_template_schema.py --openapi FILE   reads `kubectl get --raw /openapi/v3/api/v1`
    … --check                                        writes nothing, compares with the file
"""

import argparse
import json
import pathlib
import subprocess
import sys

# Not beside the definitions: `kubectl apply -f crds/` would take it for one.
TARGET = pathlib.Path(__file__).resolve().parent / "parts" / "pod_template_schema.json"
PREFIX = "#/components/schemas/"
ROOT = "io.k8s.api.core.v1.PodTemplateSpec"

NUMBER = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
QUANTITY_PATTERN = (
    r"^(\+|-)?" + NUMBER + r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?" + NUMBER + r"))?$"
)
INT_OR_STRING = {
    "anyOf": [{"type": "integer"}, {"type": "string"}],
    "x-kubernetes-int-or-string": True,
}
TEXT_MAP = {"type": "object", "additionalProperties": {"type": "string"}}
# Schemas that stand for a type of their own rather than for the object they would expand to.
LEAVES = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": {**INT_OR_STRING, "pattern": QUANTITY_PATTERN},
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": INT_OR_STRING,
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": {"type": "string", "format": "date-time"},
    "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {
        "type": "object",
        "properties": {
            "annotations": TEXT_MAP,
            "finalizers": {"type": "array", "items": {"type": "string"}},
            "labels": TEXT_MAP,
            "name": {"type": "string"},
            "namespace": {"type": "string"},
        },
    },
}
# These embed a LocalObjectReference, which is atomic. The Go type says so and Kueue's schema does;
# the OpenAPI document loses it, since it shows the embedded field as their own.
ATOMIC = {
    "io.k8s.api.core.v1." + kind
    for kind in (
        "ConfigMapEnvSource",
        "SecretEnvSource",
        "ConfigMapVolumeSource",
        "ConfigMapProjection",
        "SecretProjection",
    )
}
# Defaults that Kueue's schema lacks: the API server fills these in a pod anyway, and a template
# must not change by being stored.
NOT_DEFAULTED = {
    "io.k8s.api.core.v1.AzureDiskVolumeSource.cachingMode",
    "io.k8s.api.core.v1.AzureDiskVolumeSource.kind",
}
KEPT = (
    "type",
    "format",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
)
# What the document may say besides and the result leaves out on purpose. Any other word stops the
# script: a silent loss would show only when a user's Workload is pruned.
DROPPED = {
    "description",
    "enum",
    "properties",
    "items",
    "additionalProperties",
    "required",
    "default",
    "allOf",
    "$ref",
    "x-kubernetes-patch-merge-key",
    "x-kubernetes-patch-strategy",
    "x-kubernetes-unions",
}


class Unsupported(Exception):
    """The OpenAPI document holds something that this script would have to guess at."""


class Converter:
    def __init__(self, schemas):
        self.schemas = schemas

    def named(self, name, stack):
        """The structural schema of the component `name`, all references expanded."""
        if name in LEAVES:
            return LEAVES[name]
        if name in stack:
            raise Unsupported(f"{name} contains itself: {' > '.join(stack)}")
        if name not in self.schemas:
            raise Unsupported(f"the document has no schema {name}")
        out = self.convert(self.schemas[name], name, stack + (name,))
        if name in ATOMIC:
            out["x-kubernetes-map-type"] = "atomic"
        return out

    def convert(self, node, path, stack):
        reference = node.get("$ref")
        if reference is None and len(node.get("allOf", ())) == 1:
            reference = node["allOf"][0].get("$ref")
        unknown = set(node) - DROPPED - set(KEPT)
        if unknown or ("allOf" in node and reference is None):
            raise Unsupported(f"{path}: cannot convert {sorted(unknown) or 'allOf'}")
        if reference is not None:
            out = dict(self.named(reference.removeprefix(PREFIX), stack))
            # A field may say more about its type than the type does (an atomic struct).
            out.update({key: node[key] for key in KEPT if key in node})
        else:
            out = self.expand(node, path, stack)
        return out

    def expand(self, node, path, stack):
        out = {key: node[key] for key in KEPT if key in node}
        if "type" not in out:
            raise Unsupported(f"{path}: neither a type nor a reference")
        if "properties" in node:
            out["properties"] = {
                name: self.convert_property(name, child, node.get("required", ()), path, stack)
                for name, child in node["properties"].items()
            }
        if node.get("required"):
            out["required"] = sorted(node["required"])
        if "additionalProperties" in node:
            out["additionalProperties"] = self.convert(
                node["additionalProperties"], path + "{}", stack
            )
        if "items" in node:
            out["items"] = self.convert(node["items"], path + "[]", stack)
        return out

    def convert_property(self, name, node, required, path, stack):
        out = self.convert(node, f"{path}.{name}", stack)
        default = node.get("default")
        # The document gives {} to every struct and the zero value to every required field: that is
        # how Go prints them and no default of the API. An optional field has a default only where
        # the API has one.
        is_chosen = (
            default is not None
            and default != {}
            and (default not in ("", 0, False) or name not in required)
        )
        if is_chosen and f"{path}.{name}" not in NOT_DEFAULTED:
            out["default"] = default
        return out


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--openapi", metavar="FILE")
    source.add_argument("--kubeconfig", metavar="FILE")
    parser.add_argument("--kubectl", default="kubectl", metavar="PATH")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    try:
        document = read_document(arguments)
        schema = Converter(document["components"]["schemas"]).named(ROOT, ())
    except (OSError, KeyError, ValueError, Unsupported, subprocess.CalledProcessError) as error:
        sys.exit(f"error: no pod template schema: {error}")
    text = json.dumps(schema, sort_keys=True, separators=(",", ":")) + "\n"
    if not arguments.check:
        TARGET.write_text(text)
        print(f"{TARGET}: {len(text)} bytes")
    elif TARGET.read_text() != text:
        sys.exit(f"error: {TARGET} is not what the API server gives: run this without --check")
    else:
        print(f"{TARGET} is up to date")


def read_document(arguments):
    if arguments.openapi:
        return json.loads(pathlib.Path(arguments.openapi).read_text())
    command = [
        arguments.kubectl,
        "--kubeconfig",
        arguments.kubeconfig,
        "get",
        "--raw",
        "/openapi/v3/api/v1",
    ]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


if __name__ == "__main__":
    main()
