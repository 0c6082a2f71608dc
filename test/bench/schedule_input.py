#!/usr/bin/env python3
"""Writes objects for `sluice schedule` to stdout.

schedule_input.py json|yaml [WORKLOADS] [QUEUES] [ADMITTED]

Pending workloads (100,000 unless given) spread over ClusterQueues (100) of one flavor. With
ADMITTED the ClusterQueues are in one cohort, and so many admitted workloads use up all its quota.
The JSON is one List on one line, the YAML a stream of documents as kubectl prints them, but with
every text in quotes.
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


def resource_group(quota):
    quotas = [
        {"name": "cpu", "nominalQuota": f"{quota}"},
        {"name": "memory", "nominalQuota": f"{quota}Gi"},
    ]
    return {
        "coveredResources": ["cpu", "memory"],
        "flavors": [{"name": "f", "resources": quotas}],
    }


def admitted_status(queue):
    assignment = {
        "name": "main",
        "count": 2,
        "flavors": {"cpu": "f", "memory": "f"},
        "resourceUsage": {"cpu": "2", "memory": "2Gi"},
    }
    conditions = [
        {
            "type": condition,
            "status": "True",
            "reason": condition,
            "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
        for condition in ("QuotaReserved", "Admitted")
    ]
    admission = {"clusterQueue": queue, "podSetAssignments": [assignment]}
    return {"admission": admission, "conditions": conditions}


def objects(workloads, queues, admitted):
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}
    yield own("ResourceFlavor", {"name": "f"}, {})
    for i in range(queues):
        spec = {"namespaceSelector": {}, "resourceGroups": [resource_group(100)]}
        if admitted:
            held = len(range(i, admitted, queues))
            spec = {
                "namespaceSelector": {},
                "cohortName": "c",
                "resourceGroups": [resource_group(2 * held)],
            }
        yield own("ClusterQueue", {"name": f"cq{i}"}, spec)
        metadata = {"name": f"lq{i}", "namespace": "ns"}
        yield own("LocalQueue", metadata, {"clusterQueue": f"cq{i}"})
    for i in range(admitted + workloads):
        metadata = {
            "name": f"w{i}",
            "namespace": "ns",
            "uid": f"u{i}",
            "creationTimestamp": "2026-01-01T00:00:00Z",
        }
        pod_sets = [{"name": "main", "count": 2, "template": TEMPLATE}]
        spec = {"queueName": f"lq{i % queues}", "priority": i % 7, "podSets": pod_sets}
        made = own("Workload", metadata, spec)
        if i < admitted:
            made["status"] = admitted_status(f"cq{i % queues}")
        yield made


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
    admitted = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    if style == "json":
        items = list(objects(workloads, queues, admitted))
        json.dump({"apiVersion": "v1", "kind": "List", "items": items}, sys.stdout)
        return
    for item in objects(workloads, queues, admitted):
        sys.stdout.write("---\n" + "\n".join(block(item, "")) + "\n")


if __name__ == "__main__":
    main()
