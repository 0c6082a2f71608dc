#!/usr/bin/env python3
"""Shows which queued jobs run, wait or are done, and why.

kubectl get jobs,workloads,localqueues,clusterqueues -A -o json | examples/show_jobs.py

Without the queues it does not say why one of them is inactive.
"""

import json
import sys
import textwrap

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


def usage(assignments):
    """": 4 cpu, 16 nvidia.com/gpu": what the pod sets use, memory left out, or ""."""
    amounts = {}
    for each in assignments:
        for resource, amount in each.get("resourceUsage", {}).items():
            if resource != "memory":
                amounts.setdefault(resource, []).append(amount)
    parts = []
    for resource, found in sorted(amounts.items()):
        whole = all(amount.isdigit() for amount in found)
        total = str(sum(map(int, found))) if whole else "+".join(found)
        parts.append(f"{total} {resource}")
    return f": {', '.join(parts)}" if parts else ""


def describe(job, workload, queues):
    """(state, reason) of a job as its Workload tells it; `job` is None where its kind does not say
    how many of its pods run."""
    if workload is None:
        return "new", "no Workload yet"
    if holds(workload, "Finished"):
        return "finished", condition(workload, "Finished").get("reason", "")
    if holds(workload, "Admitted"):
        sets = workload["status"]["admission"]["podSetAssignments"]
        flavors = sorted({flavor for each in sets for flavor in each.get("flavors", {}).values()})
        queue = workload["status"]["admission"]["clusterQueue"]
        state = "admitted"
        if job is not None:
            state = "running" if job.get("status", {}).get("ready") else "starting"
        on_flavors = f" on {', '.join(flavors)}" if flavors else ""
        return state, f"admitted by {queue}{on_flavors}{usage(sets)}"
    waiting = condition(workload, "QuotaReserved")
    reason = waiting.get("reason", "not considered yet")
    why = f"{reason}: {waiting.get('message', '')}".rstrip(": ")
    if holds(workload, "Preempted"):
        why = f"preempted ({condition(workload, 'Preempted')['reason']}); {why}"
    if inactive := obstacle(workload, queues):
        why += f" ({inactive})"
    return "waiting", why


def name_of(workload):
    """Of the job that a Workload stands for; a group of pods has the name of its Workload."""
    owners = workload["metadata"].get("ownerReferences", [])
    if any(each.get("kind") != "Pod" for each in owners):
        owners = [each for each in owners if each.get("kind") != "Pod"]
    name = owners[0].get("name") if len(owners) == 1 else None
    return f"{workload['metadata']['namespace']}/{name or workload['metadata']['name']}"


def job_rows(items):
    """(job, state, why) of all queued jobs, by name."""
    jobs = {
        item["metadata"]["uid"]: item
        for item in items
        if item["kind"] == "Job" and QUEUE in item["metadata"].get("labels", {})
    }
    queues = {
        (item["kind"], item["metadata"].get("namespace", ""), item["metadata"]["name"]): item
        for item in items
        if item["kind"] in ("LocalQueue", "ClusterQueue")
    }
    rows = []
    for workload in (item for item in items if item["kind"] == "Workload"):
        owners = workload["metadata"].get("ownerReferences", [])
        job = next((jobs.pop(each["uid"]) for each in owners if each["uid"] in jobs), None)
        if job is not None:
            name = f"{job['metadata']['namespace']}/{job['metadata']['name']}"
        else:
            name = name_of(workload)
        rows.append((name, *describe(job, workload, queues)))
    for job in jobs.values():
        name = f"{job['metadata']['namespace']}/{job['metadata']['name']}"
        rows.append((name, *describe(job, None, queues)))
    return sorted(rows)


def queue_rows(items):
    """(queue, flavor, resource, used, quota, borrowed, admitted, waiting) of each ClusterQueue."""
    rows = []
    for queue in (item for item in items if item["kind"] == "ClusterQueue"):
        status = queue.get("status", {})
        counts = str(status.get("admittedWorkloads", 0)), str(status.get("pendingWorkloads", 0))
        quotas = {
            (flavor["name"], resource["name"]): str(resource["nominalQuota"])
            for group in queue.get("spec", {}).get("resourceGroups", [])
            for flavor in group["flavors"]
            for resource in flavor["resources"]
        }
        for flavor in status.get("flavorsUsage", []):
            for resource in flavor["resources"]:
                key = flavor["name"], resource["name"]
                numbers = str(resource.get("total", 0)), quotas.get(key, "")
                borrowed = str(resource.get("borrowed", 0))
                rows.append((queue["metadata"]["name"], *key, *numbers, borrowed, *counts))
    return sorted(rows)


def table(heads, rows, width=0):
    """The lines of a table in columns; the last one is broken where lines are longer than `width`,
    if there is one."""
    rows = [heads, *rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads) - 1)]
    begin = sum(widths) + 2 * len(widths) + 2
    lines = []
    for row in rows:
        left = [f"{cell:<{cell_width}}" for cell, cell_width in zip(row, widths)]
        parts = textwrap.wrap(row[-1], width - begin) if width > begin + 20 else [row[-1]]
        lines.append("  " + "  ".join([*left, *parts[:1]]))
        lines += [" " * begin + part for part in parts[1:]]
    return lines


JOB_HEADS = "JOB", "STATE", "WHY"
QUEUE_HEADS = "QUEUE", "FLAVOR", "RESOURCE", "USED", "QUOTA", "BORROWED", "ADMITTED", "WAITING"


def main():
    print("\n".join(table(JOB_HEADS, job_rows(json.load(sys.stdin)["items"]))))


if __name__ == "__main__":
    main()
