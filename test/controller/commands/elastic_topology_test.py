"""Elastic jobs on the nodes of a topology, on a cluster whose time the test moves:
elastic_topology_test.py SLUICE"""

import collections
import os
import pathlib
import sys
import tempfile
import unittest

from stepped import Stepped

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
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": "3"}}}
    metadata = {
        "annotations": {
            "sluice.dev/run-seconds": "3600",
            "kueue.x-k8s.io/podset-unconstrained-topology": "true",
        }
    }
    template = {"metadata": metadata, "spec": {"restartPolicy": "Never", "containers": [container]}}
    return {
        "metadata": {
            "name": "j",
            "labels": {"kueue.x-k8s.io/queue-name": "jobs"},
            "annotations": {"kueue.x-k8s.io/elastic-job": "true"},
        },
        "spec": {"parallelism": pods, "completions": 100, "template": template},
    }


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

    def test_a_job_that_shrinks_keeps_its_hosts_and_grows_again_on_them(self):
        # As in Kueue: the Workload keeps its assignment.
        self.cluster.ask("POST", JOBS, elastic_job(8))
        self.cluster.step("10s")
        self.grow_to(4)
        before = self.running()
        self.assertEqual(sum(len(names) for names in before.values()), 4)
        self.grow_to(8)
        after = self.running()
        self.assertEqual(sorted(len(names) for names in after.values()), [2, 2, 2, 2])
        for node, names in before.items():
            self.assertLessEqual(names, after[node])


if __name__ == "__main__":
    unittest.main()
