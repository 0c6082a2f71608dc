"""Flavors with `sluice.dev/capacity: Enforce`, on a cluster whose time the test moves:
enforced_capacity_test.py SLUICE"""

import os
import sys
import tempfile
import unittest

from stepped import Stepped

SLUICE = os.path.abspath(sys.argv.pop(1))
GPU = "nvidia.com/gpu"
WORKLOADS = "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/workloads"
QUEUES = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues"
FLAVORS = "/apis/kueue.x-k8s.io/v1beta2/resourceflavors"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
PODS = "/api/v1/namespaces/default/pods"
NODES = "/api/v1/nodes"
MERGE = "application/merge-patch+json"
OBJECTS = """apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: a100, annotations: {sluice.dev/capacity: Enforce%s}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec:
  namespaceSelector: {}
  preemption: {withinClusterQueue: LowerPriority}
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors: [{name: a100, resources: [{name: nvidia.com/gpu, nominalQuota: 1000}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: jobs, namespace: default}
spec: {clusterQueue: q}
"""


def gang(name, pods, gpus, seconds=3600):
    container = {"name": "c", "image": "x", "resources": {"limits": {GPU: gpus}}}
    template = {
        "metadata": {"annotations": {"sluice.dev/run-seconds": str(seconds)}},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    labels = {"kueue.x-k8s.io/queue-name": "jobs"}
    spec = {"parallelism": pods, "completions": pods, "template": template}
    return {"metadata": {"name": name, "labels": labels}, "spec": spec}


def node(name, gpus):
    amounts = {"cpu": "64", "memory": "512Gi", "pods": "110", GPU: str(gpus)}
    return {
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
        "status": {"allocatable": amounts, "capacity": amounts,
                   "conditions": [{"type": "Ready", "status": "True"}]},
    }  # fmt: skip


class EnforcedCapacity(unittest.TestCase):
    def start(self, nodes="node: 2x cpu=64,nvidia.com/gpu=8", annotations=""):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        stepped = Stepped(
            SLUICE, folder.name, "--nodes", nodes, objects=OBJECTS % annotations
        )
        self.addCleanup(stepped.close)
        self.cluster = stepped
        return stepped

    def runs(self, name):
        return not self.cluster.ask("GET", f"{JOBS}/{name}")["spec"].get("suspend", False)

    def waiting_for(self, name):
        """What the Workload of the job waits for, in words."""
        for workload in self.cluster.ask("GET", WORKLOADS)["items"]:
            if workload["metadata"]["ownerReferences"][0]["name"] == name:
                for condition in workload.get("status", {}).get("conditions", []):
                    if condition["type"] == "QuotaReserved" and condition["status"] == "False":
                        return condition["message"]
        return ""

    def node_names(self):
        return [each["metadata"]["name"] for each in self.cluster.ask("GET", NODES)["items"]]

    def set_gpus(self, name, gpus):
        amounts = {"status": {"allocatable": {GPU: str(gpus)}, "capacity": {GPU: str(gpus)}}}
        self.cluster.ask("PATCH", f"{NODES}/{name}/status", amounts, MERGE)

    def test_a_gang_without_room_waits_and_says_so(self):
        stepped = self.start()
        stepped.ask("POST", JOBS, gang("big", 3, 8))
        stepped.step("5s")
        self.assertFalse(self.runs("big"))
        self.assertEqual(
            self.waiting_for("big"),
            "couldn't assign flavors to pod set main: needs 3 x 8 nvidia.com/gpu on one node each; "
            "nodes of flavor a100 have room for 2",
        )
        stepped.ask("POST", NODES, node("third", 8))
        stepped.step("5s")
        self.assertTrue(self.runs("big"))
        stepped.step("5s")
        pods = stepped.ask("GET", PODS)["items"]
        self.assertEqual(len({pod["spec"]["nodeName"] for pod in pods}), 3)
        self.assertNotIn("nodeSelector", pods[0]["spec"])

    def test_observe_lets_quota_decide(self):
        stepped = self.start()
        patch = {"metadata": {"annotations": {"sluice.dev/capacity": "Observe"}}}
        stepped.ask("PATCH", f"{FLAVORS}/a100", patch, MERGE)
        stepped.ask("POST", JOBS, gang("big", 3, 8))
        stepped.step("5s")
        self.assertTrue(self.runs("big"))
        stepped.ask("POST", JOBS, gang("next", 1, 8))
        stepped.step("5s")
        self.assertTrue(self.runs("next"))

    def test_an_admitted_gang_whose_pods_find_no_node_says_so(self):
        stepped = self.start()
        other = stepped.ask("GET", f"{FLAVORS}/a100")
        other["metadata"] = {"name": "other", "annotations": other["metadata"]["annotations"]}
        other["spec"] = {"nodeLabels": {"pool": "none"}}
        stepped.ask("POST", FLAVORS, other)  # so that pods are watched
        observe = {"metadata": {"annotations": {"sluice.dev/capacity": "Observe"}}}
        stepped.ask("PATCH", f"{FLAVORS}/a100", observe, MERGE)
        stepped.ask("POST", JOBS, gang("first", 2, 8))
        stepped.step("5s")
        stepped.ask("POST", JOBS, gang("second", 2, 8))
        stepped.step("3m")
        self.assertTrue(self.runs("second"))
        events = stepped.ask("GET", "/apis/events.k8s.io/v1/events")["items"]
        notes = {
            (event["regarding"]["name"][:10], event["note"])
            for event in events
            if event["reason"] == "PodsExceedNodes"
        }
        words = "main: needs 2 x 8 nvidia.com/gpu on one node each; 2 find no node"
        self.assertEqual(notes, {("job-second", words)})

    def test_enforcing_begins_while_pods_run(self):
        stepped = self.start()
        patch = {"metadata": {"annotations": {"sluice.dev/capacity": "Observe"}}}
        stepped.ask("PATCH", f"{FLAVORS}/a100", patch, MERGE)
        stepped.ask("POST", JOBS, gang("first", 2, 8, seconds=100))
        stepped.step("5s")
        patch = {"metadata": {"annotations": {"sluice.dev/capacity": "Enforce"}}}
        stepped.ask("PATCH", f"{FLAVORS}/a100", patch, MERGE)
        stepped.step("5s")
        stepped.ask("POST", JOBS, gang("second", 1, 8))
        stepped.step("30s")
        self.assertFalse(self.runs("second"))
        stepped.step("100s")
        self.assertTrue(self.runs("second"))

    def test_gpus_that_a_driver_takes_away_for_a_while_evict_nothing_and_get_nothing(self):
        stepped = self.start()
        stepped.ask("POST", JOBS, gang("runs", 1, 8))
        stepped.step("5s")
        for name in self.node_names():
            self.set_gpus(name, 0)
        stepped.ask("POST", JOBS, gang("waits", 1, 8))
        stepped.step("15s")
        self.assertTrue(self.runs("runs"))
        self.assertFalse(self.runs("waits"))
        self.assertEqual(
            self.waiting_for("waits"),
            "couldn't assign flavors to pod set main: needs 1 x 8 nvidia.com/gpu on one node each; "
            "nodes of flavor a100 have room for 0. Total nodes: 2; excluded: resource "
            '"nvidia.com/gpu": 2',
        )
        for name in self.node_names():
            self.set_gpus(name, 8)
        stepped.step("1m")
        self.assertTrue(self.runs("runs"))
        self.assertTrue(self.runs("waits"))

    def test_a_cordoned_node_leaves_at_once(self):
        stepped = self.start()
        first, second = self.node_names()
        stepped.ask("PATCH", f"{NODES}/{first}", {"spec": {"unschedulable": True}}, MERGE)
        stepped.ask("POST", JOBS, gang("one", 1, 8))
        stepped.ask("POST", JOBS, gang("two", 1, 8))
        stepped.step("5s")
        self.assertEqual(sum(self.runs(name) for name in ("one", "two")), 1)
        pods = stepped.ask("GET", PODS)["items"]
        self.assertEqual([pod["spec"]["nodeName"] for pod in pods], [second])
        stepped.ask("PATCH", f"{NODES}/{first}", {"spec": {"unschedulable": False}}, MERGE)
        stepped.step("5s")
        self.assertTrue(self.runs("one") and self.runs("two"))

    def test_pods_outside_quota_count(self):
        stepped = self.start("node: 1x cpu=64,nvidia.com/gpu=8")
        stray = {
            "metadata": {"name": "stray"},
            "spec": gang("x", 1, 4)["spec"]["template"]["spec"] | {"nodeName": "node-1"},
        }
        stray["spec"]["nodeName"] = self.node_names()[0]
        stepped.ask("POST", PODS, stray)
        stepped.ask("POST", JOBS, gang("whole", 1, 8))
        stepped.step("5s")
        self.assertFalse(self.runs("whole"))
        stepped.ask("DELETE", f"{PODS}/stray")
        stepped.step("1m")
        self.assertTrue(self.runs("whole"))

    def test_a_flavor_that_may_grow_gets_one_gang_until_nodes_come(self):
        stepped = self.start(
            "other: 1x cpu=4",
            ', sluice.dev/may-grow-to: "5", sluice.dev/node-shape: "cpu=64,nvidia.com/gpu=8"',
        )
        stepped.ask("POST", JOBS, gang("first", 4, 8))
        stepped.ask("POST", JOBS, gang("second", 4, 8))
        stepped.step("5s")
        self.assertEqual((self.runs("first"), self.runs("second")), (True, False))
        stepped.step("3m")
        for i in range(4):
            stepped.ask("POST", NODES, node(f"new-{i}", 8))
        stepped.step("10s")
        pods = stepped.ask("GET", PODS)["items"]
        self.assertEqual({pod["status"]["phase"] for pod in pods}, {"Running"})
        self.assertEqual((self.runs("first"), self.runs("second")), (True, False))
        stepped.step("1h")
        self.assertTrue(self.runs("second"))

    def reject(self, job, reason):
        """Makes the kubelet reject the running pod of the job; returns its node."""
        for pod in self.cluster.ask("GET", PODS)["items"]:
            owner = pod["metadata"]["ownerReferences"][0]["name"]
            if owner == job and pod["status"]["phase"] == "Running":
                path = f"{PODS}/{pod['metadata']['name']}/status"
                status = {"status": {"phase": "Failed", "reason": reason}}
                self.cluster.ask("PATCH", path, status, MERGE)
                return pod["spec"]["nodeName"]
        raise AssertionError(f"{job} has no running pod")

    def conditions_of(self, workload):
        return {each["type"]: each for each in workload["status"]["conditions"]}

    def test_a_job_whose_pod_a_kubelet_rejects_is_tried_again_after_a_back_off(self):
        stepped = self.start()
        stepped.ask("POST", JOBS, gang("numa", 1, 8))
        stepped.step("5s")
        first = self.reject("numa", "TopologyAffinityError")
        stepped.step("2s")
        self.assertFalse(self.runs("numa"))
        workload = stepped.ask("GET", WORKLOADS)["items"][0]
        noted = workload["metadata"]["annotations"]["sluice.dev/rejected-by"]
        self.assertRegex(noted, f"^{first}=2[0-9-]*T[0-9:]*Z$")
        evicted = self.conditions_of(workload)["Evicted"]
        self.assertEqual((evicted["status"], evicted["reason"]), ("True", "PodRejected"))
        self.assertRegex(
            evicted["message"], f"^Node {first} rejected pod numa-.*: TopologyAffinityError$"
        )
        stepped.step("50s")
        self.assertFalse(self.runs("numa"))
        stepped.step("15s")
        self.assertTrue(self.runs("numa"))
        stepped.step("2m")
        self.assertTrue(self.runs("numa"))  # the old pod does not count again
        stepped.step("10m")
        workload = stepped.ask("GET", WORKLOADS)["items"][0]
        self.assertNotIn("sluice.dev/rejected-by", workload["metadata"].get("annotations", {}))

    def test_each_rejection_doubles_the_back_off(self):
        stepped = self.start("node: 3x cpu=64,nvidia.com/gpu=8")
        stepped.ask("POST", JOBS, gang("numa", 1, 8))
        for seconds in (60, 120):
            stepped.step("5s")
            self.reject("numa", "UnexpectedAdmissionError")
            stepped.step(f"{seconds - 10}s")
            self.assertFalse(self.runs("numa"))
            stepped.step("15s")
            self.assertTrue(self.runs("numa"))

    def test_a_node_that_rejected_a_pod_counts_again_after_ten_minutes(self):
        stepped = self.start("node: 1x cpu=64,nvidia.com/gpu=8")
        stepped.ask("POST", JOBS, gang("numa", 1, 8))
        stepped.step("5s")
        self.reject("numa", "TopologyAffinityError")
        stepped.step("9m")
        self.assertFalse(self.runs("numa"))
        stepped.step("2m")
        self.assertTrue(self.runs("numa"))

    def test_room_that_one_queue_gives_back_is_anothers(self):
        stepped = self.start("node: 1x cpu=64,nvidia.com/gpu=8")
        queue = stepped.ask("GET", f"{QUEUES}/q")
        queue["metadata"] = {"name": "r"}
        stepped.ask("POST", QUEUES, queue)
        local = {
            "apiVersion": queue["apiVersion"],
            "kind": "LocalQueue",
            "metadata": {"name": "others"},
            "spec": {"clusterQueue": "r"},
        }
        stepped.ask("POST", WORKLOADS.replace("workloads", "localqueues"), local)
        stepped.ask("POST", JOBS, gang("first", 1, 8, seconds=60))
        stepped.step("5s")
        other = gang("second", 1, 8)
        other["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "others"
        stepped.ask("POST", JOBS, other)
        stepped.step("30s")
        self.assertFalse(self.runs("second"))
        stepped.step("1m")
        self.assertTrue(self.runs("second"))

    def test_a_pod_that_cannot_end_does_not_take_the_room_of_the_one_that_replaces_it(self):
        stepped = self.start()
        stepped.ask("POST", JOBS, gang("runs", 1, 8))
        stepped.step("5s")
        pod = stepped.ask("GET", PODS)["items"][0]
        kept = {"metadata": {"finalizers": ["example.com/stuck"]}}
        stepped.ask("PATCH", f"{PODS}/{pod['metadata']['name']}", kept, MERGE)
        node_name = pod["spec"]["nodeName"]
        stepped.ask("PATCH", f"{NODES}/{node_name}", {"spec": {"unschedulable": True}}, MERGE)
        stepped.ask("DELETE", f"{PODS}/{pod['metadata']['name']}")
        stepped.ask("POST", JOBS, gang("next", 1, 8))
        stepped.step("5s")
        self.assertFalse(self.runs("next"))

    def test_nodes_that_an_autoscaler_removes_make_way_for_others(self):
        stepped = self.start(
            "node: 2x cpu=64,nvidia.com/gpu=8",
            ', sluice.dev/may-grow-to: "2", sluice.dev/node-shape: "cpu=64,nvidia.com/gpu=8"',
        )
        taint = {"spec": {"taints": [{"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}]}}
        for name in self.node_names():
            stepped.ask("PATCH", f"{NODES}/{name}", taint, MERGE)
        stepped.ask("POST", JOBS, gang("first", 2, 8))
        stepped.ask("POST", JOBS, gang("second", 1, 8))
        stepped.step("5s")
        self.assertEqual((self.runs("first"), self.runs("second")), (True, False))

    def test_a_node_that_rejected_a_pod_counts_no_more_for_its_job(self):
        stepped = self.start("node: 1x cpu=64,nvidia.com/gpu=8")
        stepped.ask("POST", JOBS, gang("numa", 1, 8))
        stepped.step("5s")
        self.reject("numa", "TopologyAffinityError")
        stepped.step("2m")
        self.assertFalse(self.runs("numa"))
        self.assertIn("excluded: rejectedPods: 1", self.waiting_for("numa"))
        stepped.ask("POST", NODES, node("another", 8))
        stepped.step("5s")
        self.assertTrue(self.runs("numa"))

    def test_a_more_important_gang_gets_the_nodes_of_another(self):
        stepped = self.start()
        stepped.ask(
            "POST",
            "/apis/scheduling.k8s.io/v1/priorityclasses",
            {"metadata": {"name": "high"}, "value": 1000},
        )
        stepped.ask("POST", JOBS, gang("low", 2, 8))
        stepped.step("5s")
        high = gang("high", 1, 8)
        high["spec"]["template"]["spec"]["priorityClassName"] = "high"
        stepped.ask("POST", JOBS, high)
        stepped.step("1m")
        self.assertEqual((self.runs("low"), self.runs("high")), (False, True))


if __name__ == "__main__":
    unittest.main()
