"""A checker that cannot fail proves nothing: each rule of invariants.py against a history that
breaks it.
"""

import copy
import unittest

from history import Change
from invariants import find_violations, parse_quantity
from writes import WriteRequest, find_foreign_writes, holders


def queue(name, cpu, cohort=None, **limits):
    resource = {"name": "cpu", "nominalQuota": cpu} | limits
    groups = [{"coveredResources": ["cpu"], "flavors": [{"name": "f", "resources": [resource]}]}]
    spec = {"resourceGroups": groups} | ({"cohortName": cohort} if cohort else {})
    return {"metadata": {"name": name}, "spec": spec}


def workload(
    name, cluster_queue=None, cpu="0", owner=None, count=1, reserved="10:00", **conditions
):
    states = {"QuotaReserved": cluster_queue is not None, "Admitted": cluster_queue is not None}
    item = {
        "metadata": {"namespace": "ns", "name": name, "uid": f"uid-{name}"},
        "spec": {},
        "status": {
            "conditions": [
                {"type": kind, "status": str(state), "lastTransitionTime": reserved}
                for kind, state in (states | conditions).items()
            ]
        },
    }
    if owner:
        item["metadata"]["ownerReferences"] = [{"uid": owner, "controller": True}]
    if cluster_queue:
        assigned = {
            "name": "main",
            "count": count,
            "flavors": {"cpu": "f"},
            "resourceUsage": {"cpu": cpu},
        }
        item["status"]["admission"] = {
            "clusterQueue": cluster_queue,
            "podSetAssignments": [assigned],
        }
    return item


def job(name, suspend, active=0):
    labels = {"kueue.x-k8s.io/queue-name": "q"}
    meta = {"namespace": "ns", "name": name, "uid": name, "labels": labels}
    return {"metadata": meta, "spec": {"suspend": suspend}, "status": {"active": active}}


def history(*steps):
    """Steps are (collection, object) or (collection, object, kind)."""
    seen, changes = set(), []
    for version, (collection, item, *kind) in enumerate(steps, 1):
        name = collection, item["metadata"]["name"]
        default = "MODIFIED" if name in seen else "ADDED"
        seen.add(name)
        changes.append(
            Change(version, collection, kind[0] if kind else default, copy.deepcopy(item))
        )
    return changes


class Quantities(unittest.TestCase):
    def test_are_read_as_kubernetes_writes_them(self):
        cases = {
            "1": 1,
            "100m": 0.1,
            "1k": 1000,
            "1Ki": 1024,
            "1.5Gi": 1.5 * 2**30,
            "2e3": 2000,
            "1E": 1e18,
        }
        for text, value in cases.items():
            with self.subTest(text):
                self.assertEqual(float(parse_quantity(text)), value)
        with self.assertRaises(ValueError):
            parse_quantity("1 Gi")


