#!/usr/bin/env python3
"""Jobs a second through a real API server, against that server's own floor.

Each run has an API server of its own, without a controller manager: api_load plays users and the
job controller. First the writes of a run are recorded, by the audit log. Then runs of Sluice
alternate with the floor: a bare loop that sends the same writes, with nothing to decide on.

    cmake --preset release && cmake --build --preset release --target sluice api_load
    test/bench/throughput.py --jobs 5000 --queues 30 --rounds 3
    test/bench/throughput.py --held --jobs 10000 --queues 30 --rounds 1

With --held the queues are stopped: each Job gets a Workload that waits, and a run ends when all
have.
"""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test/control-plane"))
sys.path.insert(0, str(ROOT / "test/e2e"))

from control_plane import ControlPlane, free_ports  # noqa: E402

from controller_process import Controller  # noqa: E402
from objects import cluster_queue, flavor, local_queue, namespace  # noqa: E402

SPACE = "load"
ACCOUNT = ("kueue-system", "sluice-controller-manager")
CONNECTIONS = 32
TICKS = os.sysconf("SC_CLK_TCK")
RECORDED = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [
        {"level": "None", "resources": [{"group": "coordination.k8s.io"}]},
        {"level": "Request", "verbs": ["create", "patch", "update", "delete"]},
        {"level": "None"},
    ],
}


