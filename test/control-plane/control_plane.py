#!/usr/bin/env python3
"""A real Kubernetes control plane on loopback: etcd, kube-apiserver, kube-controller-manager and,
if wanted, kube-scheduler, with TLS, RBAC and service account tokens. No kubelets: fake_kubelet.py
plays those of the fake nodes, if any are given.

As a library:

    with ControlPlane(directory, binaries) as plane:
        plane.kubectl("apply", "-f", "crds/")

As a command:

    control_plane.py start DIR [--scheduler] [--nodes NODES]  a `run` in the background; returns
                                                              when ready, and that one goes on
    control_plane.py stop DIR                                 ends what start or run began
    control_plane.py run DIR [--scheduler] [--nodes NODES]    in the foreground, until SIGTERM
    control_plane.py token DIR NAMESPACE NAME KUBECONFIG      writes a kubeconfig for a service
                                                              account

NODES is a file with a JSON list of fake nodes:
[{"name": …, "labels": {…}, "taints": [{…}], "resources": {…}}].

DIR gets the certificates, the data, the logs and admin.kubeconfig. The components die with the
`run` that holds them (of the library: with the process that uses it), however that one dies; they
outlive `start`.
"""

import argparse
import base64
import contextlib
import ctypes
import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.request

import fake_kubelet
from api_client import ApiClient
from certificates import Authority, CertificateError
from etcd_client import EtcdClient

HERE = pathlib.Path(__file__).resolve().parent
PR_SET_PDEATHSIG = 1
# How long a component may take before something is wrong; it takes a tenth of this where the
# machine is idle.
START_DEADLINE = 90.0
STOP_DEADLINE = 15.0


class ControlPlaneError(Exception):
    """The control plane cannot do what was asked; the message says which component and where its
    log is.
    """


class PortTaken(ControlPlaneError):
    """Another program took a port between our finding it free and the component's binding it."""


def wait_until(condition, seconds, what, interval=0.05):
    """Calls `condition` until it returns something true, and returns that; ControlPlaneError after
    `seconds`.
    """
    deadline = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > deadline:
            raise ControlPlaneError(f"{what}: not within {seconds:g} s")
        time.sleep(interval)


def die_with_parent():
    """For preexec_fn: the kernel kills the child when this process is gone, even by SIGKILL."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_ports(count):
    # All are held at the same time, or the kernel might hand out one of them twice.
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def find_binaries():
    """The folder of built binaries; builds them the first time."""
    result = subprocess.run([HERE / "build.sh"], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise ControlPlaneError("test/control-plane/build.sh failed, see above")
    return pathlib.Path(result.stdout.strip())


@contextlib.contextmanager
def paused(process):
    """It does nothing within the block, and goes on after it as if no time had passed."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


class Component:
    """One child process with a log file."""

    def __init__(self, name, command, log_directory):
        self.name, self.command = name, command
        self.log = pathlib.Path(log_directory) / f"{name}.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=die_with_parent,
                start_new_session=True,
            )  # fmt: skip

    def check(self):
        if self.process.poll() is None:
            return
        log = self.log.read_text(errors="replace")
        if "address already in use" in log:
            raise PortTaken(f"{self.name}: its port was taken")
        lines = "\n".join(log.splitlines()[-15:])
        raise ControlPlaneError(
            f"{self.name} ended with code {self.process.returncode}; {self.log} ends:\n{lines}"
        )

    def stop(self, deadline=STOP_DEADLINE):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(deadline)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def paused(self):
        return paused(self.process)


