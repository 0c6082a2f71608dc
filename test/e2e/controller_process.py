"""Runs `sluice controller` as users do: a configuration file, a kubeconfig, a process."""

import json
import os
import pathlib
import shutil
import ssl
import subprocess
import sys
import urllib.request

import yaml

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "control-plane"))

from control_plane import die_with_parent, free_ports, paused, wait_until  # noqa: E402

READY_DEADLINE = 60.0
# SIGTERM finishes outstanding writes within a bound and releases the lease.
STOP_DEADLINE = 30.0
# Short, so that a killed leader's lease runs out while a test can wait for it, and long enough for
# a machine that also compiles.
LEASE_SECONDS = 8
LEASE = {"leaseDuration": f"{LEASE_SECONDS}s", "renewDeadline": "6s", "retryPeriod": "1s"}


def with_clock(folder, seconds):
    """The environment of a process whose wall clock is ahead by so many seconds. `folder` keeps
    what is built for it.
    """
    library = pathlib.Path(folder) / "wrong_clock.so"
    if not library.exists():
        compiler = next(filter(None, map(shutil.which, ("cc", "clang", "clang-16"))))
        source = HERE / "wrong_clock.c"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    return {"LD_PRELOAD": str(library), "WRONG_CLOCK_SECONDS": str(seconds)}


class ControllerDied(Exception):
    """The controller ended by itself; the message has the end of its log."""


class Controller:
    """One replica. start() returns when it is ready; kill() is SIGKILL, stop() is SIGTERM."""

    def __init__(
        self,
        binary,
        kubeconfig,
        directory,
        name="controller",
        leader_election=False,
        namespace="kueue-system",
    ):
        self.binary, self.kubeconfig, self.name = pathlib.Path(binary), kubeconfig, name
        self.namespace = namespace
        self.directory = pathlib.Path(directory) / name
        self.directory.mkdir(parents=True, exist_ok=True)
        self.log = self.directory / "log"
        self.leader_election = leader_election
        self.arguments = []  # beyond those that say what it works with
        self.configuration = {}  # beside what every one has
        self.environment = {}
        self.process = None
        # The same after a restart, so that the definitions need not name another webhook.
        self.health_port, self.metrics_port, self.webhook_port, self.visibility_port = free_ports(4)

    def start(self, wait=True):
        """Starts it; with `wait` returns when /readyz says so."""
        assert self.process is None, f"{self.name} runs already"
        configuration = {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2",
            "kind": "Configuration",
            "namespace": self.namespace,
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self.health_port}"},
            "metrics": {"bindAddress": f"127.0.0.1:{self.metrics_port}"},
            "webhook": {
                "host": "127.0.0.1",
                "port": self.webhook_port,
                "certDir": str(self.directory / "certificates"),
            },
            "visibilityServer": {"bindAddress": "127.0.0.1", "bindPort": self.visibility_port},
            "leaderElection": {
                "leaderElect": self.leader_election,
                "resourceNamespace": self.namespace,
            }
            | (LEASE if self.leader_election else {}),
            "integrations": {"frameworks": ["batch/job"]},
        } | self.configuration
        path = self.directory / "configuration.yaml"
        path.write_text(json.dumps(configuration, indent=2) + "\n")
        command = [self.binary, "controller", "--config", path, "--kubeconfig", self.kubeconfig]
        command += self.arguments
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self.environment},
                preexec_fn=die_with_parent,
            )
        if wait:
            self.wait_ready()
        return self

    def wait_ready(self):
        wait_until(self.is_ready, READY_DEADLINE, f"{self.name} ready, see {self.log}")

    def is_ready(self):
        self.check()
        # The kind of server is the controller's choice; its certificate is not what is tested here.
        for scheme in ("http", "https"):
            context = ssl._create_unverified_context() if scheme == "https" else None
            url = f"{scheme}://127.0.0.1:{self.health_port}/readyz"
            try:
                with urllib.request.urlopen(url, timeout=2, context=context) as response:
                    return response.status == 200
            except OSError:
                continue
        return False

    def metric(self, name, /, **labels):
        """The sum of the metric's series that have these labels."""
        with self.open_metrics(self.token()) as response:
            lines = response.read().decode().splitlines()
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        return sum(
            float(line.rpartition(" ")[2])
            for line in lines
            if line.startswith((f"{name}{{", f"{name} ")) and all(each in line for each in wanted)
        )

    def token(self):
        """Of the account that it runs with, which may read the metrics too."""
        users = yaml.safe_load(pathlib.Path(self.kubeconfig).read_text())["users"]
        return users[0]["user"]["token"]

    def open_metrics(self, token=None):
        url = f"https://127.0.0.1:{self.metrics_port}/metrics"
        request = urllib.request.Request(url)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        context = ssl._create_unverified_context()
        return urllib.request.urlopen(request, timeout=10, context=context)

    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def check(self):
        """ControllerDied if it should run and does not."""
        if self.process is not None and self.process.poll() is not None:
            code, self.process = self.process.returncode, None
            raise ControllerDied(
                f"{self.name} ended with code {code}; {self.log} ends:\n{self.tail()}"
            )

    def tail(self, lines=25):
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
        except FileNotFoundError:
            return ""

    def paused(self):
        return paused(self.process)

    def kill(self):
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            process.wait()

    def stop(self):
        """Asks it to end and returns its exit code."""
        process, self.process = self.process, None
        if process is None:
            return None
        process.terminate()
        try:
            return process.wait(STOP_DEADLINE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise ControllerDied(
                f"{self.name} did not end within {STOP_DEADLINE:g} s of SIGTERM"
            ) from None
