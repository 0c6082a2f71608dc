"""Plays the kubelets of a control plane that has none: fake nodes, and pods that run and end on
them.

Pods that kube-scheduler has bound to a fake node become Running at once. A pod whose command is
[sleep, N] succeeds after N seconds, any other runs until a test ends it. Annotations say otherwise:

    fake-kubelet/run-seconds: "5"   ends after that time, whatever its command
    fake-kubelet/exit-code: "1"     ends as Failed

A pod that is deleted on a real node waits for its kubelet to confirm; here that is done at once.
"""

import heapq
import http.client
import itertools
import queue
import sys
import threading
import time
from datetime import datetime, timezone

from api_client import JSON_PATCH, STRATEGIC_PATCH, ApiError

RUN_SECONDS = "fake-kubelet/run-seconds"
EXIT_CODE = "fake-kubelet/exit-code"
HOSTNAME = "kubernetes.io/hostname"
# Seconds after which a request that got no answer is made again.
RETRY = 0.2
LOOK_AGAIN = "LOOK_AGAIN"


def make_node(name, labels=None, taints=(), resources=None):
    """A Node object with room for `resources`, a mapping such as {"cpu": "8", "nvidia.com/gpu":
    "8"}.
    """
    room = {"cpu": "64", "memory": "256Gi", "pods": "500"} | (resources or {})
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {HOSTNAME: name, "kubernetes.io/os": "linux"} | (labels or {}),
        },
        "spec": {"taints": list(taints)},
        "status": {
            "capacity": room,
            "allocatable": room,
            "conditions": [
                {
                    "type": "Ready",
                    "status": "True",
                    "reason": "FakeKubelet",
                    "lastHeartbeatTime": now(),
                }
            ],
        },
    }


def now():
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def pod_path(pod):
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods/{pod['metadata']['name']}"


def register_node(api, node):
    """Creates the node as usable. Admission taints each new node as not ready, and nothing here
    would take that off.
    """
    api.create("/api/v1/nodes", node)
    path = f"/api/v1/nodes/{node['metadata']['name']}"
    api.patch(
        path, [{"op": "add", "path": "/spec/taints", "value": node["spec"]["taints"]}], JSON_PATCH
    )


def container_statuses(pod, state, running):
    return [
        {
            "name": container["name"],
            "image": container["image"],
            "imageID": "",
            "ready": running,
            "started": running,
            "restartCount": 0,
            "state": state,
        }
        for container in pod["spec"]["containers"]
    ]


def conditions(kinds, status):
    return [{"type": kind, "status": status, "lastTransitionTime": now()} for kind in kinds]


def patch_status(api, pod, status):
    return api.patch(pod_path(pod) + "/status", {"status": status}, STRATEGIC_PATCH)


def set_pod_running(api, pod):
    started = now()
    status = {
        "phase": "Running",
        "startTime": started,
        "containerStatuses": container_statuses(pod, {"running": {"startedAt": started}}, True),
        "conditions": conditions(("Initialized", "Ready", "ContainersReady"), "True"),
    }
    return patch_status(api, pod, status)


def set_pod_ended(api, pod, exit_code=0):
    """Succeeded or Failed, with every container terminated with `exit_code`."""
    ended = now()
    terminated = {
        "exitCode": exit_code,
        "reason": "Error" if exit_code else "Completed",
        "startedAt": pod.get("status", {}).get("startTime", ended),
        "finishedAt": ended,
    }
    state = {"running": None, "terminated": terminated}
    status = {
        "phase": "Failed" if exit_code else "Succeeded",
        "containerStatuses": container_statuses(pod, state, False),
        "conditions": conditions(("Ready", "ContainersReady"), "False"),
    }
    return patch_status(api, pod, status)