class ControlPlane:
    """Owns one control plane in `directory`. start() returns when it answers and its controllers
    work.
    """

    def __init__(
        self, directory, binaries=None, scheduler=False, prepare=None, audit_policy=None
    ):
        self.directory = pathlib.Path(directory).resolve()
        self.binaries = pathlib.Path(binaries) if binaries else find_binaries()
        self.scheduler = scheduler
        # Called when the API server answers, before the controllers start: the garbage collector
        # looks for new kinds only every 30 seconds, so definitions are best made here.
        self.prepare = prepare
        # An audit.k8s.io Policy: which requests the API server writes down, in `audit_log`.
        self.audit_policy = audit_policy
        self.audit_log = self.directory / "audit.log"
        self.components = []
        self.seconds_to_ready = None
        self.kubeconfig = self.directory / "admin.kubeconfig"
        self.pki = self.directory / "pki"
        self.server = None
        self.api = self.etcd = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        started = time.monotonic()
        self.directory.mkdir(parents=True, exist_ok=True)
        try:
            self.make_certificates()
        except CertificateError as error:
            raise ControlPlaneError(str(error)) from error
        for attempt in (1, 2, 3):
            try:
                self.start_components()
                break
            except PortTaken:
                self.stop()
                if attempt == 3:
                    raise
            except BaseException:
                self.stop()
                raise
        self.seconds_to_ready = time.monotonic() - started

    def stop(self):
        # The API server before etcd, or it would fill its log with complaints; the rest before the
        # API server.
        while self.components:
            self.components.pop().stop()

    def make_certificates(self):
        authority = Authority(self.pki)
        hosts = ["IP:127.0.0.1", "IP:10.96.0.1", "DNS:localhost", "DNS:kubernetes.default.svc"]
        self.ca = authority.certificate
        self.certificates = {
            "server": authority.issue("server", "kube-apiserver", hosts=hosts),
            "etcd": authority.issue("etcd", "etcd", hosts=hosts),
            "admin": authority.issue("admin", "sluice-test-admin", "system:masters"),
            "kube-controller-manager": authority.issue(
                "kube-controller-manager", "system:kube-controller-manager", hosts=hosts
            ),
            "kube-scheduler": authority.issue(
                "kube-scheduler", "system:kube-scheduler", hosts=hosts
            ),
            "front-proxy": authority.issue("front-proxy", "front-proxy-client"),
        }
        self.token_keys = authority.make_key_pair("service-account")

    def start_components(self):
        ports = free_ports(5)
        self.server = f"https://127.0.0.1:{ports[2]}"
        for user in ("admin", "kube-controller-manager", "kube-scheduler"):
            certificate, key = (
                base64.b64encode(path.read_bytes()).decode() for path in self.certificates[user]
            )
            self.write_kubeconfig(
                self.directory / f"{user}.kubeconfig",
                {"client-certificate-data": certificate, "client-key-data": key},
            )
        self.api = ApiClient("127.0.0.1", ports[2], self.ca, *self.certificates["admin"])
        self.etcd = EtcdClient(ports[0], self.ca, *self.certificates["etcd"])
        self.launch("etcd", self.etcd_flags(*ports[:2]))
        # The API server tries etcd again by itself, so the two start side by side.
        self.launch("kube-apiserver", self.apiserver_flags(ports[0], ports[2]))
        self.wait_ready("kube-apiserver", self.server + "/readyz")
        if self.prepare:
            self.prepare()
        self.launch("kube-controller-manager", self.controller_manager_flags(ports[3]))
        if self.scheduler:
            self.launch("kube-scheduler", self.scheduler_flags(ports[4]))
            self.wait_ready("kube-scheduler", f"https://127.0.0.1:{ports[4]}/healthz")
        self.wait_ready("kube-controller-manager", f"https://127.0.0.1:{ports[3]}/healthz")
        # No pod can be created before this account is there.
        path = "/api/v1/namespaces/default/serviceaccounts/default"
        self.wait_for(lambda: self.api.find(path), "the default service account")

    def launch(self, name, flags):
        binary = self.binaries / name
        if not binary.exists():
            raise ControlPlaneError(f"no {name} in {self.binaries}")
        self.components.append(Component(name, [binary, *flags], self.directory))

    def component(self, name):
        return next(each for each in self.components if each.name == name)

    @contextlib.contextmanager
    def without(self, name):
        """The component is killed before the block, and runs again after it."""
        component = self.component(name)
        component.process.kill()
        component.process.wait()
        self.components.remove(component)
        try:
            yield
        finally:
            self.components.append(Component(name, component.command, self.directory))

    def check(self):
        """ControlPlaneError if a component has died."""
        for component in self.components:
            component.check()

    def wait_for(self, condition, what, seconds=START_DEADLINE):
        def attempt():
            self.check()
            return condition()

        return wait_until(attempt, seconds, what)

    def wait_ready(self, name, url):
        context = ssl.create_default_context(cafile=str(self.ca))

        def is_ready():
            try:
                with urllib.request.urlopen(url, timeout=5, context=context) as response:
                    return response.status == 200
            except OSError:  # refused, or 500 while it still starts
                return False

        self.wait_for(is_ready, f"{name} ready at {url}")

    def etcd_flags(self, client_port, peer_port):
        client, peer = f"https://127.0.0.1:{client_port}", f"http://127.0.0.1:{peer_port}"
        certificate, key = self.certificates["etcd"]
        return [
            f"--data-dir={self.directory / 'etcd'}",
            # The data need not outlive the machine, and waiting for the disk is most of what etcd
            # does.
            "--unsafe-no-fsync",
            f"--listen-client-urls={client}", f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
            f"--cert-file={certificate}", f"--key-file={key}",
            "--client-cert-auth", f"--trusted-ca-file={self.ca}",
            "--log-level=warn",
        ]  # fmt: skip

    def apiserver_flags(self, etcd_port, port):
        certificate, key = self.certificates["server"]
        etcd_certificate, etcd_key = self.certificates["etcd"]
        proxy_certificate, proxy_key = self.certificates["front-proxy"]
        public, private = self.token_keys
        return [
            f"--etcd-servers=https://127.0.0.1:{etcd_port}", f"--etcd-cafile={self.ca}",
            f"--etcd-certfile={etcd_certificate}", f"--etcd-keyfile={etcd_key}",
            "--bind-address=127.0.0.1", f"--secure-port={port}",
            f"--tls-cert-file={certificate}", f"--tls-private-key-file={key}",
            f"--client-ca-file={self.ca}", "--authorization-mode=RBAC",
            # What an aggregated API server needs in order to trust the requests that are passed on
            # to it.
            f"--requestheader-client-ca-file={self.ca}",
            "--requestheader-allowed-names=front-proxy-client",
            "--requestheader-username-headers=X-Remote-User",
            "--requestheader-group-headers=X-Remote-Group",
            "--requestheader-extra-headers-prefix=X-Remote-Extra-",
            f"--proxy-client-cert-file={proxy_certificate}", f"--proxy-client-key-file={proxy_key}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={public}", f"--service-account-signing-key-file={private}",
            "--service-cluster-ip-range=10.96.0.0/16",
            # Loopback cannot be the address of a service, so the `kubernetes` service gets no
            # endpoints.
            "--endpoint-reconciler-type=none",
            "--profiling=false",
            *self.audit_flags(),
        ]  # fmt: skip

    def audit_flags(self):
        if self.audit_policy is None:
            return []
        policy = self.directory / "audit-policy.json"
        policy.write_text(json.dumps(self.audit_policy, indent=2) + "\n")
        return [f"--audit-policy-file={policy}", f"--audit-log-path={self.audit_log}"]

    def controller_manager_flags(self, port):
        certificate, key = self.certificates["kube-controller-manager"]
        return [
            f"--kubeconfig={self.directory / 'kube-controller-manager.kubeconfig'}",
            "--bind-address=127.0.0.1", f"--secure-port={port}",
            f"--tls-cert-file={certificate}", f"--tls-private-key-file={key}",
            "--leader-elect=false", "--use-service-account-credentials",
            f"--service-account-private-key-file={self.token_keys[1]}", f"--root-ca-file={self.ca}",
            # The fake nodes' leases are not renewed, so the controller of dead nodes must not run.
            "--controllers=*,-node-lifecycle-controller",
            "--profiling=false",
        ]  # fmt: skip

    def scheduler_flags(self, port):
        certificate, key = self.certificates["kube-scheduler"]
        return [
            f"--kubeconfig={self.directory / 'kube-scheduler.kubeconfig'}",
            "--bind-address=127.0.0.1", f"--secure-port={port}",
            f"--tls-cert-file={certificate}", f"--tls-private-key-file={key}",
            "--leader-elect=false", "--profiling=false",
        ]  # fmt: skip

    def write_kubeconfig(self, path, user):
        """A kubeconfig for this server; `user` is the credential part. JSON is YAML."""
        authority = base64.b64encode(self.ca.read_bytes()).decode()
        cluster = {"server": self.server, "certificate-authority-data": authority}
        document = {
            "apiVersion": "v1", "kind": "Config", "current-context": "sluice",
            "clusters": [{"name": "sluice", "cluster": cluster}],
            "users": [{"name": "sluice", "user": user}],
            "contexts": [{"name": "sluice", "context": {"cluster": "sluice", "user": "sluice"}}],
        }  # fmt: skip
        path = pathlib.Path(path)
        path.touch(mode=0o600)
        path.write_text(json.dumps(document, indent=2) + "\n")
        return path

    def kubectl(self, *arguments, stdin=None, check=True, kubeconfig=None):
        """Runs kubectl and returns what it printed; ControlPlaneError with its words if it fails
        and `check` is on.
        """
        result = run_kubectl(self.binaries, kubeconfig or self.kubeconfig, arguments, stdin)
        if check and result.returncode != 0:
            raise ControlPlaneError(
                f"kubectl {' '.join(map(str, arguments))}: {result.stderr.strip()}"
            )
        return result.stdout if check else result

    def service_account_kubeconfig(self, namespace, name, path, duration="24h"):
        """Writes a kubeconfig that holds a bound token of the service account, as a pod would have
        one.
        """
        token = self.kubectl(
            "create", "token", name, "--namespace", namespace, f"--duration={duration}"
        ).strip()
        return self.write_kubeconfig(path, {"token": token})


