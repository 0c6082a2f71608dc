"""A cluster of `sluice dev --step` whose hosts are in racks and cliques."""

import itertools
import json
import tempfile
import unittest
import urllib.error

from stepped import Stepped

GPU = "nvidia.com/gpu"
RACK = "example.com/rack"
CLIQUE = "nvidia.com/gpu.clique"
HOST = "kubernetes.io/hostname"
REQUEST = "kueue.x-k8s.io/podset-"
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
WORKLOADS = f"{KUEUE}/namespaces/default/workloads"
LOCAL_QUEUES = f"{KUEUE}/namespaces/default/localqueues"
QUEUES = f"{KUEUE}/clusterqueues"
FLAVORS = f"{KUEUE}/resourceflavors"
TOPOLOGIES = f"{KUEUE}/topologies"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
PODS = "/api/v1/namespaces/default/pods"
NODES = "/api/v1/nodes"
EVENTS = "/apis/events.k8s.io/v1/events"
MERGE = "application/merge-patch+json"
# ClusterQueue q has the GPUs of the hosts, ClusterQueue good has CPUs of the same hosts.
OBJECTS = """apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: racks}
spec:
  levels:
  - nodeLabel: example.com/rack
  - nodeLabel: nvidia.com/gpu.clique
  - nodeLabel: kubernetes.io/hostname
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: gpus}
spec: {topologyName: racks, nodeLabels: {gpu: b200}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: cpus}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors: [{name: gpus, resources: [{name: nvidia.com/gpu, nominalQuota: 100000}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: jobs, namespace: default}
spec: {clusterQueue: q}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: good}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: cpus, resources: [{name: cpu, nominalQuota: 64}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: good, namespace: default}
spec: {clusterQueue: good}
"""


def clique(name, hosts, rack="r1"):
    """Hosts of 8 GPUs, in the form of --nodes."""
    labels = f"label:gpu=b200,label:{RACK}={rack},label:{CLIQUE}={name}"
    return f"{name}: {hosts}x cpu=64,{GPU}=8,{labels}"


def node(name, labels):
    amounts = {"cpu": "64", "memory": "512Gi", "pods": "110", GPU: "8"}
    return {
        "metadata": {"name": name, "labels": {HOST: name, "gpu": "b200"} | labels},
        "status": {"allocatable": amounts, "capacity": amounts,
                   "conditions": [{"type": "Ready", "status": "True"}]},
    }  # fmt: skip


