#!/usr/bin/env python3
"""Shows which queued Jobs run, wait or are done, and why.

kubectl get jobs,workloads,localqueues,clusterqueues -A -o json | examples/show_jobs.py

Without the queues it does not say why one of them is inactive.
"""

import json
import sys

QUEUE = "kueue.x-k8s.io/queue-name"


def condition(item, kind):
    for entry in item.get("status", {}).get("conditions", []):
        if entry["type"] == kind:
            return entry
    return {}


def holds(item, kind):
    return condition(item, kind).get("status") == "True"


def obstacle(workload, queues):
    """What its ClusterQueue lacks, as that one's condition Active says, or ""."""
    place = workload["metadata"]["namespace"], workload.get("spec", {}).get("queueName", "")
    local_queue = queues.get(("LocalQueue", *place), {"spec": {}})
    name = local_queue["spec"].get("clusterQueue", "")
    active = condition(queues.get(("ClusterQueue", "", name), {}), "Active")
    if active.get("status") != "False":
        return ""
    return f"{name} is not Active: {active.get('reason', '')}: {active.get('message', '')}"


def describe(job, workload, queues):
    """(state, reason) of a Job as its Workload tells it."""
    if workload is None:
        return "new", "no Workload yet"
    if holds(workload, "Finished"):
        return "finished", condition(workload, "Finished").get("reason", "")
    if holds(workload, "Admitted"):
        sets = workload["status"]["admission"]["podSetAssignments"]
        flavors = sorted({flavor for each in sets for flavor in each.get("flavors", {}).values()})
        queue = workload["status"]["admission"]["clusterQueue"]
        state = "running" if job.get("status", {}).get("ready") else "starting"
        on_flavors = f" on {', '.join(flavors)}" if flavors else ""
        return state, f"admitted by {queue}{on_flavors}"
    waiting = condition(workload, "QuotaReserved")
    reason = waiting.get("reason", "not considered yet")
    why = f"{reason}: {waiting.get('message', '')}".rstrip(": ")
    if holds(workload, "Preempted"):
        why = f"preempted ({condition(workload, 'Preempted')['reason']}); {why}"
    if inactive := obstacle(workload, queues):
        why += f" ({inactive})"
    return "waiting", why


def main():
    items = json.load(sys.stdin)["items"]
    owned = {
        reference["uid"]: item
        for item in items
        if item["kind"] == "Workload"
        for reference in item["metadata"].get("ownerReferences", [])
    }
    queues = {
        (item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"]): item
        for item in items
        if item["kind"] in ("LocalQueue", "ClusterQueue")
    }
    rows = [("JOB", "STATE", "WHY")]
    for item in items:
        metadata = item["metadata"]
        if item["kind"] == "Job" and QUEUE in metadata.get("labels", {}):
            name = f"{metadata['namespace']}/{metadata['name']}"
            rows.append((name, *describe(item, owned.get(metadata["uid"]), queues)))
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    for name, state, why in rows:
        print(f"  {name:<{widths[0]}}  {state:<{widths[1]}}  {why}")


if __name__ == "__main__":
    main()
