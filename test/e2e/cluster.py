"""The cluster that the end-to-end tests share: control plane, fake nodes, Sluice's CRDs and rights,
the
controller under test, and the recorded history of everything."""

import json
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "control-plane"))

from api_client import ApiError  # noqa: E402
from control_plane import ControlPlane, wait_until  # noqa: E402
from fake_kubelet import FakeKubelet, make_node, set_pod_ended  # noqa: E402

from controller_process import Controller  # noqa: E402
from history import KUEUE, History  # noqa: E402
from writes import audit_policy  # noqa: E402

SERVICE_ACCOUNT = ("kueue-system", "sluice-controller-manager")
# Room is never what a test is about: that is the quota. The flavors of the tests stand for these
# nodes.
NODES = [
    make_node("on-demand-1", labels={"tier": "on-demand"}),
    make_node(
        "spot-1",
        labels={"tier": "spot"},
        taints=[{"key": "spot", "value": "true", "effect": "NoSchedule"}],
    ),
]
NODES += [
    make_node(
        f"gpu-{model}-{number}",
        labels={"gpu.example.com/model": model},
        taints=[{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}],
        resources={"cpu": "96", "memory": "1Ti", "nvidia.com/gpu": "8"},
    )
    for model in ("a100-80gb", "h100-80gb")
    for number in (1, 2)
]


class SetupError(Exception):
    """The tests cannot begin; the message says what is missing and how to get it."""


def find_binary():
    """The controller under test: $SLUICE_BINARY, or the newest one under build/."""
    given = os.environ.get("SLUICE_BINARY")
    if given:
        if not os.access(given, os.X_OK):
            raise SetupError(f"SLUICE_BINARY={given} is no program")
        return pathlib.Path(given).resolve()
    built = [path for path in ROOT.glob("build/*/controller/sluice") if os.access(path, os.X_OK)]
    if not built:
        raise SetupError("no build/*/controller/sluice: build first, or set SLUICE_BINARY")
    return max(built, key=lambda path: path.stat().st_mtime)


class Cluster:
    """Everything from start() to stop(). Without `nodes` there is no scheduler and no pod runs."""

    def __init__(self, nodes=True):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-e2e-"))
        self.nodes = nodes
        self.plane = ControlPlane(
            self.directory / "control-plane",
            scheduler=nodes,
            prepare=self.install,
            audit_policy=audit_policy(*SERVICE_ACCOUNT),
        )
        self.kubelet = self.history = None
        self.controllers = []

    @property
    def api(self):
        return self.plane.api

    def start(self):
        try:
            self.plane.start()
            self.history = History(self.api, self.plane.etcd)
            self.history.start()
            if self.nodes:
                self.kubelet = FakeKubelet(self.api, NODES)
                self.kubelet.start()
        except BaseException:
            self.stop()
            raise
        return self

    def install(self):
        self.apply_file(ROOT / "examples/deploy/rbac.yaml")
        self.apply_file(ROOT / "examples/deploy/pod-writes.yaml")
        self.apply_file(ROOT / "examples/deploy/tenant-writes.yaml")
        self.let_read_metrics(*SERVICE_ACCOUNT)
        self.apply_crds()

    def let_read_metrics(self, namespace, account):
        self.plane.kubectl(
            "create", "clusterrolebinding", f"{account}-reads-metrics",
            "--clusterrole=sluice-metrics-reader", f"--serviceaccount={namespace}:{account}",
        )  # fmt: skip

    def apply_crds(self):
        files = sorted((ROOT / "crds").glob("kueue.x-k8s.io_*.yaml"))
        if not files:
            raise SetupError("crds/ holds no kueue.x-k8s.io_*.yaml")
        # As the README says it, the whole folder and client-side.
        self.plane.kubectl("apply", "-f", ROOT / "crds")
        for file in files:
            self.wait_served(file.stem.partition("_")[2])

    def wait_served(self, plural):
        # Not the condition Established: for a moment after it the API server still answers 404 or
        # "storage is (re)initializing".
        def is_served():
            try:
                return self.api.get(f"{KUEUE}/{plural}?limit=1")
            except ApiError as error:
                if error.code in (404, 429, 503):
                    return None
                raise

        wait_until(is_served, 30, f"{plural} are served")

    def stop(self):
        for controller in self.controllers:
            controller.kill()
        # Each may have failed already; the others are to be stopped nevertheless.
        for part in (self.history, self.kubelet, self.plane):
            if part is not None:
                part.stop()
        if not os.environ.get("SLUICE_KEEP_E2E"):
            shutil.rmtree(self.directory, ignore_errors=True)

    def make_kubeconfig(self, name):
        """The service account with a token of its own, by which its writes are told apart."""
        path = self.directory / f"{name}.kubeconfig"
        return self.plane.service_account_kubeconfig(*SERVICE_ACCOUNT, path)

    def add_controller(self, name="controller", leader_election=False):
        """A controller that is not started yet; the cluster kills it in the end."""
        kubeconfig = self.make_kubeconfig(name)
        controller = Controller(find_binary(), kubeconfig, self.directory, name, leader_election)
        self.controllers.append(controller)
        return controller

    def apply(self, *objects):
        """`kubectl apply` of objects given as dictionaries."""
        listed = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.plane.kubectl("apply", "-f", "-", stdin=json.dumps(listed))

    def apply_file(self, path):
        self.plane.kubectl("apply", "-f", path)

    def pods_of(self, namespace, job):
        """Pods of a Job that have not ended and are not being deleted."""
        return [
            pod
            for pod in self.history.all("pods", namespace)
            if pod["metadata"].get("labels", {}).get("batch.kubernetes.io/job-name") == job
            and "deletionTimestamp" not in pod["metadata"]
            and pod["status"].get("phase") not in ("Succeeded", "Failed")
        ]

    def running_pods_of(self, namespace, job):
        pods = self.pods_of(namespace, job)
        return [pod for pod in pods if pod["status"].get("phase") == "Running"]

    def end_job(self, namespace, job, exit_code=0):
        """Ends all pods of the Job, which run now."""
        pods = self.running_pods_of(namespace, job)
        assert pods, f"no pod of Job {namespace}/{job} runs"
        for pod in pods:
            set_pod_ended(self.api, pod, exit_code)

    def end_one_pod(self, namespace, job):
        """Ends one of the pods of the Job, well; the others go on running."""
        set_pod_ended(self.api, self.running_pods_of(namespace, job)[0], 0)

    def drop_finalizers(self, path):
        """Lets an object go whose keeper does not run; no error if it is gone."""
        try:
            self.api.patch(path, {"metadata": {"finalizers": None}})
        except ApiError as error:
            if error.code != 404:
                raise

    def path_of(self, plural, name, namespace=None):
        scope = f"/namespaces/{namespace}" if namespace else ""
        return f"{KUEUE}{scope}/{plural}/{name}"
