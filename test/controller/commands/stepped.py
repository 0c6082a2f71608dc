"""A cluster of `sluice dev --step`, whose time a test moves."""

import base64
import datetime
import json
import pathlib
import ssl
import subprocess
import urllib.request

PATIENCE = 60
MANIFEST = """apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default, resources: [{name: cpu, nominalQuota: 2}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: jobs, namespace: default}
spec: {clusterQueue: q}
"""


def job(name, seconds, cpu=2, **spec):
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": cpu}}}
    template = {
        "metadata": {"annotations": {"sluice.dev/run-seconds": str(seconds)}},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    labels = {"kueue.x-k8s.io/queue-name": "jobs"}
    return {"metadata": {"name": name, "labels": labels}, "spec": spec | {"template": template}}


class Stepped:
    """One run of `sluice dev --step`; by default with ClusterQueue q and LocalQueue jobs."""

    def __init__(self, sluice, folder, *arguments, objects=MANIFEST):
        self.config = pathlib.Path(folder, "kubeconfig")
        manifest = pathlib.Path(folder, "queues.yaml")
        manifest.write_text(objects)
        self.process = subprocess.Popen(
            [sluice, "dev", "--step", "--write-kubeconfig", self.config, "-f", manifest,
             *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.read()
        config = json.loads(self.config.read_text())
        cluster = config["clusters"][0]["cluster"]
        self.url = cluster["server"]
        self.token = config["users"][0]["user"]["token"]
        self.context = ssl.create_default_context(
            cadata=base64.b64decode(cluster["certificate-authority-data"]).decode()
        )

    def read(self):
        """What is printed up to the next time, and that time."""
        printed = []
        for line in self.process.stdout:
            if line.startswith("time: "):
                text = line.removeprefix("time: ").strip()
                self.time = datetime.datetime.fromisoformat(text)
                return printed
            printed.append(line.rstrip("\n"))
        raise AssertionError(f"it ended: {printed} {self.process.stderr.read()}")

    def step(self, line=""):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.read()

    def ask(self, method, path, body=None, kind="application/json"):
        request = urllib.request.Request(
            self.url + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": "Bearer " + self.token, "Content-Type": kind},
        )  # fmt: skip
        with urllib.request.urlopen(request, context=self.context, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def conditions(self, path):
        found = self.ask("GET", path)["status"].get("conditions", [])
        return {each["type"] for each in found if each["status"] == "True"}

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
