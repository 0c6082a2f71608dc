#!/usr/bin/env python3
"""Jobs of every kind on `sluice dev`, with the definitions that their projects publish: each waits
for quota, is admitted, runs and, if its kind knows an end, finishes.

    dev_kinds_test.py SLUICE
"""

import gzip
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "test/control-plane"))

from api_client import ApiError  # noqa: E402
from control_plane import die_with_parent, wait_until  # noqa: E402

from token_client import connect  # noqa: E402

KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
SPACE = "team"
SAMPLES = {
    file.stem: yaml.safe_load(file.read_text())
    for file in sorted((ROOT / "test/controller/job_kinds").glob("*.yaml"))
    # Nobody plays the controller of a kind that a user describes.
    if file.stem != "user_defined"
}
ENDLESS = ("raycluster", "rayservice")
SOON = 60.0


def kueue(kind, name, spec=None, **metadata):
    made = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": kind,
        "metadata": {"name": name} | metadata,
    }
    return made | ({"spec": spec} if spec else {})


def server(kind, name, spec):
    """Something whose pods wait for quota by themselves, in the queue `servers`."""
    version = "leaderworkerset.x-k8s.io/v1" if kind == "LeaderWorkerSet" else "apps/v1"
    labels = {"kueue.x-k8s.io/queue-name": "servers"}
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name, "namespace": SPACE, "labels": labels},
        "spec": spec,
    }


def servers():
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    template = {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [container]}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "x"}}, "template": template}
    groups = {"replicas": 2, "leaderWorkerTemplate": {"size": 2, "workerTemplate": template}}
    return [
        server("Deployment", "web", spec),
        server("StatefulSet", "db", spec | {"serviceName": "db"}),
        server("LeaderWorkerSet", "llm", groups),
    ]


def queues():
    """Room for all of them, in queues that are stopped."""
    resources = [{"name": name, "nominalQuota": "1Ti"} for name in ("cpu", "memory")]
    group = {
        "coveredResources": ["cpu", "memory"],
        "flavors": [{"name": "default", "resources": resources}],
    }
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}},
        kueue("ResourceFlavor", "default"),
    ] + [
        each
        for name in ("main", "servers")
        for each in (
            kueue(
                "ClusterQueue",
                name,
                {"namespaceSelector": {}, "resourceGroups": [group], "stopPolicy": "Hold"},
            ),
            kueue("LocalQueue", name, {"clusterQueue": name}, namespace=SPACE),
        )
    ]


def templates(item):
    """Every pod template in an object."""
    if isinstance(item, list):
        for each in item:
            yield from templates(each)
    elif isinstance(item, dict):
        if "containers" in item.get("spec", {}):
            yield item
        for each in item.values():
            yield from templates(each)


def prepare(item, name):
    """A sample that its own controller would take: some fields are of no concern to Sluice."""
    item["metadata"]["name"] = name
    for template in templates(item):
        if item["kind"] != "AppWrapper" or "parts" not in json.dumps(template):
            template["spec"].setdefault("restartPolicy", "Never")
    if item["kind"] == "AppWrapper":
        # Of its components that of an unknown kind goes.
        del item["spec"]["components"][2]
    if item["kind"] == "JobSet":
        for job in item["spec"]["replicatedJobs"]:
            job["name"] = job["name"].lower()
    return item


