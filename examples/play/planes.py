"""The clusters on which stories are played: `sluice dev`, and a real control plane."""

import json
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import yaml

from client import Client
from scene import EXAMPLES, Cluster, Unexpected

ROOT = EXAMPLES.parent
PLANE = ROOT / "test/control-plane"
READY_MOST = 60.0
KINDS = ("pod", "statefulset", "pytorchjob", "jobset")
FRAMEWORKS = [
    "batch/job", "pod", "statefulset", "kubeflow.org/pytorchjob", "jobset.x-k8s.io/jobset",
]  # fmt: skip
# Longer than any story: what is to end says so itself.
RUN_SECONDS = 3600


def describe_nodes(file):
    """The fake nodes of the real control plane as `sluice dev --nodes` takes them, those that
    differ only in the number at the end of their names as one line."""
    counts = {}
    for node in json.loads(file.read_text()):
        room = {"cpu": "64", "memory": "256Gi"} | node["resources"]
        parts = [f"{name}={amount}" for name, amount in room.items()]
        parts += [f"label:{key}={value}" for key, value in node.get("labels", {}).items()]
        for taint in node.get("taints", []):
            parts.append(f"taint:{taint['key']}={taint['value']}:{taint['effect']}")
        line = node["name"].rpartition("-")[0], ",".join(parts)
        counts[line] = counts.get(line, 0) + 1
    return [f"{name}: {count}x {parts}" for (name, parts), count in counts.items()]


def stop(process):
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_for(holds, process, what, log):
    deadline = time.monotonic() + READY_MOST
    while not holds():
        if process.poll() is not None:
            raise Unexpected(f"{what}: it ended:\n{tail(log)}")
        if time.monotonic() > deadline:
            raise Unexpected(f"{what}: not so after {READY_MOST:.0f} s:\n{tail(log)}")
        time.sleep(0.05)


def tail(log):
    return "\n".join(log.read_text(errors="replace").splitlines()[-20:])


class EmbeddedPlane:
    """`sluice dev`, a process for each configuration of the controller."""

    def __init__(self, binary, folder, patience, kubectl):
        self.binary, self.folder, self.patience = binary, folder, patience
        self.kubectl = kubectl
        self.processes = []

    def start(self, configuration=""):
        name = f"dev-{len(self.processes) + 1}"
        kubeconfig, log = self.folder / f"{name}.kubeconfig", self.folder / f"{name}.log"
        command = [self.binary, "dev", "--quiet", "--write-kubeconfig", kubeconfig]
        command += ["--run-seconds", RUN_SECONDS]
        for line in describe_nodes(EXAMPLES / "nodes.json"):
            command += ["--nodes", line]
        if configuration:
            command += ["--config", configuration]
        process = launch(command, log)
        self.processes.append(process)

        wait_for(kubeconfig.exists, process, "sluice dev is ready", log)
        cluster = Cluster(
            Client(kubeconfig), kubeconfig, self.patience, self.binary, self.kubectl
        )
        cluster.problem = lambda: has_ended(process, log)
        return cluster

    def stop(self):
        for process in self.processes:
            stop(process)

    def farewell(self, cluster):
        numbers = " ".join(str(process.pid) for process in self.processes)
        return (
            f"  export KUBECONFIG={cluster.kubeconfig}\n"
            "  kubectl get clusterqueues,workloads,jobs,pods -A\n"
            f"To end it:\n  kill {numbers}; rm -r {self.folder}"
        )


def launch(command, log):
    with log.open("ab") as output:
        return subprocess.Popen(
            [*map(str, command)], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            start_new_session=True,
        )  # fmt: skip


def has_ended(process, log):
    return f"the controller ended:\n{tail(log)}" if process.poll() is not None else None


def are_webhooks_published(client, address):
    for kind in ("mutating", "validating"):
        path = (
            f"/apis/admissionregistration.k8s.io/v1/{kind}webhookconfigurations/"
            f"kueue-{kind}-webhook-configuration"
        )
        for hook in client.get(path)["webhooks"]:
            if f"//{address}" not in hook["clientConfig"].get("url", ""):
                return False
    return True


def free_ports(count):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in held]
    for each in held:
        each.close()
    return ports


