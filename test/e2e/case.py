"""The base of the end-to-end tests: one shared cluster, one running controller, names of its own
for
each test, and the invariants checked over the whole history after each."""

import atexit
import itertools
import unittest

from control_plane import ControlPlaneError

from cluster import Cluster
from history import NotSeen
from invariants import condition, find_violations, is_true, owner_of
from objects import cluster_queue, flavor, job, local_queue, namespace

# A change takes milliseconds; the deadline is for a machine that also compiles.
SOON = 30.0
# Workloads of a deleted Job are removed by kube-controller-manager's garbage collector. Each change
# of a definition ends its watches, and the more of them it has seen the later it begins anew: after
# up to a minute.
GONE = 90.0
# How long "nothing happens" is watched.
QUIET = 1.5

FLAVORS = (
    flavor("on-demand", {"tier": "on-demand"}),
    flavor(
        "spot",
        {"tier": "spot"},
        [{"key": "spot", "operator": "Exists", "effect": "NoSchedule"}],
    ),
)

shared = {}
numbers = itertools.count(1)


def shared_cluster():
    """The cluster of this process, with a running controller; started by the first test."""
    if not shared:
        cluster = Cluster()
        atexit.register(cluster.stop)
        cluster.start()
        controller = cluster.add_controller()
        controller.start()
        cluster.apply(*FLAVORS)
        shared.update(cluster=cluster, controller=controller)
    return shared["cluster"], shared["controller"]


def fresh_violations(history):
    """What was broken since the last call, of all that has happened until now."""
    history.catch_up()
    violations = find_violations(history.in_order())
    known, shared["violations"] = shared.get("violations", 0), len(violations)
    return violations[known:]


