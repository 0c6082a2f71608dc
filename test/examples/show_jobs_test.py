#!/usr/bin/env python3
"""Proves that examples/show_jobs.py says of each Job whether it runs or waits, and why."""

import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHOW_JOBS = os.path.join(ROOT, "examples", "show_jobs.py")


def true(kind, reason="", message=""):
    return {"type": kind, "status": "True", "reason": reason, "message": message}


def false(kind, reason, message):
    return {"type": kind, "status": "False", "reason": reason, "message": message}


def job():
    labels = {"kueue.x-k8s.io/queue-name": "main"}
    metadata = {"namespace": "team", "name": "sample", "uid": "1", "labels": labels}
    return {"kind": "Job", "metadata": metadata, "status": {"ready": 1}}


def workload(*conditions, flavors=None):
    admission = {"clusterQueue": "cq", "podSetAssignments": [{"flavors": flavors or {}}]}
    return {
        "kind": "Workload",
        "metadata": {"namespace": "team", "name": "w", "ownerReferences": [{"uid": "1"}]},
        "spec": {"queueName": "main"},
        "status": {"conditions": list(conditions), "admission": admission},
    }


def queues(*conditions):
    local = {
        "kind": "LocalQueue",
        "metadata": {"namespace": "team", "name": "main"},
        "spec": {"clusterQueue": "cq"},
    }
    status = {"conditions": list(conditions)}
    return [local, {"kind": "ClusterQueue", "metadata": {"name": "cq"}, "status": status}]


WAITING = false("QuotaReserved", "Suspended", "ClusterQueue cq is inactive")
NO_FLAVOR = false("Active", "FlavorNotFound", "references missing ResourceFlavor(s): spot")

# (promise, items, what the line of the Job ends with)
ROWS = [
    ("a job without a workload is new", [job()], "new    no Workload yet"),
    (
        "a running job names its flavors once",
        [job(), workload(true("Admitted"), flavors={"cpu": "spot", "memory": "spot"})],
        "running  admitted by cq on spot",
    ),
    (
        "a job that asks for nothing runs on no flavor",
        [job(), workload(true("Admitted"))],
        "running  admitted by cq",
    ),
    (
        "a job that waits says why",
        [job(), workload(false("QuotaReserved", "WaitingForQuota", "no room")), *queues()],
        "waiting  WaitingForQuota: no room",
    ),
    (
        "a job that waits for an inactive queue says what that one lacks",
        [job(), workload(WAITING), *queues(NO_FLAVOR)],
        "waiting  Suspended: ClusterQueue cq is inactive (cq is not Active: FlavorNotFound: "
        "references missing ResourceFlavor(s): spot)",
    ),
    (
        "an active queue is not spoken of",
        [job(), workload(WAITING), *queues(true("Active", "Ready"))],
        "waiting  Suspended: ClusterQueue cq is inactive",
    ),
    (
        "without the queues the condition's message is all",
        [job(), workload(WAITING)],
        "waiting  Suspended: ClusterQueue cq is inactive",
    ),
    (
        "a job that runs is not said to wait for its queue",
        [job(), workload(true("Admitted")), *queues(NO_FLAVOR)],
        "running  admitted by cq",
    ),
]


def main():
    failed = 0
    for promise, items, wanted in ROWS:
        text = json.dumps({"items": items})
        done = subprocess.run(
            [sys.executable, SHOW_JOBS], input=text, capture_output=True, text=True
        )
        lines = done.stdout.splitlines()
        if done.returncode != 0 or len(lines) != 2 or lines[1] != f"  team/sample  {wanted}":
            print(f"{promise}\n--- wanted\n{wanted}\n--- got\n{done.stdout}{done.stderr}")
            failed += 1
    print(f"{len(ROWS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
