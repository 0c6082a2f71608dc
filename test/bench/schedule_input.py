#!/usr/bin/env python3
"""Writes objects for `sluice schedule` to stdout: schedule_input.py json|yaml [WORKLOADS] [QUEUES].

Pending workloads (100,000 unless given) spread over ClusterQueues (100) of one flavor. The JSON is
one List on one line, the YAML a stream of documents as kubectl prints them, but with every text
in quotes.
"""

import json
import sys

TEMPLATE = {
    "spec": {
        "restartPolicy": "Never",
        "containers": [
            {
                "name": "c",
                "image": "busybox",
                "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
            }
        ],
    }
}


def own(kind, metadata, spec):
    return {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": kind,
        "metadata": metadata,
        "spec": spec,
    }


def objects(workloads, queues):
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}
    yield own("ResourceFlavor", {"name": "f"}, {})
    quotas = [
        {"name": "cpu", "nominalQuota": "100"},
        {"name": "memory", "nominalQuota": "100Gi"},
    ]
    group = {
        "coveredResources": ["cpu", "memory"],
        "flavors": [{"name": "f", "resources": quotas}],
    }
    for i in range(queues):
        spec = {"namespaceSelector": {}, "resourceGroups": [group]}
        yield own("ClusterQueue", {"name": f"cq{i}"}, spec)
        metadata = {"name": f"lq{i}", "namespace": "ns"}
        yield own("LocalQueue", metadata, {"clusterQueue": f"cq{i}"})
    for i in range(workloads):
        metadata = {
            "name": f"w{i}",
            "namespace": "ns",
            "uid": f"u{i}",
            "creationTimestamp": "2026-01-01T00:00:00Z",
        }
        pod_sets = [{"name": "main", "count": 2, "template": TEMPLATE}]
        spec = {"queueName": f"lq{i % queues}", "priority": i % 7, "podSets": pod_sets}
        yield own("Workload", metadata, spec)


def block(value, margin):
    """The lines of a map or list in block style."""
    if isinstance(value, dict):
        for key, member in value.items():
            if member and isinstance(member, (dict, list)):
                yield f"{margin}{key}:"
                yield from block(member, margin + "  ")
            else:
                yield f"{margin}{key}: {json.dumps(member)}"
        return
    for item in value:
        if not isinstance(item, dict):
            yield f"{margin}- {json.dumps(item)}"
            continue
        lines = list(block(item, margin + "  "))
        yield f"{margin}- {lines[0].strip()}"
        yield from lines[1:]


def main():
    style = sys.argv[1] if len(sys.argv) > 1 else ""
    if style not in ("json", "yaml"):
        sys.exit(__doc__)
    workloads = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    queues = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    if style == "json":
        items = list(objects(workloads, queues))
        json.dump({"apiVersion": "v1", "kind": "List", "items": items}, sys.stdout)
        return
    for item in objects(workloads, queues):
        sys.stdout.write("---\n" + "\n".join(block(item, "")) + "\n")


if __name__ == "__main__":
    main()