class ClusterCase(unittest.TestCase):
    """Offers `self.cluster` and `self.controller`, and sentences about the Jobs of `self.space`."""

    def setUp(self):
        self.cluster, self.controller = shared_cluster()
        self.history = self.cluster.history
        self.name = f"t{next(numbers)}"
        self.space = self.name
        self.queues = []
        self.ensure_controller()
        self.cluster.apply(namespace(self.space))

    def ensure_controller(self):
        """The controller runs, with all of its parts."""
        if not self.controller.is_running() or self.controller.arguments:
            self.controller.kill()
            self.controller.arguments = []
            self.controller.start()

    def tearDown(self):
        failed = bool(getattr(self._outcome, "result", None)) and any(
            test is self for test, _ in self._outcome.result.failures + self._outcome.result.errors
        )
        if failed:
            print(self.picture())
        try:
            self.controller.check()
        finally:
            try:
                self.ensure_controller()
                self.clean_up()
            finally:
                fresh = fresh_violations(self.history)
        self.assertEqual(fresh, [], "invariants broken during this test")

    # --- making things ---

    def make_queue(self, cpu, suffix="", flavors=("on-demand",), **spec):
        """A ClusterQueue and a LocalQueue of one name, told apart by `suffix`; returns it."""
        name = self.name + suffix
        self.cluster.apply(
            cluster_queue(name, cpu, flavors, **spec), local_queue(name, self.space, name)
        )
        self.queues.append(name)
        return name

    def patch_queue(self, name, **spec):
        self.cluster.api.patch(self.cluster.path_of("clusterqueues", name), {"spec": spec})

    def submit(self, name, queue, **options):
        self.cluster.apply(job(name, self.space, queue, **options))
        return name

    def delete_job(self, name):
        self.cluster.api.delete(self.job_path(name), propagationPolicy="Background")

    def job_path(self, name):
        return f"/apis/batch/v1/namespaces/{self.space}/jobs/{name}"

    def end(self, name, exit_code=0):
        self.cluster.end_job(self.space, name, exit_code)

    # --- looking ---

    def job(self, name):
        return self.history.get("jobs", self.space, name)

    def workload(self, name):
        """The Workload of the Job `name`, or None."""
        found = self.job(name)
        if found is None:
            return None
        owned = [
            each
            for each in self.history.all("workloads", self.space)
            if owner_of(each) == found["metadata"]["uid"]
        ]
        return owned[0] if owned else None

    def has(self, name, kind, status="True", reason=None):
        """Whether the Workload of the Job has the condition."""
        found = condition(self.workload(name) or {}, kind)
        return found.get("status") == status and reason in (None, found.get("reason"))

    def is_pending(self, name):
        found = self.workload(name)
        return (
            found is not None
            and not is_true(found, "QuotaReserved")
            and (self.job(name) or {"spec": {}})["spec"].get("suspend", False)
        )

    def is_running(self, name, pods=1):
        running = self.cluster.running_pods_of(self.space, name)
        # The record of Jobs may be later than the pods.
        job = self.job(name)
        is_started = job is not None and not job["spec"].get("suspend", False)
        return self.has(name, "Admitted") and is_started and len(running) == pods

    # --- waiting ---

    def wait(self, condition, what, seconds=SOON):
        return self.history.wait_until(condition, seconds, what)

    def wait_for(self, name, kind, status="True", reason=None):
        what = f"Workload of {name} has {kind}={status}" + (f" ({reason})" if reason else "")
        self.wait(lambda: self.has(name, kind, status, reason), what)
        return condition(self.workload(name), kind)

    def wait_pending(self, name):
        self.wait(lambda: self.is_pending(name), f"{name} has a Workload that waits")

    def wait_running(self, name, pods=1):
        self.wait(lambda: self.is_running(name, pods), f"{pods} pods of {name} run")

    def wait_quiet(self, condition, what):
        self.history.holds_for(condition, QUIET, what)

    def wait_queue(self, name, **counters):
        """Waits until the ClusterQueue's status shows these counters."""

        def shows():
            status = (self.history.get("clusterqueues", "", name) or {}).get("status", {})
            return all(status.get(key) == value for key, value in counters.items())

        self.wait(shows, f"ClusterQueue {name} shows {counters}")

    def wait_usage(self, name, cpu):
        """Waits until the ClusterQueue's status says that so many CPUs are reserved, in all
        flavors.
        """

        def reserved():
            status = (self.history.get("clusterqueues", "", name) or {}).get("status", {})
            return sum(
                int(resource.get("total", "0"))
                for each in status.get("flavorsReservation", [])
                for resource in each["resources"]
            )

        self.wait(lambda: reserved() == cpu, f"ClusterQueue {name} has {cpu} CPUs reserved")

    # --- the end ---

    def clean_up(self):
        """Deletes what the test made. All of it must go: a Workload that stays would hold quota."""
        api = self.cluster.api
        for item in self.history.all("jobs", self.space):
            self.delete_job(item["metadata"]["name"])
        self.wait(lambda: not self.history.all("jobs", self.space), "all Jobs are gone")
        self.wait(
            lambda: not self.history.all("workloads", self.space), "all Workloads are gone", GONE
        )
        for name in self.queues:
            api.delete(self.cluster.path_of("localqueues", name, self.space))
            api.delete(self.cluster.path_of("clusterqueues", name))
        self.wait(
            lambda: not any(self.history.get("clusterqueues", "", name) for name in self.queues),
            "the ClusterQueues are gone",
        )
        api.delete(f"/api/v1/namespaces/{self.space}")

    def picture(self):
        """What the reader of a failure needs first."""
        lines = [f"--- {self.id()} failed; the controller's log ends:", self.controller.tail()]
        try:
            for kinds in ("clusterqueues", "localqueues,jobs,workloads,pods"):
                what = ["get", kinds, "--namespace", self.space, "-o", "wide"]
                lines.append(self.cluster.plane.kubectl(*what))
        except (ControlPlaneError, NotSeen) as error:
            lines.append(str(error))
        return "\n".join(lines)