class RealPlane:
    """etcd, kube-apiserver, kube-controller-manager and kube-scheduler, built from source, fake
    nodes, and one controller."""

    def __init__(self, binary, folder, patience):
        self.binary, self.folder, self.patience = binary, folder, patience
        self.binaries = None
        self.controller = None
        self.cluster = None

    def start(self, configuration=""):
        """The control plane, at the first call; and the controller, with its configuration."""
        if self.binaries is None:
            self.start_control_plane()
        else:
            stop(self.controller)
        self.start_controller(configuration)
        return self.cluster

    def start_control_plane(self):
        print("  building the control plane (some minutes the first time)", flush=True)
        built = subprocess.run([PLANE / "build.sh"], stdout=subprocess.PIPE, text=True, check=True)
        self.binaries = pathlib.Path(built.stdout.strip().splitlines()[-1])
        subprocess.run(
            [PLANE / "control_plane.py", "start", self.folder, "--binaries", self.binaries,
             "--scheduler", "--nodes", EXAMPLES / "nodes.json"],
            check=True,
        )  # fmt: skip
        kubeconfig = self.folder / "admin.kubeconfig"
        self.cluster = Cluster(
            Client(kubeconfig), kubeconfig, self.patience, self.binary,
            str(self.binaries / "kubectl"),
            is_real=True,
        )  # fmt: skip
        print("  applying the definitions and the rights of the controller", flush=True)
        self.cluster.run_kubectl("apply", "-f", ROOT / "crds")
        self.cluster.run_kubectl("apply", "-f", EXAMPLES / "deploy/rbac.yaml")
        for kind in KINDS:
            file = EXAMPLES / f"deploy/job-kinds/{kind}.yaml"
            self.cluster.run_kubectl("apply", "-f", file)
        subprocess.run(
            [PLANE / "control_plane.py", "token", self.folder, "kueue-system",
             "sluice-controller-manager", self.folder / "controller.kubeconfig"],
            check=True,
        )  # fmt: skip

    def start_controller(self, configuration):
        health, metrics, webhook = free_ports(3)
        file, log = self.folder / "configuration.json", self.folder / "controller.log"
        document = {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2",
            "kind": "Configuration",
            "namespace": "kueue-system",
            "health": {"healthProbeBindAddress": f"127.0.0.1:{health}"},
            "metrics": {"bindAddress": f"127.0.0.1:{metrics}"},
            "webhook": {
                "host": "127.0.0.1",
                "port": webhook,
                "certDir": str(self.folder / "certificates"),
            },
            "leaderElection": {"leaderElect": False},
            "integrations": {"frameworks": FRAMEWORKS},
        }
        file.write_text(json.dumps(document | read_configuration(configuration), indent=2))
        self.controller = launch(
            [self.binary, "controller", "--config", file,
             "--kubeconfig", self.folder / "controller.kubeconfig"],
            log,
        )  # fmt: skip
        self.cluster.problem = lambda: has_ended(self.controller, log)

        def is_ready():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{health}/readyz", timeout=5):
                    return True
            except (urllib.error.URLError, OSError):
                return False

        wait_for(is_ready, self.controller, "the controller is ready", log)
        self.cluster.run_kubectl("apply", "-f", EXAMPLES / "deploy/webhooks.yaml")
        address = f"127.0.0.1:{webhook}/"
        wait_for(
            lambda: are_webhooks_published(self.cluster.client, address),
            self.controller, "the webhooks lead to the controller", log,
        )  # fmt: skip

    def stop(self):
        if self.controller:
            stop(self.controller)
        if self.binaries:
            subprocess.run([PLANE / "control_plane.py", "stop", self.folder], check=False)

    def farewell(self, cluster):
        place = shlex.quote(str(self.folder))
        return (
            f"  export KUBECONFIG={cluster.kubeconfig} PATH={self.binaries}:$PATH\n"
            f"  less {place}/controller.log\n"
            f"To end it:\n  kill {self.controller.pid}; test/control-plane/control_plane.py stop "
            f"{place}; rm -r {place}"
        )


def read_configuration(file):
    """What a configuration says beyond its kind."""
    if not file:
        return {}
    found = yaml.safe_load(pathlib.Path(file).read_text())
    return {key: value for key, value in found.items() if key not in ("apiVersion", "kind")}


def make_plane(arguments, folder):
    binary = arguments.binary.resolve()
    if arguments.real:
        return RealPlane(binary, folder, arguments.patience)
    kubectl = None if arguments.no_kubectl else shutil.which("kubectl")
    return EmbeddedPlane(binary, folder, arguments.patience, kubectl)
