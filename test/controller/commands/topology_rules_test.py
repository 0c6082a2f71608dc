"""Gangs in topologies, on a cluster whose time the test moves: topology_rules_test.py SLUICE"""

import collections
import os
import sys
import unittest

from topology_cluster import (
    CLIQUE,
    GPU,
    HOST,
    JOBS,
    MERGE,
    NODES,
    OBJECTS,
    PODS,
    RACK,
    REQUEST,
    TopologyTest,
    assigned_hosts,
    clique,
    gang,
)

TopologyTest.sluice = os.path.abspath(sys.argv.pop(1))
# The simulated cluster is slow: in a build without optimization 1,000 pods take half a minute.
MANY_PODS = int(os.environ.get("SLUICE_TEST_PODS", "1000"))
ENFORCED = OBJECTS.replace(
    "metadata: {name: gpus}",
    "metadata: {name: gpus, annotations: {sluice.dev/capacity: Enforce}}",
).replace("topologyName: racks, ", "")


def in_clique(job, name):
    job["spec"]["template"]["spec"]["nodeSelector"] = {CLIQUE: name}
    return job


def stray_pod(host, gpus):
    """A pod without queue on that host."""
    spec = gang("any", 1, gpus)["spec"]["template"]["spec"] | {"nodeName": host}
    return {"metadata": {"name": "stray"}, "spec": spec}


