"""Elastic jobs on the nodes of a topology, on a cluster whose time the test moves:
elastic_topology_test.py SLUICE"""

import collections
import os
import pathlib
import sys
import tempfile
import unittest

from stepped import Stepped, job

SLUICE = os.path.abspath(sys.argv.pop(1))
JOBS = "/apis/batch/v1/namespaces/default/jobs"
PODS = "/api/v1/namespaces/default/pods"
WORKLOADS = "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/workloads"
HOST = "kubernetes.io/hostname"
MERGE = "application/merge-patch+json"
CONFIG = """apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
featureGates: {ElasticJobsViaWorkloadSlices: true, ElasticJobsViaWorkloadSlicesWithTAS: true}
"""
OBJECTS = """apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: hosts}
spec: {levels: [{nodeLabel: kubernetes.io/hostname}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
spec: {nodeLabels: {pool: a}, topologyName: hosts}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: f, resources: [{name: cpu, nominalQuota: 1000}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: jobs, namespace: default}
spec: {clusterQueue: q}
"""


def elastic_job(pods):
    made = job("j", 3600, cpu=3, parallelism=pods, completions=100)
    made["metadata"]["annotations"] = {"kueue.x-k8s.io/elastic-job": "true"}
    asks = {"kueue.x-k8s.io/podset-unconstrained-topology": "true"}
    made["spec"]["template"]["metadata"]["annotations"].update(asks)
    return made


def hosts_of(assignment):
    hosts = {}
    for part in assignment["slices"]:
        (values,) = part["valuesPerLevel"]
        counts = part["podCounts"]
        for i in range(part["domainCount"]):
            individual = values.get("individual", {})
            name = values.get("universal") or (
                individual.get("prefix", "") + individual["roots"][i] + individual.get("suffix", "")
            )
            count = counts["universal"] if "universal" in counts else counts["individual"][i]
            hosts[name] = count
    return hosts


class ElasticTopology(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        config = pathlib.Path(folder.name, "config.yaml")
        config.write_text(CONFIG)
        nodes = "node: 4x cpu=8,label:pool=a"
        self.cluster = Stepped(
            SLUICE, folder.name, "--config", config, "--nodes", nodes, objects=OBJECTS
        )
        self.addCleanup(self.cluster.close)

    def running(self):
        """The names of the job's pods by the nodes that they run on."""
        found = collections.defaultdict(set)
        for pod in self.cluster.ask("GET", PODS)["items"]:
            if pod["status"].get("phase") == "Running":
                self.assertEqual(pod["spec"]["nodeName"], pod["spec"]["nodeSelector"][HOST])
                found[pod["spec"]["nodeName"]].add(pod["metadata"]["name"])
        return dict(found)

    def grow_to(self, pods):
        self.cluster.ask("PATCH", f"{JOBS}/j", {"spec": {"parallelism": pods}}, MERGE)
        self.cluster.step("20s")

    def test_pods_that_run_stay_and_new_ones_get_hosts(self):
        self.cluster.ask("POST", JOBS, elastic_job(3))
        self.cluster.step("10s")
        before = self.running()
        self.assertEqual(sorted(len(names) for names in before.values()), [1, 2])
        self.grow_to(6)
        after = self.running()
        self.assertEqual(sum(len(names) for names in after.values()), 6)
        self.assertLessEqual(max(len(names) for names in after.values()), 2)
        for node, names in before.items():
            self.assertLessEqual(names, after[node])

    def test_a_job_that_outgrows_its_nodes_waits_with_what_it_has(self):
        self.cluster.ask("POST", JOBS, elastic_job(7))
        self.cluster.step("10s")
        self.grow_to(9)
        self.assertEqual(sum(len(names) for names in self.running().values()), 7)
        self.grow_to(8)
        self.assertEqual(sorted(len(names) for names in self.running().values()), [2, 2, 2, 2])

    def assigned(self):
        """The number of pods of each host in the assignment of the slice that holds quota."""
        for workload in self.cluster.ask("GET", WORKLOADS)["items"]:
            status = workload.get("status", {})
            types = {c["type"] for c in status.get("conditions", []) if c["status"] == "True"}
            if "QuotaReserved" in types and "Finished" not in types:
                (pod_set,) = status["admission"]["podSetAssignments"]
                return hosts_of(pod_set["topologyAssignment"])
        return {}

    def check_places(self):
        places = {node: len(names) for node, names in self.running().items()}
        self.assertEqual(self.assigned(), places)

    def test_a_job_that_shrinks_gives_its_hosts_to_others(self):
        self.cluster.ask("POST", JOBS, elastic_job(8))
        self.cluster.step("10s")
        self.grow_to(4)
        self.check_places()
        self.cluster.step("5m")
        events = self.cluster.ask("GET", "/apis/events.k8s.io/v1/events")["items"]
        warned = {e["reason"] for e in events if e["regarding"]["kind"] == "Workload"}
        self.assertFalse(warned & {"TopologyAssignmentFaulty", "PodsExceedNodes"})
        other = elastic_job(4)
        other["metadata"]["name"] = "other"
        self.cluster.ask("POST", JOBS, other)
        self.cluster.step("20s")
        self.assertEqual(sorted(len(names) for names in self.running().values()), [2, 2, 2, 2])

    def test_a_job_that_shrinks_and_grows_has_its_places_where_its_pods_are(self):
        self.cluster.ask("POST", JOBS, elastic_job(8))
        self.cluster.step("10s")
        for pods in (4, 6, 3, 7, 2, 8, 1, 5):
            with self.subTest(pods):
                before = self.running()
                self.grow_to(pods)
                after = self.running()
                self.assertEqual(sum(len(names) for names in after.values()), pods)
                kept = sum(len(names & after.get(node, set())) for node, names in before.items())
                self.assertEqual(kept, min(pods, sum(len(n) for n in before.values())))
                self.check_places()

    def test_a_node_that_a_shrunk_job_has_left_may_go(self):
        self.cluster.ask("POST", JOBS, elastic_job(8))
        self.cluster.step("10s")
        self.grow_to(2)
        before = self.running()
        gone = next(name for name in (f"node-{i}" for i in range(1, 5)) if name not in before)
        self.cluster.ask("DELETE", f"/api/v1/nodes/{gone}")
        self.cluster.step("1m")
        self.assertEqual(self.running(), before)

    def test_a_job_on_a_cordoned_node_grows_elsewhere(self):
        self.cluster.ask("POST", JOBS, elastic_job(4))
        self.cluster.step("10s")
        before = self.running()
        cordoned = min(before)
        self.cluster.ask(
            "PATCH", f"/api/v1/nodes/{cordoned}", {"spec": {"unschedulable": True}}, MERGE
        )
        self.grow_to(6)
        after = self.running()
        self.assertEqual(sum(len(names) for names in after.values()), 6)
        self.assertEqual(after[cordoned], before[cordoned])
        self.check_places()


if __name__ == "__main__":
    unittest.main()