class DevKindsTest(unittest.TestCase):
    binary = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="sluice-dev-kinds-")
        cls.addClassCleanup(folder.cleanup)
        directory = pathlib.Path(folder.name)
        files = directory / "files"
        files.mkdir()
        for file in (ROOT / "test/e2e/definitions").glob("*.json.gz"):
            (files / file.stem).write_bytes(gzip.decompress(file.read_bytes()))
        (files / "queues.yaml").write_text(yaml.safe_dump_all(queues()))
        cls.kubeconfig = directory / "kubeconfig"
        cls.log = (directory / "log").open("w+b")
        cls.addClassCleanup(cls.log.close)
        cls.process = subprocess.Popen(
            [cls.binary, "dev", "--write-kubeconfig", cls.kubeconfig, "-f", files,
             "--run-seconds", "2", "--nodes", "node: 2x cpu=64,memory=256Gi,label:disk=fast"],
            stdout=cls.log, stderr=cls.log, preexec_fn=die_with_parent,
        )  # fmt: skip
        cls.addClassCleanup(cls.stop)
        wait_until(lambda: b"Ctrl-C" in cls.text(), SOON, "sluice dev is ready")
        cls.api = connect(cls.kubeconfig)

    @classmethod
    def stop(cls):
        cls.process.send_signal(signal.SIGTERM)
        try:
            cls.process.wait(20)
        finally:
            cls.process.kill()

    @classmethod
    def text(cls):
        return os.pread(cls.log.fileno(), 1 << 20, 0)

    def path(self, item, namespaced=True):
        where = f"/namespaces/{SPACE}" if namespaced else ""
        return f"/apis/{item['apiVersion']}{where}/{item['kind'].lower()}s"

    def workload_of(self, uid):
        for each in self.api.get(f"{KUEUE}/namespaces/{SPACE}/workloads")["items"]:
            if any(owner["uid"] == uid for owner in each["metadata"].get("ownerReferences", [])):
                return each
        return None

    def has(self, uid, condition):
        found = self.workload_of(uid) or {}
        conditions = found.get("status", {}).get("conditions", [])
        return any(each["type"] == condition and each["status"] == "True" for each in conditions)

    def create(self, item):
        """Once its webhook knows its kind, which was defined a moment ago."""

        def attempt():
            try:
                return self.api.create(self.path(item), item)
            except ApiError as error:
                if error.code == 500:
                    return None
                raise

        return wait_until(attempt, SOON, f"{item['kind']} is let in")

    def open(self, queue):
        self.api.patch(f"{KUEUE}/clusterqueues/{queue}", {"spec": {"stopPolicy": "None"}})

    def pods(self, prefix=""):
        found = self.api.get(f"/api/v1/namespaces/{SPACE}/pods")["items"]
        return [pod for pod in found if pod["metadata"]["name"].startswith(prefix)]

    def test_jobs_of_every_kind_wait_run_and_end(self):
        self.assertNotIn(b"error:", self.text())
        uids = {}
        for name, sample in SAMPLES.items():
            for other in sample.get("others", []):
                self.api.create(self.path(other, False), prepare(other, other["metadata"]["name"]))
            item = prepare(sample["object"], name.replace("_", "-"))
            uids[name] = self.create(item)["metadata"]["uid"]
        for name, uid in uids.items():
            with self.subTest(name):
                wait_until(lambda: self.workload_of(uid), SOON, f"the Workload of {name}")
        jobs = [pod for pod in self.pods() if not pod["spec"].get("schedulingGates")]
        self.assertEqual([], jobs, "no pod runs before its job is admitted")
        self.open("main")
        for name, uid in uids.items():
            with self.subTest(name):
                end = "PodsReady" if name in ENDLESS else "Finished"
                wait_until(lambda: self.has(uid, end), SOON, f"{name} is {end}")
                self.assertEqual(name not in ENDLESS, self.has(uid, "Finished"))

    def test_pods_of_servers_wait_for_quota_and_run(self):
        sizes = {"web": 2, "db": 1, "llm": 4}  # the second pod of db waits for the first one
        for item in servers():
            self.create(item)
        for name, size in sizes.items():
            with self.subTest(name):
                wait_until(lambda: len(self.pods(f"{name}-")) == size, SOON, f"pods of {name}")
                for pod in self.pods(f"{name}-"):
                    self.assertTrue(pod["spec"].get("schedulingGates"), pod["metadata"]["name"])
        self.open("servers")
        for name, size in (sizes | {"db": 2}).items():
            with self.subTest(name):
                wait_until(lambda: self.running(name) == size, SOON, f"{size} pods of {name} run")

    def running(self, name):
        return sum(pod["status"].get("phase") == "Running" for pod in self.pods(f"{name}-"))


if __name__ == "__main__":
    DevKindsTest.binary = os.path.abspath(sys.argv.pop(1))
    unittest.main()