def run_kubectl(binaries, kubeconfig, arguments, stdin=None):
    return subprocess.run(
        [str(binaries / "kubectl"), f"--kubeconfig={kubeconfig}", *map(str, arguments)],
        input=stdin, capture_output=True, text=True,
        # Discovery is cached under HOME by server address, and our ports come round again.
        env={**os.environ, "KUBECACHEDIR": str(pathlib.Path(kubeconfig).parent / "kubectl-cache")},
    )  # fmt: skip


def run(arguments):
    """Runs in the foreground; writes DIR/ready.json when ready."""
    # From here on a signal ends the program by way of the `finally` and `with` blocks.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    directory = pathlib.Path(arguments.directory).resolve()
    ready = directory / "ready.json"
    with ControlPlane(directory, arguments.binaries, arguments.scheduler) as plane:
        kubelet = None
        if arguments.nodes:
            kubelet = fake_kubelet.FakeKubelet(plane.api, read_nodes(arguments.nodes))
            kubelet.start()
        try:
            report = {
                "pid": os.getpid(),
                "seconds": round(plane.seconds_to_ready, 1),
                "binaries": str(plane.binaries),
            }
            report |= {"server": plane.server, "kubeconfig": str(plane.kubeconfig)}
            partial = ready.with_suffix(".tmp")
            partial.write_text(json.dumps(report) + "\n")
            partial.rename(ready)
            print(
                f"ready in {report['seconds']} s: {plane.server}, kubeconfig {plane.kubeconfig}",
                flush=True,
            )
            while True:
                time.sleep(1)
                plane.check()
        finally:
            ready.unlink(missing_ok=True)
            if kubelet:
                kubelet.stop()