class Cliques(TopologyTest):
    def flattened(self, name):
        """The host for each rank, by the assignment."""
        return [host for host, count in assigned_hosts(self.workload(name)) for _ in range(count)]

    def test_a_gang_waits_until_one_clique_has_room_for_all_of_it(self):
        cluster = self.start(clique("c1", 8), clique("c2", 8))
        self.submit(in_clique(gang("taker", 1, 8, seconds=600), "c1"))
        cluster.ask("POST", PODS, stray_pod("c2-3", 4))
        self.submit(gang("train", 16, 4))
        self.assertFalse(self.runs("train"))
        self.assertEqual(
            self.waiting_for("train"),
            'topology "racks" allows to fit only 15 out of 16 pod(s). Total nodes: 16; excluded: '
            'resource "nvidia.com/gpu": 1',
        )
        self.assertEqual((self.pods_of("train"), self.used_gpus()), ([], (8, 8)))
        cluster.ask("DELETE", f"{PODS}/stray")
        cluster.step("1m")
        self.assertTrue(self.runs("train"))
        hosts = self.hosts_of("train")
        self.assertEqual(hosts, [f"c2-{1 + rank // 2}" for rank in range(16)])
        self.assertEqual(hosts, self.flattened("train"))
        self.check_room()

    def test_of_two_cliques_each_takes_one_gang_and_the_third_gang_waits(self):
        cluster = self.start(clique("c1", 8, "r1"), clique("c2", 8, "r2"))
        self.submit(gang("one", 16, 4, seconds=300), gang("two", 16, 4))
        self.submit(gang("three", 16, 4))
        cliques = {name: {host[:2] for host in self.hosts_of(name)} for name in ("one", "two")}
        self.assertEqual(sorted(map(sorted, cliques.values())), [["c1"], ["c2"]])
        self.assertEqual((self.runs("three"), self.pods_of("three")), (False, []))
        self.assertEqual(
            self.waiting_for("three"),
            'topology "racks" doesn\'t allow to fit any of 16 pod(s). Total nodes: 16; excluded: '
            'resource "nvidia.com/gpu": 16',
        )
        cluster.step("6m")
        self.assertTrue(self.runs("three"))
        self.assertEqual({host[:2] for host in self.hosts_of("three")}, cliques["one"])
        self.check_room()

    def test_ranks_follow_the_assignment_where_hosts_differ(self):
        # In the order of names, c1-10 and c1-11 come before c1-2.
        self.start(clique("c1", 11))
        for name, host, gpus in (("a", "c1-2", 4), ("b", "c1-5", 6), ("c", "c1-10", 8)):
            taker = gang(name, 1, gpus)
            taker["spec"]["template"]["spec"]["nodeSelector"] = {HOST: host}
            self.submit(taker)
        self.submit(gang("train", 33, 2))
        hosts = self.hosts_of("train")
        self.assertEqual(hosts, self.flattened("train"))
        self.assertEqual(len(hosts), 33)
        self.assertEqual(list(dict.fromkeys(hosts)), sorted(set(hosts)))
        self.assertNotIn("c1-10", hosts)
        self.check_room()

    def test_a_level_above_holds_a_gang_that_no_clique_could(self):
        self.start(clique("c1", 2, "r1"), clique("c2", 2, "r2"), clique("c3", 2, "r2"))
        self.submit(gang("wide", 4, 8))
        self.assertEqual(
            self.waiting_for("wide"), 'topology "racks" allows to fit only 2 out of 4 pod(s)'
        )
        self.submit(gang("rack", 4, 8, level=RACK))
        self.assertEqual(self.hosts_of("rack"), ["c2-1", "c2-2", "c3-1", "c3-2"])

    def test_each_slice_stays_on_one_host(self):
        self.start(clique("c1", 3))
        taker = gang("taker", 1, 5)
        taker["spec"]["template"]["spec"]["nodeSelector"] = {HOST: "c1-2"}
        slices = {f"{REQUEST}slice-required-topology": HOST, f"{REQUEST}slice-size": "2"}
        self.submit(taker)
        self.submit(gang("train", 8, 2, annotations=slices))
        self.assertEqual(self.hosts_of("train"), ["c1-1"] * 4 + ["c1-3"] * 4)
        self.submit(gang("more", 2, 2, annotations=slices))
        self.assertEqual(
            self.waiting_for("more"),
            'topology "racks" doesn\'t allow to fit any of 1 slice(s). Total nodes: 3; excluded: '
            'resource "nvidia.com/gpu": 2',
        )
        self.check_room()

    def test_indexes_beyond_the_pods_of_a_gang_take_the_places_of_those_that_ended(self):
        cluster = self.start(clique("c1", 2))
        self.submit(gang("long", 4, 4, seconds=60, completions=10))
        self.submit(gang("waits", 1, 4))
        for _ in range(3):
            self.assertEqual(set(self.hosts_of("long")), {"c1-1", "c1-2"})
            self.assertEqual((self.runs("waits"), self.used_gpus()), (False, (16, 16)))
            self.check_room()
            cluster.step("50s")
        cluster.step("5m")
        self.assertEqual(self.condition("long", "Finished")[:2], ("True", "Succeeded"))
        self.assertTrue(self.runs("waits"))

    def check_gang_holds_nothing(self, message):
        """A gang of 8 GPUs while 6 are free, then 2, then 8."""
        cluster = self.cluster
        self.submit(gang("taker", 1, 2, level=None, seconds=100))
        self.submit(gang("eight", 8, 1, level=self.level))
        self.assertEqual(self.waiting_for("eight"), message % 6)
        self.assertEqual((self.pods_of("eight"), self.used_gpus()), ([], (2, 2)))
        self.assertNotIn("admission", self.workload("eight")["status"])
        self.submit(gang("six", 6, 1, level=self.level, seconds=300))
        self.assertEqual(len(self.hosts_of("six")), 6)
        self.assertEqual(self.used_gpus(), (8, 8))
        cluster.step("2m")  # the taker ends
        self.assertEqual(self.waiting_for("eight"), message % 2)
        self.assertEqual((self.pods_of("eight"), self.used_gpus()), ([], (6, 6)))
        cluster.step("5m")
        self.assertTrue(self.runs("eight"))
        phases = [pod["status"]["phase"] for pod in self.pods_of("eight")]
        self.assertEqual((phases, self.used_gpus()), (["Running"] * 8, (8, 8)))
        self.check_room()

    def test_a_gang_of_eight_holds_none_of_six_free_gpus_in_a_topology(self):
        self.level = CLIQUE
        self.start(clique("c1", 1))
        self.check_gang_holds_nothing('topology "racks" allows to fit only %d out of 8 pod(s)')

    def test_a_gang_of_eight_holds_none_of_six_free_gpus_of_an_enforced_flavor(self):
        self.level = None
        self.start(clique("c1", 1), objects=ENFORCED)
        self.check_gang_holds_nothing(
            "needs 8 x 1 nvidia.com/gpu on one node each; nodes of flavor gpus have room for %d"
        )