def load_program(arguments, plane, binary):
    command = [binary, f"--kubeconfig={plane.kubeconfig}", f"--connections={CONNECTIONS}"]
    result = subprocess.run([*command, *arguments], capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(result.stderr)
    return float(result.stdout)


def install(plane, queues, held):
    plane.kubectl("apply", "-f", ROOT / "examples/deploy/rbac.yaml")
    plane.kubectl("apply", "-f", ROOT / "crds")
    time.sleep(2)
    quota = {"on-demand": {"nominalQuota": "1000000"}}
    items = [namespace(SPACE), flavor("on-demand")]
    for number in range(queues):
        name = f"queue-{number}"
        queue = cluster_queue(name, quota)
        queue["spec"]["stopPolicy"] = "Hold" if held else "None"
        group = queue["spec"]["resourceGroups"][0]
        group["coveredResources"].append("memory")
        group["flavors"][0]["resources"].append({"name": "memory", "nominalQuota": "1000000Gi"})
        items += [queue, local_queue(name, SPACE, name)]
    listed = {"apiVersion": "v1", "kind": "List", "items": items}
    plane.kubectl("apply", "-f", "-", stdin=json.dumps(listed))


class Server:
    """A control plane that stores and answers, with the queues."""

    def __init__(self, directory, options, audit=None):
        self.plane = ControlPlane(
            directory,
            prepare=lambda: install(self.plane, options.queues, options.held),
            audit_policy=audit,
        )

    def __enter__(self):
        self.plane.start()
        # It would make pods, which no one runs here.
        manager = self.plane.component("kube-controller-manager")
        manager.stop()
        self.plane.components.remove(manager)
        return self.plane

    def __exit__(self, *_):
        self.plane.stop()


class Measured(Controller):
    """The controller without limits on its requests, and what it took of the machine."""

    def used(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        fields = status.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def megabytes(self, field):
        """VmRSS: now; VmHWM: at most until now."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(each for each in status.splitlines() if each.startswith(field))
        return int(line.split()[1]) / 1024

    def writes(self):
        return sum(
            self.metric("rest_client_requests_total", method=method)
            for method in ("POST", "PUT", "PATCH", "DELETE")
        )


@contextlib.contextmanager
def profiled(controller, path):
    """`perf record` of the controller during the block; none without a path."""
    perf = None
    if path:
        what = ["--call-graph", "dwarf,16384", "-F", "199", "-p", str(controller.process.pid)]
        perf = subprocess.Popen(["perf", "record", "-q", "-o", path, *what])
    try:
        yield
    finally:
        if perf:
            perf.send_signal(signal.SIGINT)
            perf.wait()


def run_sluice(directory, options, audit=None):
    with Server(directory, options, audit) as plane:
        plane.kubectl(
            "create", "clusterrolebinding", "reads-metrics",
            "--clusterrole=sluice-metrics-reader", f"--serviceaccount={':'.join(ACCOUNT)}",
        )  # fmt: skip
        kubeconfig = plane.service_account_kubeconfig(*ACCOUNT, directory / "sluice.kubeconfig")
        controller = Measured(options.binary, kubeconfig, directory)
        controller.configuration = {"clientConnection": {"qps": -1, "burst": 1}}
        try:
            controller.start()
            time.sleep(2)
            writes, used = controller.writes(), controller.used()
            idle = controller.megabytes("VmRSS")
            what = "hold" if options.held else "drive"
            drive = [what, f"--jobs={options.jobs}", f"--queues={options.queues}"]
            with profiled(controller, options.perf if audit is None else None):
                seconds = load_program(drive, plane, options.load)
            # The last status of the queues.
            time.sleep(3)
            return {
                "seconds": seconds,
                "writes": (controller.writes() - writes) / options.jobs,
                "cpu_ms": 1000 * (controller.used() - used) / options.jobs,
                "idle_mb": idle,
                "job_kb": 1024 * (controller.megabytes("VmRSS") - idle) / options.jobs,
                "peak_mb": controller.megabytes("VmHWM"),
            }, read_writes(plane.audit_log) if audit else None
        finally:
            controller.kill()


def strip(value):
    """Without what only fits the objects of the recorded run."""
    metadata = value.get("metadata", {})
    for field in ("resourceVersion", "uid"):
        metadata.pop(field, None)
    labels = value.get("spec", {}).get("template", {}).get("metadata", {}).get("labels", {})
    for label in ("controller-uid", "batch.kubernetes.io/controller-uid"):
        labels.pop(label, None)
    return value


def field_manager(event):
    """Of a server-side apply; other patches name none."""
    query = urllib.parse.parse_qs(urllib.parse.urlparse(event["requestURI"]).query)
    return query["fieldManager"][0] if event["verb"] == "patch" and "force" in query else ""


def read_writes(log):
    """Sequences of writes: one a Job, with what belongs to it, and one for each other object."""
    sequences, owners = collections.defaultdict(list), {}
    events = sorted(
        (json.loads(line) for line in pathlib.Path(log).read_text().splitlines()),
        key=lambda each: each["requestReceivedTimestamp"],
    )
    for event in events:
        target, body = event["objectRef"], event.get("requestObject")
        of_run = target.get("namespace") == SPACE or target["resource"] == "clusterqueues"
        if not of_run or body is None or not 200 <= event["responseStatus"]["code"] < 300:
            continue
        if event["verb"] == "create" and target["resource"] in (
            "configmaps",
            "localqueues",
            "serviceaccounts",
        ):
            continue
        plural, name = target["resource"], target.get("name") or body["metadata"]["name"]
        if plural == "workloads" and event["verb"] == "create":
            owners["workloads", name] = ("jobs", body["metadata"]["ownerReferences"][0]["name"])
        if plural == "events" and event["verb"] == "create":
            regarding = body["regarding"]
            about = (regarding["kind"].lower() + "s", regarding["name"])
            owners["events", name] = owners.get(about, about)
        if event["verb"] not in ("create", "patch"):
            raise SystemExit(f"cannot repeat: {event['verb']} {plural}")
        if "clusterqueues" == plural and not target.get("subresource"):
            continue  # those of the setup
        sequences[owners.get((plural, name), (plural, name))].append({
            "verb": event["verb"],
            "group": target.get("apiGroup", ""),
            "version": target["apiVersion"],
            "plural": plural,
            "namespace": target.get("namespace", ""),
            "name": "" if event["verb"] == "create" else name,
            "subresource": target.get("subresource", ""),
            "fieldManager": field_manager(event),
            "body": json.dumps(strip(body)),
        })  # fmt: skip
    return list(sequences.values())


def run_floor(directory, options, writes):
    with Server(directory, options) as plane:
        path = directory / "writes"
        path.write_text("".join(json.dumps(each) + "\n" for each in writes))
        return load_program(["replay", f"--writes={path}"], plane, options.load)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=5000)
    parser.add_argument("--queues", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--held", action="store_true", help="the queues are stopped")
    parser.add_argument("--perf", help="file for `perf report`: where Sluice's time goes")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    options = parser.parse_args()
    options.binary = options.build / "controller/sluice"
    options.load = options.build / "test/bench/api_load"
    directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-throughput-"))
    try:
        recorded, writes = run_sluice(directory / "record", options, RECORDED)
        kinds = collections.Counter(
            "/".join(filter(None, (f"{each['verb']} {each['plural']}", each["subresource"])))
            for sequence in writes
            for each in sequence
        )
        for kind, count in kinds.most_common():
            print(f"{count / options.jobs:8.3f} a Job  {kind}")
        ratios = []
        for number in range(options.rounds):
            floor = run_floor(directory / f"floor-{number}", options, writes)
            ours, _ = run_sluice(directory / f"sluice-{number}", options)
            ratios.append(ours["seconds"] / floor)
            print(
                f"floor {floor:.1f} s, Sluice {ours['seconds']:.1f} s ({ratios[-1]:.2f}), "
                f"{options.jobs / ours['seconds']:.0f} Jobs a second, "
                f"{ours['writes']:.2f} writes and {ours['cpu_ms']:.2f} ms a Job, "
                f"peak {ours['peak_mb']:.1f} MB (without Jobs {ours['idle_mb']:.1f}, "
                f"in the end {ours['job_kb']:.1f} KiB a Job)",
                flush=True,
            )
        if ratios:
            print(f"median of the ratios: {statistics.median(ratios):.2f}")
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