def read_nodes(path):
    try:
        nodes = json.loads(pathlib.Path(path).read_text())
        return [fake_kubelet.make_node(**node) for node in nodes]
    except (OSError, ValueError, TypeError) as error:
        raise ControlPlaneError(f"{path} is no list of nodes: {error}") from error


def start(arguments):
    directory = pathlib.Path(arguments.directory).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    if read_ready(directory):
        raise ControlPlaneError(f"a control plane runs in {directory} already; stop it first")
    # Built here, so that a long build shows its progress and does not count as a slow start.
    binaries = pathlib.Path(arguments.binaries) if arguments.binaries else find_binaries()
    command = [sys.executable, __file__, "run", str(directory), f"--binaries={binaries}"]
    command += ["--scheduler"] if arguments.scheduler else []
    command += [f"--nodes={pathlib.Path(arguments.nodes).resolve()}"] if arguments.nodes else []
    log = directory / "control-plane.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def is_ready():
        if process.poll() is not None:
            raise ControlPlaneError(
                f"the control plane did not start:\n{log.read_text(errors='replace')}"
            )
        return read_ready(directory)

    report = wait_until(is_ready, 2 * START_DEADLINE, "control plane")
    print(f"ready in {report['seconds']} s: {report['server']}, kubeconfig {report['kubeconfig']}")


def read_ready(directory):
    """The report of a control plane that runs in `directory`, or None."""
    try:
        report = json.loads((directory / "ready.json").read_text())
        os.kill(report["pid"], 0)
        return report
    except (OSError, ValueError):
        return None


def stop(arguments):
    report = read_ready(pathlib.Path(arguments.directory).resolve())
    if report is None:
        raise ControlPlaneError(f"no control plane runs in {arguments.directory}")
    os.kill(report["pid"], signal.SIGTERM)
    wait_until(
        lambda: not process_exists(report["pid"]), 4 * STOP_DEADLINE, "control plane stopped"
    )


def process_exists(pid):
    try:
        # A process that ended and was not waited for yet is as good as gone.
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def token(arguments):
    directory = pathlib.Path(arguments.directory).resolve()
    report = read_ready(directory)
    if report is None:
        raise ControlPlaneError(f"no control plane runs in {directory}")
    plane = ControlPlane(directory, report["binaries"])
    plane.server, plane.ca = report["server"], plane.pki / "ca.crt"
    plane.service_account_kubeconfig(arguments.namespace, arguments.name, arguments.file)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for function in (start, run):
        command = commands.add_parser(function.__name__)
        command.set_defaults(function=function)
        command.add_argument("directory")
        command.add_argument(
            "--binaries", help="folder of the binaries (default: what build.sh prints)"
        )
        command.add_argument("--scheduler", action="store_true", help="with kube-scheduler")
        command.add_argument(
            "--nodes", help="file of fake nodes, whose pods are played (default: no nodes)"
        )
    command = commands.add_parser("stop")
    command.set_defaults(function=stop)
    command.add_argument("directory")
    command = commands.add_parser("token")
    command.set_defaults(function=token)
    for name in ("directory", "namespace", "name"):
        command.add_argument(name)
    command.add_argument("file", metavar="kubeconfig", help="the file that is written")
    arguments = parser.parse_args()
    try:
        arguments.function(arguments)
    except ControlPlaneError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