class FakeKubelet:
    """Registers `nodes` and plays the pods on them in its own threads, from start() to stop()."""

    def __init__(self, api, nodes):
        self.api, self.nodes = api, nodes
        self.names = {node["metadata"]["name"] for node in nodes}
        self.changes = queue.Queue()
        self.due = []  # heap of (time, tie breaker, uid, pod)
        self.counter = itertools.count()
        self.seen = set()  # uids of pods that were set running
        self.failure = None
        self.watch = None
        self.threads = []

    def start(self):
        for node in self.nodes:
            register_node(self.api, node)
        pods = self.api.get("/api/v1/pods")
        for pod in pods["items"]:
            self.changes.put(("ADDED", pod))
        self.watch = self.api.watch("/api/v1/pods", pods["metadata"]["resourceVersion"])
        for function in (self.read_changes, self.play):
            thread = threading.Thread(
                target=function, name=f"fake-kubelet-{function.__name__}", daemon=True
            )
            thread.start()
            self.threads.append(thread)

    def stop(self):
        if self.watch:
            self.watch.stop()
        for thread in self.threads:
            thread.join()
        if self.failure:
            raise self.failure

    def read_changes(self):
        try:
            for change in self.watch:
                self.changes.put(change)
        except Exception as error:
            # Kept for stop(): a test whose pods stand still should hear why.
            print(f"fake kubelet: {error}", file=sys.stderr)
            self.failure = error
        finally:
            self.changes.put(None)

    def play(self):
        while True:
            wait = max(0.0, self.due[0][0] - time.monotonic()) if self.due else None
            try:
                change = self.changes.get(timeout=wait)
            except queue.Empty:
                self.end_due()
                continue
            if change is None:
                return
            try:
                self.on_change(*change)
            except ApiError as error:
                # The pod went away or changed meanwhile: its next event says what to do.
                if error.code not in (404, 409, 422):
                    print(f"fake kubelet: {error}", file=sys.stderr)
            except (http.client.HTTPException, OSError) as error:
                # It is not known whether it was done: the pod as it is now says what to do.
                print(f"fake kubelet: {error}, again", file=sys.stderr)
                self.seen.discard(change[1]["metadata"]["uid"])
                self.changes.put((LOOK_AGAIN, change[1]))
                time.sleep(RETRY)

    def on_change(self, kind, pod):
        uid = pod["metadata"]["uid"]
        if kind == LOOK_AGAIN:
            pod = self.api.find(pod_path(pod))
            if pod is None or pod["metadata"]["uid"] != uid:
                return
        if kind == "DELETED":
            self.seen.discard(uid)
            return
        if pod["spec"].get("nodeName") not in self.names:
            return
        if "deletionTimestamp" in pod["metadata"]:
            if pod["status"].get("phase") not in ("Succeeded", "Failed"):
                # As the kubelet does: the end is in the status before the object goes, or the Job
                # controller would wait for it.
                set_pod_ended(self.api, pod, exit_code=143)
            self.api.delete(pod_path(pod), gracePeriodSeconds=0, preconditions={"uid": uid})
            return
        if pod["status"].get("phase") != "Pending" or uid in self.seen:
            return
        self.seen.add(uid)
        set_pod_running(self.api, pod)
        seconds = self.run_seconds(pod)
        if seconds is not None:
            heapq.heappush(self.due, (time.monotonic() + float(seconds), next(self.counter), pod))

    def run_seconds(self, pod):
        annotated = pod["metadata"].get("annotations", {}).get(RUN_SECONDS)
        if annotated is not None:
            return annotated
        command = pod["spec"]["containers"][0].get("command", [])
        return command[1] if command[:1] == ["sleep"] and len(command) == 2 else None

    def end_due(self):
        while self.due and self.due[0][0] <= time.monotonic():
            pod = heapq.heappop(self.due)[-1]
            if pod["metadata"]["uid"] not in self.seen:
                continue
            try:
                set_pod_ended(
                    self.api, pod, int(pod["metadata"].get("annotations", {}).get(EXIT_CODE, "0"))
                )
            except ApiError as error:
                if error.code != 404:
                    print(f"fake kubelet: {error}", file=sys.stderr)
            except (http.client.HTTPException, OSError) as error:
                print(f"fake kubelet: {error}, again", file=sys.stderr)
                heapq.heappush(self.due, (time.monotonic() + RETRY, next(self.counter), pod))
