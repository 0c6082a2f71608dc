#!/usr/bin/env python3
"""The same Jobs on a real kube-controller-manager and on `sluice dev`, compared state by state.

    test/sim/compare_jobs.py [--binary SLUICE] [--case NAME ...] [--jobs N]

Both clusters get each case of job_cases.py in a namespace of its own. After each step the script
waits until nothing changes any more, and compares what is there then: the Job, its pods and the
events. A kubelet that does what the script says plays the pods of the real one; those of `sluice
dev` run until the script ends them. Prints each difference, then `N Jobs alike, N different`.
"""

import argparse
import concurrent.futures
import itertools
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "test/control-plane"))

from control_plane import ControlPlane, die_with_parent, wait_until  # noqa: E402
from fake_kubelet import FakeKubelet, make_node  # noqa: E402

from job_cases import CASES  # noqa: E402
from job_snapshot import differences, job_view, take_snapshot  # noqa: E402
from job_world import JobWorld  # noqa: E402
from random_jobs import random_cases  # noqa: E402
from token_client import connect  # noqa: E402

JOBS = "/apis/batch/v1/jobs"
# The Job controller gathers changes of pods for a second before it looks at them.
QUIET_SECONDS = 1.6
# A real one that has much to do is late.
PATIENCE_SECONDS = 8.0
LIMIT_SECONDS = 60.0
POLL_SECONDS = 0.4
STOP_SECONDS = "sluice.dev/stop-seconds"


class Observer(threading.Thread):
    """Lists Jobs, pods and events of a whole cluster again and again; one for all cases."""

    def __init__(self, api):
        super().__init__(daemon=True)
        self.api = api
        self.ended = threading.Event()
        self.changed = threading.Condition()
        self.seen = {}  # namespace: (since, objects)
        self.time = 0.0

    def run(self):
        while not self.ended.wait(POLL_SECONDS):
            started = time.monotonic()
            found = {}
            for part, path in (
                ("jobs", JOBS),
                ("pods", "/api/v1/pods"),
                ("events", "/api/v1/events"),
            ):
                for each in self.api.get(path)["items"]:
                    of = found.setdefault(each["metadata"]["namespace"], {})
                    of.setdefault(part, []).append(each)
            with self.changed:
                for namespace in found.keys() | self.seen.keys():
                    objects = found.get(namespace, {})
                    known = self.seen.get(namespace)
                    if known is None or known[1] != objects:
                        self.seen[namespace] = (started, objects)
                self.time = started
                self.changed.notify_all()

    def view(self, world):
        """What is there of a case, and for how long it has not changed."""
        with self.changed:
            since, objects = self.seen.get(world.namespace, (world.touched, {}))
            quiet = self.time - max(since, world.touched)
        return take_snapshot(objects, world.uid), quiet

    def wait(self):
        with self.changed:
            self.changed.wait(1.0)


class StateRecorder(threading.Thread):
    """Every status that Jobs have had, one after the other, by namespace."""

    def __init__(self, api):
        super().__init__(daemon=True)
        version = api.get(JOBS)["metadata"]["resourceVersion"]
        self.watch = api.watch(JOBS, version)
        self.states = {}

    def run(self):
        for kind, job in self.watch:
            states = self.states.setdefault(job["metadata"]["namespace"], [])
            state = "deleted" if kind == "DELETED" else job_view(job)["status"]
            if not states or states[-1] != state:
                states.append(state)


class SlowKubelet(FakeKubelet):
    """One that may take its time to stop a pod, as the simulated kubelets do."""

    def on_change(self, kind, pod):
        seconds = pod["metadata"].get("annotations", {}).get(STOP_SECONDS)
        if kind != "DELETED" and seconds and "deletionTimestamp" in pod["metadata"]:
            if pod["metadata"]["uid"] in self.stopping:
                return
            self.stopping.add(pod["metadata"]["uid"])
            stop = super().on_change
            timer = threading.Timer(float(seconds), lambda: stop(kind, pod))
            timer.daemon = True
            timer.start()
            return
        super().on_change(kind, pod)

    def __init__(self, api, nodes):
        super().__init__(api, nodes)
        self.stopping = set()