class Changes(TopologyTest):
    def set_gpus(self, host, gpus):
        amounts = {"status": {"allocatable": {GPU: str(gpus)}, "capacity": {GPU: str(gpus)}}}
        self.cluster.ask("PATCH", f"{NODES}/{host}/status", amounts, MERGE)

    def test_a_host_that_shrinks_under_a_gang_evicts_nothing_and_gets_nothing(self):
        cluster = self.start(clique("c1", 1))
        self.submit(gang("runs", 3, 2, seconds=3600))
        for gpus in (4, 0, 6, 7):
            with self.subTest(gpus):
                self.set_gpus("c1-1", gpus)
                self.submit(gang(f"next-{gpus}", 1, 2), step="2m")
                self.assertEqual(self.hosts_of("runs"), ["c1-1"] * 3)
                self.assertEqual(self.condition("runs", "Evicted"), None)
                self.assertFalse(self.runs(f"next-{gpus}"))
                self.assertEqual(
                    self.waiting_for(f"next-{gpus}"),
                    'topology "racks" doesn\'t allow to fit any of 1 pod(s). Total nodes: 1; '
                    'excluded: resource "nvidia.com/gpu": 1',
                )
                self.assertEqual(self.used_gpus(), (6, 6))
        self.set_gpus("c1-1", 4)
        cluster.step("2h")
        self.assertTrue(self.runs("next-4") and self.runs("next-0"))
        self.check_room()

    def start_full_gang(self):
        self.start(clique("c1", 2), clique("c2", 2))
        self.submit(gang("train", 4, 4, backoffLimit=50), gang("other", 4, 4))
        self.submit(gang("waits", 1, 4))
        self.hosts = self.hosts_of("train")
        self.assertEqual(self.hosts, sorted(self.hosts))
        self.assertEqual(len(set(self.hosts)), 2)

    def check_as_before(self):
        self.assertEqual(self.hosts_of("train"), self.hosts)
        self.assertEqual({pod["status"]["phase"] for pod in self.pods_of("train")}, {"Running"})
        self.assertEqual((self.runs("waits"), self.used_gpus()), (False, (32, 32)))
        self.check_room()

    def test_a_pod_that_replaces_a_deleted_one_gets_its_host(self):
        self.start_full_gang()
        for rank in (2, 0):
            pod = self.pods_of("train")[rank]["metadata"]["name"]
            self.cluster.ask("DELETE", f"{PODS}/{pod}")
            self.cluster.step("5s")
            self.check_room()
            self.cluster.step("5m")
            self.assertNotEqual(self.pods_of("train")[rank]["metadata"]["name"], pod)
            self.check_as_before()

    def test_a_pod_that_replaces_a_failed_one_gets_its_host(self):
        self.start_full_gang()
        pod = self.pods_of("train")[3]["metadata"]["name"]
        status = {"status": {"phase": "Failed", "reason": "Broken"}}
        self.cluster.ask("PATCH", f"{PODS}/{pod}/status", status, MERGE)
        self.cluster.step("5m")
        self.check_as_before()

    def test_pods_that_replace_all_of_a_gang_get_their_hosts_by_rank(self):
        self.start_full_gang()
        for pod in self.pods_of("train"):
            self.cluster.ask("DELETE", f"{PODS}/{pod['metadata']['name']}")
        self.cluster.step("10m")
        self.check_as_before()

    def test_room_of_a_pod_that_cannot_end_goes_to_its_replacement(self):
        self.start_full_gang()
        pod = self.pods_of("train")[1]["metadata"]
        kept = {"metadata": {"finalizers": [*pod.get("finalizers", []), "example.com/stuck"]}}
        self.cluster.ask("PATCH", f"{PODS}/{pod['name']}", kept, MERGE)
        self.cluster.ask("DELETE", f"{PODS}/{pod['name']}")
        self.cluster.step("5m")
        self.check_as_before()

    def test_a_job_that_is_deleted_gives_its_room_to_the_next(self):
        self.start_full_gang()
        self.cluster.ask("DELETE", f"{JOBS}/train?propagationPolicy=Background")
        self.cluster.step("1m")
        self.assertTrue(self.runs("waits"))
        self.assertEqual(self.used_gpus(), (20, 20))
        self.check_room()


class ManyPods(TopologyTest):
    def test_all_pods_of_a_large_gang_start_and_none_is_too_many_for_its_host(self):
        hosts = -(-MANY_PODS // 80)
        cluster = self.start(*(clique(f"c{i}", hosts, f"r{i % 2}") for i in range(10)))
        preferred = {"kueue.x-k8s.io/podset-preferred-topology": RACK}
        self.submit(gang("large", MANY_PODS, 1, level=None, annotations=preferred))
        cluster.step("30s")
        pods = self.pods_of("large")
        self.assertEqual(len(pods), MANY_PODS)
        self.assertFalse([pod for pod in pods if "schedulingGates" in pod["spec"]])
        self.assertEqual({pod["status"]["phase"] for pod in pods}, {"Running"})
        by_host = collections.Counter(pod["spec"]["nodeName"] for pod in pods)
        self.assertEqual(dict(assigned_hosts(self.workload("large"))), by_host)
        self.assertEqual(self.used_gpus(), (MANY_PODS, MANY_PODS))
        self.check_room()


if __name__ == "__main__":
    unittest.main()