class Invariants(unittest.TestCase):
    def assert_found(self, expected, *steps):
        found = find_violations(history(*steps))
        self.assertTrue(any(expected in each for each in found), f"{expected!r} not in {found}")

    def assert_clean(self, *steps):
        self.assertEqual(find_violations(history(*steps)), [])

    def test_a_full_queue_is_no_violation(self):
        self.assert_clean(
            ("clusterqueues", queue("a", "4")),
            ("workloads", workload("w1", "a", "2")),
            ("workloads", workload("w2", "a", "2000m")),
        )

    def test_more_than_nominal_without_a_cohort_is_found(self):
        self.assert_found(
            "quota exceeded: ClusterQueue a uses 5",
            ("clusterqueues", queue("a", "4")),
            ("workloads", workload("w1", "a", "2")),
            ("workloads", workload("w2", "a", "3")),
        )

    def test_a_moment_of_too_much_is_found_though_the_end_is_well(self):
        self.assert_found(
            "quota exceeded",
            ("clusterqueues", queue("a", "4")),
            ("workloads", workload("w1", "a", "3")),
            ("workloads", workload("w2", "a", "3")),
            ("workloads", workload("w1", "a", "3", Finished=True)),
        )

    def test_pods_that_have_ended_are_not_counted(self):
        half_done = workload("w1", "a", "4", count=2)
        half_done["status"]["reclaimablePods"] = [{"name": "main", "count": 1}]
        first = [("clusterqueues", queue("a", "4")), ("workloads", half_done)]
        self.assert_clean(*first, ("workloads", workload("w2", "a", "2")))
        self.assert_found(
            "quota exceeded: ClusterQueue a uses 5", *first, ("workloads", workload("w2", "a", "3"))
        )

    def test_a_finished_workload_is_not_counted(self):
        self.assert_clean(
            ("clusterqueues", queue("a", "4")),
            ("workloads", workload("w1", "a", "3")),
            ("workloads", workload("w1", "a", "3", Finished=True)),
            ("workloads", workload("w2", "a", "3")),
        )

    def test_borrowing_within_the_cohort_is_no_violation_and_beyond_it_is(self):
        members = ("clusterqueues", queue("a", "4", "c")), ("clusterqueues", queue("b", "4", "c"))
        self.assert_clean(*members, ("workloads", workload("w1", "a", "8")))
        over = ("workloads", workload("w1", "a", "6")), ("workloads", workload("w2", "b", "3"))
        self.assert_found("quota exceeded: in the cohort", *members, *over)

    def test_borrowing_and_lending_limits_are_kept(self):
        lender = "clusterqueues", queue("b", "4", "c", lendingLimit="1")
        limited = "clusterqueues", queue("a", "4", "c", borrowingLimit="2")
        taker = "clusterqueues", queue("a", "4", "c")
        self.assert_found("its limit is 6", lender, limited, ("workloads", workload("w", "a", "7")))
        self.assert_clean(lender, taker, ("workloads", workload("w", "a", "5")))
        self.assert_found("in the cohort", lender, taker, ("workloads", workload("w", "a", "6")))

    def test_a_changed_assignment_is_found(self):
        self.assert_found(
            "admitted twice",
            ("clusterqueues", queue("a", "4")),
            ("workloads", workload("w1", "a", "2", count=2)),
            ("workloads", workload("w1", "a", "1", count=1)),
        )

    def test_a_second_reservation_is_found(self):
        self.assert_found(
            "reserved again",
            ("clusterqueues", queue("a", "4")),
            ("workloads", workload("w1", "a", "2", reserved="10:00")),
            ("workloads", workload("w1", "a", "2", reserved="10:01")),
        )

    def test_two_workloads_of_one_job_are_found(self):
        self.assert_found(
            "of the same Job",
            ("clusterqueues", queue("a", "4")),
            ("workloads", workload("w1", "a", "1", owner="job")),
            ("workloads", workload("w2", "a", "1", owner="job")),
        )

    def test_a_job_started_without_admission_is_found(self):
        pending = "workloads", workload("w1", owner="j")
        self.assert_found(
            "started while", pending, ("jobs", job("j", True)), ("jobs", job("j", False))
        )
        self.assert_clean(
            ("clusterqueues", queue("a", "4")),
            ("jobs", job("j", True)),
            ("workloads", workload("w1", "a", "1", owner="j")),
            ("jobs", job("j", False)),
        )

    def test_quota_freed_under_a_running_job_is_found(self):
        running = (
            ("clusterqueues", queue("a", "4")),
            ("workloads", workload("w1", "a", "1", owner="j")),
            ("jobs", job("j", False, active=1)),
        )
        released = "workloads", workload("w1", owner="j")
        self.assert_found("not suspended", *running, released)
        self.assert_found("1 active pods", *running, ("jobs", job("j", True, active=1)), released)
        self.assert_clean(*running, ("jobs", job("j", True)), released)

    def test_a_workload_that_ends_under_a_running_job_is_found(self):
        held = workload("w1", "a", "1", owner="j")
        running = (
            ("clusterqueues", queue("a", "4")),
            ("workloads", held),
            ("jobs", job("j", False, active=1)),
        )
        gone = "workloads", held, "DELETED"
        finished = "workloads", workload("w1", "a", "1", owner="j", Finished=True)
        ended = job("j", False)
        ended["status"]["conditions"] = [{"type": "Complete", "status": "True"}]
        for end in (gone, finished):
            self.assert_found("not suspended", *running, end)
            self.assert_found("1 active pods", *running, ("jobs", job("j", True, active=1)), end)
            self.assert_clean(*running, ("jobs", job("j", True)), end)
            self.assert_clean(*running, ("jobs", ended), end)
            self.assert_clean(*running, ("jobs", job("j", False), "DELETED"), end)
        self.assert_clean(*running, ("jobs", ended), finished, gone)

    def test_a_queue_that_is_not_there_is_found(self):
        self.assert_found("does not exist", ("workloads", workload("w1", "a", "1")))


class Writes(unittest.TestCase):
    """Requests are (writer, resource) or (writer, "leases", holder, code)."""

    def requests(self, *steps):
        made = []
        for number, (writer, resource, *more) in enumerate(steps):
            holder = more[0] if more else None
            code = more[1] if len(more) > 1 else 200
            made.append(
                WriteRequest(f"{number}", writer, "patch", resource, "ns", "x", code, holder)
            )
        return made

    def test_of_the_leader_alone_are_no_violation(self):
        requests = self.requests(
            ("a", "leases", "A"), ("a", "workloads"), ("a", "leases", "A"), ("a", "jobs"),
            ("a", "leases", ""), ("b", "leases", "B"), ("b", "workloads"),
            ("a", "customresourcedefinitions"),
        )  # fmt: skip
        self.assertEqual(find_foreign_writes(requests), [])
        self.assertEqual(holders(requests), [("a", "A"), ("a", ""), ("b", "B")])

    def test_of_others_are_found(self):
        lost = ("b", "leases", "B", 409)
        rows = {
            "before any replica leads": [("a", "jobs"), ("a", "leases", "A")],
            "of the one that stands by": [("a", "leases", "A"), ("b", "workloads")],
            "of one that asked for the lease in vain": [("a", "leases", "A"), lost, ("b", "jobs")],
            "after the lease was given up": [
                ("a", "leases", "A"), ("a", "leases", ""), ("a", "workloads"),
            ],
            "after another has the lease": [
                ("a", "leases", "A"), ("b", "leases", "B"), ("a", "events"),
            ],
        }  # fmt: skip
        for what, steps in rows.items():
            with self.subTest(what):
                self.assertEqual(len(find_foreign_writes(self.requests(*steps))), 1)