class DevCluster:
    """`sluice dev`, from start to stop."""

    def __init__(self, binary, directory):
        self.kubeconfig = directory / "dev.kubeconfig"
        self.log = (directory / "dev.log").open("wb")
        self.process = subprocess.Popen(
            [binary, "dev", "--quiet", "--write-kubeconfig", self.kubeconfig,
             "--nodes", "node: 2x cpu=64,memory=256Gi", "--run-seconds", "100000"],
            stdout=self.log, stderr=self.log, preexec_fn=die_with_parent,
        )  # fmt: skip
        wait_until(self.is_there, 30, "the kubeconfig of sluice dev")
        self.api = connect(self.kubeconfig)
        wait_until(lambda: self.api.get("/api/v1/nodes")["items"], 30, "nodes of sluice dev")

    def is_there(self):
        return self.kubeconfig.exists() and self.kubeconfig.read_text().endswith("}\n")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)
        self.log.close()


def settle(observers, worlds):
    """Snapshots of both once they are alike and still, or are different for long."""
    begun = time.monotonic()
    while True:
        (expected, one), (found, other) = [
            observer.view(world) for observer, world in zip(observers, worlds)
        ]
        quiet = min(one, other)
        is_alike = expected == found
        if quiet > (QUIET_SECONDS if is_alike else PATIENCE_SECONDS):
            return expected, found
        if time.monotonic() - begun > LIMIT_SECONDS:
            raise TimeoutError("there is no rest")
        observers[0].wait()


def play(case, observers):
    """Where the clusters differ after each step, with the first step that has it."""
    worlds = [
        JobWorld(observer.api, f"case-{case.name}", case, is_real)
        for observer, is_real in zip(observers, (True, False))
    ]
    first = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, step in enumerate(case.steps, 1):
            list(pool.map(step, worlds))
            for world in worlds:
                world.touched = time.monotonic()
            for line in differences(*settle(observers, worlds)):
                first.setdefault(line, number)
    return [f"step {number}: {line}" for line, number in first.items()]


def compare(case, observers):
    try:
        return play(case, observers)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


def compare_states(expected, found):
    """Where the rows of states part."""
    for number, (one, other) in enumerate(itertools.zip_longest(expected, found), 1):
        lines = list(differences(one, other))
        if lines:
            return [f"state {number}{line}" for line in lines]
    return []


def find_binary():
    built = list(ROOT.glob("build/*/controller/sluice"))
    return max(built, key=lambda path: path.stat().st_mtime) if built else None


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=pathlib.Path, default=find_binary())
    parser.add_argument("--case", action="append", help="only cases of this name")
    parser.add_argument(
        "--every-state",
        action="store_true",
        help="compare also what was there between the steps: alike only where the machine is idle",
    )
    parser.add_argument("--random", type=int, default=0, help="so many cases that are drawn")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    parser.add_argument("--jobs", type=int, default=12, help="cases at the same time")
    return parser.parse_args()


def main():
    options = parse_arguments()
    cases = random_cases(options.seed, options.random) if options.random else CASES
    cases = [case for case in cases if not options.case or case.name in options.case]
    if not options.binary or not cases:
        sys.exit("no sluice is built" if cases else "no case of that name")
    with tempfile.TemporaryDirectory(prefix="sluice-compare-") as folder:
        directory = pathlib.Path(folder)
        with ControlPlane(directory / "plane", scheduler=True) as plane:
            kubelet = SlowKubelet(plane.api, [make_node("node-1"), make_node("node-2")])
            kubelet.names |= {case.node for case in cases if case.node}
            kubelet.start()
            dev = DevCluster(options.binary, directory)
            observers = [Observer(plane.api), Observer(dev.api)]
            recorders = [StateRecorder(plane.api), StateRecorder(dev.api)]
            for each in observers + recorders:
                each.start()
            with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                found = list(pool.map(lambda case: compare(case, observers), cases))
            for observer in observers:
                observer.ended.set()
                observer.join()
            for recorder in recorders:
                recorder.watch.stop()
                recorder.join()
            dev.stop()
            kubelet.stop()
    if options.every_state:
        for case, lines in zip(cases, found):
            lines += compare_states(*(each.states.get(f"case-{case.name}") for each in recorders))
    for case, lines in zip(cases, found):
        print(f"{'alike' if not lines else 'DIFFERENT'}: {case.name}")
        for line in [case.story, *lines] if lines and case.story else lines:
            print(f"    {line}")
    different = sum(1 for lines in found if lines)
    print(f"{len(cases) - different} Jobs alike, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
