#!/usr/bin/env python3
"""Makes open_api.json, the schemas of the built-in kinds that the embedded API server knows.

A running kube-apiserver publishes them, a document a group version. This script keeps their
components without descriptions, and a list of the kinds with resource, scope and subresources,
which it reads from the paths.

    generate.py --kubectl PATH --kubeconfig FILE            asks a running API server
    generate.py --kubectl PATH --kubeconfig FILE --check    writes nothing, compares with the file
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

TARGET = pathlib.Path(__file__).resolve().parent / "open_api.json"
GROUP_VERSIONS = (
    "api/v1",
    "apis/admissionregistration.k8s.io/v1",
    "apis/apiextensions.k8s.io/v1",
    "apis/apiregistration.k8s.io/v1",
    "apis/apps/v1",
    "apis/authentication.k8s.io/v1",
    "apis/authorization.k8s.io/v1",
    "apis/autoscaling/v1",
    "apis/autoscaling/v2",
    "apis/batch/v1",
    "apis/certificates.k8s.io/v1",
    "apis/coordination.k8s.io/v1",
    "apis/discovery.k8s.io/v1",
    "apis/events.k8s.io/v1",
    "apis/flowcontrol.apiserver.k8s.io/v1",
    "apis/networking.k8s.io/v1",
    "apis/node.k8s.io/v1",
    "apis/policy/v1",
    "apis/rbac.authorization.k8s.io/v1",
    "apis/resource.k8s.io/v1",
    "apis/scheduling.k8s.io/v1",
    "apis/storage.k8s.io/v1",
)
RESOURCE = re.compile(
    r"/(?P<namespaced>namespaces/\{namespace\}/)?(?P<plural>[a-z]+)(/\{name\}/.+)?"
)
DROPPED = {"description", "x-kubernetes-unions"}
# Types that stand in most kinds by the options of requests rather than by what is stored.
OPTIONS = re.compile(r"\.meta\.v1\.(WatchEvent|APIResource.*)$")


def bare(node):
    """The schema without what no program reads."""
    if isinstance(node, list):
        return [bare(item) for item in node]
    if not isinstance(node, dict):
        return node
    out = {}
    for key, value in node.items():
        if key == "properties":
            out[key] = {name: bare(child) for name, child in value.items()}
        elif key == "default":
            out[key] = value
        elif key == "x-kubernetes-group-version-kind" and len(value) > 1:
            continue  # an options type, which is of every group
        elif key not in DROPPED:
            out[key] = bare(value)
    return out


def kinds_of(document, root):
    """The kinds of one document by their plural names."""
    found = {}
    for path, methods in document["paths"].items():
        if "/watch/" in path or not path.startswith(f"/{root}/"):
            continue
        rest = path[len(root) + 1 :]
        create = methods.get("post", {})
        kind = create.get("x-kubernetes-group-version-kind")
        match = RESOURCE.fullmatch(rest)
        if match is None or match.group(3) or kind is None:
            continue
        entry = found.setdefault(match["plural"], {**kind, "namespaced": False})
        entry["namespaced"] |= match["namespaced"] is not None
    for path in document["paths"]:
        match = re.fullmatch(r".*/([a-z]+)/\{name\}/([a-z]+)", path)
        if match and match[1] in found and "/watch/" not in path:
            subresources = found[match[1]].setdefault("subresources", [])
            if match[2] not in subresources:
                subresources.append(match[2])
    return [
        {**entry, "plural": plural, "subresources": sorted(entry.get("subresources", ()))}
        for plural, entry in sorted(found.items())
    ]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kubeconfig", metavar="FILE", required=True)
    parser.add_argument("--kubectl", default="kubectl", metavar="PATH")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    components = {}
    kinds = []
    try:
        for root in GROUP_VERSIONS:
            command = [arguments.kubectl, "--kubeconfig", arguments.kubeconfig]
            command += ["get", "--raw", f"/openapi/v3/{root}"]
            document = json.loads(
                subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
            )
            components.update(document["components"]["schemas"])
            kinds += kinds_of(document, root)
    except (OSError, KeyError, ValueError, subprocess.CalledProcessError) as error:
        sys.exit(f"error: no schemas of the built-in kinds: {error}")
    write(components, kinds, arguments.check)


def write(components, kinds, is_check):
    lines = [
        f"{json.dumps(name)}:{json.dumps(bare(schema), sort_keys=True, separators=(',', ':'))}"
        for name, schema in sorted(components.items())
        if not OPTIONS.search(name)
    ]
    rows = [json.dumps(kind, sort_keys=True, separators=(",", ":")) for kind in kinds]
    text = '{"kinds":[\n' + ",\n".join(rows) + '\n],"components":{\n' + ",\n".join(lines) + "\n}}\n"
    if not is_check:
        TARGET.write_text(text)
        print(f"{TARGET}: {len(text)} bytes, {len(kinds)} kinds")
    elif TARGET.read_text() != text:
        sys.exit(f"error: {TARGET} is not what the API server gives: run this without --check")
    else:
        print(f"{TARGET} is up to date")


if __name__ == "__main__":
    main()