def gang(name, pods, gpus, level=CLIQUE, seconds=3600, queue="jobs", annotations=None, **spec):
    """An indexed Job whose pods must share one domain of the level, if it names one."""
    container = {"name": "c", "image": "x", "resources": {"limits": {GPU: gpus}}}
    asked = {"sluice.dev/run-seconds": str(seconds)} | (annotations or {})
    if level is not None:
        asked[f"{REQUEST}required-topology"] = level
    template = {
        "metadata": {"annotations": asked},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    spec = {"parallelism": pods, "completions": pods, "completionMode": "Indexed"} | spec
    labels = {"kueue.x-k8s.io/queue-name": queue}
    return {"metadata": {"name": name, "labels": labels}, "spec": spec | {"template": template}}


def assigned_hosts(workload):
    """The hosts of the assignment in its order, each with its number of pods."""
    assignment = workload["status"]["admission"]["podSetAssignments"][0]["topologyAssignment"]
    found = []
    for part in assignment["slices"]:
        values = part["valuesPerLevel"][-1]
        names = [values.get("universal")] * part["domainCount"]
        if "individual" in values:
            own = values["individual"]
            names = [own.get("prefix", "") + r + own.get("suffix", "") for r in own["roots"]]
        counts = part["podCounts"]
        each = counts.get("individual", [counts.get("universal")] * len(names))
        found += zip(names, each, strict=True)
    return found


class TopologyTest(unittest.TestCase):
    sluice = None

    def start(self, *cliques, objects=OBJECTS):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        nodes = [argument for each in cliques for argument in ("--nodes", each)]
        self.cluster = Stepped(self.sluice, folder.name, *nodes, objects=objects)
        self.addCleanup(self.cluster.close)
        self.numbers = itertools.count()
        return self.cluster

    def submit(self, *jobs, step="5s"):
        for job in jobs:
            self.cluster.ask("POST", JOBS, job)
        self.cluster.step(step)

    def add(self, path, name, **more):
        kind = {TOPOLOGIES: "Topology", FLAVORS: "ResourceFlavor", QUEUES: "ClusterQueue"}
        body = {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": kind.get(path, "LocalQueue"),
            "metadata": {"name": name},
        }
        self.cluster.ask("POST", path, body | more)

    def add_queue(self, name, topology):
        """A flavor with the topology, a ClusterQueue and a LocalQueue, all of that name."""
        spec = {"topologyName": topology, "nodeLabels": {"gpu": "b200"}}
        self.add(FLAVORS, name, spec=spec)
        flavor = {"name": name, "resources": [{"name": GPU, "nominalQuota": 100}]}
        groups = [{"coveredResources": [GPU], "flavors": [flavor]}]
        self.add(QUEUES, name, spec={"namespaceSelector": {}, "resourceGroups": groups})
        self.add(LOCAL_QUEUES, name, spec={"clusterQueue": name})

    def refusal(self, path, body, method="POST", kind="application/json"):
        """The code and the message with which the API server refuses the object."""
        with self.assertRaises(urllib.error.HTTPError) as refused:
            self.cluster.ask(method, path, body, kind)
        return refused.exception.code, json.loads(refused.exception.read())["message"]

    def runs(self, name):
        return not self.cluster.ask("GET", f"{JOBS}/{name}")["spec"].get("suspend", False)

    def workload(self, name):
        for each in self.cluster.ask("GET", WORKLOADS)["items"]:
            if each["metadata"]["ownerReferences"][0]["name"] == name:
                return each
        raise AssertionError(f"{name} has no Workload")

    def condition(self, name, kind):
        """Status, reason and message of a condition of the Job's Workload."""
        for each in self.workload(name).get("status", {}).get("conditions", []):
            if each["type"] == kind:
                return each["status"], each["reason"], each["message"]
        return None

    def waiting_for(self, name):
        status, _, message = self.condition(name, "QuotaReserved")
        self.assertEqual(status, "False")
        return message.removeprefix("couldn't assign flavors to pod set main: ")

    def warnings(self, kind, name):
        return {
            each["note"]
            for each in self.cluster.ask("GET", EVENTS)["items"]
            if each["type"] == "Warning"
            and (each["regarding"]["kind"], each["regarding"]["name"]) == (kind, name)
        }

    def pods_of(self, name):
        """The pods of a Job by completion index, without those that ended."""
        found = []
        for pod in self.cluster.ask("GET", PODS)["items"]:
            owner = pod["metadata"].get("ownerReferences", [{"name": None}])[0]["name"]
            if owner == name and pod["status"]["phase"] in ("Pending", "Running"):
                key = "batch.kubernetes.io/job-completion-index"
                found.append((int(pod["metadata"]["annotations"].get(key, 0)), pod))
        return [pod for _, pod in sorted(found, key=lambda each: each[0])]

    def hosts_of(self, name):
        """The host of each pod of a Job, by completion index."""
        return [pod["spec"].get("nodeName") for pod in self.pods_of(name)]

    def used_gpus(self, queue="q"):
        """The GPUs that the ClusterQueue has reserved, and those in use."""
        status = self.cluster.ask("GET", f"{QUEUES}/{queue}")["status"]
        totals = [
            status[field][0]["resources"][0]["total"]
            for field in ("flavorsReservation", "flavorsUsage")
        ]
        return tuple(int(total.replace("k", "000")) for total in totals)

    def check_room(self):
        """No host has more GPUs in use than it has."""
        used = {}
        for pod in self.cluster.ask("GET", PODS)["items"]:
            if pod["status"]["phase"] in ("Pending", "Running") and "nodeName" in pod["spec"]:
                limits = pod["spec"]["containers"][0]["resources"].get("limits", {})
                name = pod["spec"]["nodeName"]
                used[name] = used.get(name, 0) + int(limits.get(GPU, 0))
        for each in self.cluster.ask("GET", NODES)["items"]:
            name = each["metadata"]["name"]
            self.assertLessEqual(used.get(name, 0), int(each["status"]["allocatable"][GPU]), name)

    def check_others_go_on(self):
        """A Job of another queue starts."""
        name = f"good-{next(self.numbers)}"
        job = gang(name, 1, 0, level=None, queue="good")
        requests = {"requests": {"cpu": "1"}}
        job["spec"]["template"]["spec"]["containers"][0]["resources"] = requests
        self.submit(job)
        self.assertTrue(self.runs(name))
        self.assertEqual(len(self.pods_of(name)), 1)
