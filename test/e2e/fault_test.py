"""What happens around the controller, on a control plane of its own: the API server dies and comes
back, etcd forgets the past. Jobs give their quota back by being deleted, since no pod runs here."""

import base64
import contextlib
import datetime
import http.client
import itertools
import pathlib
import shutil
import ssl
import tempfile
import threading
import time
import unittest

import yaml

from api_client import ApiError
from certificates import openssl
from control_plane import ControlPlane, wait_until

from cluster import ROOT, SERVICE_ACCOUNT, find_binary
from controller_process import Controller, with_clock
from invariants import is_true
from objects import cluster_queue, flavor, job, local_queue, namespace

JOBS = "/apis/batch/v1/namespaces/team/jobs"
WORKLOADS = "/apis/kueue.x-k8s.io/v1beta2/namespaces/team/workloads"
QUOTA = 3
LATE = 120


class FaultTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-e2e-fault-"))
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        cls.plane = ControlPlane(cls.directory / "control-plane")
        cls.plane.start()
        cls.addClassCleanup(cls.plane.stop)
        cls.api = cls.plane.api
        cls.plane.kubectl("apply", "-f", ROOT / "examples/deploy/rbac.yaml")
        cls.plane.kubectl("apply", "-f", ROOT / "crds")
        kubeconfig = cls.plane.service_account_kubeconfig(
            *SERVICE_ACCOUNT, cls.directory / "account.kubeconfig"
        )
        cls.controller = Controller(find_binary(), kubeconfig, cls.directory)
        cls.addClassCleanup(cls.controller.kill)
        cls.controller.start()
        cls.apply(namespace("team"), flavor("on-demand"), cluster_queue("team", QUOTA))
        cls.apply(local_queue("jobs", "team", "team"))
        cls.names = (f"job-{number}" for number in itertools.count())

    @classmethod
    def apply(cls, *items):
        cls.plane.kubectl("apply", "-f", "-", stdin=yaml.safe_dump_all(items))

    def setUp(self):
        self.process = self.controller.process
        self.too_many = []
        self.is_over = threading.Event()
        watcher = threading.Thread(target=self.watch_quota, daemon=True)
        watcher.start()
        self.addCleanup(watcher.join)
        self.addCleanup(self.is_over.set)

    def tearDown(self):
        self.assertIs(self.controller.process, self.process)
        self.controller.check()
        for item in self.list(JOBS):
            self.delete(item["metadata"]["name"])
        self.wait(lambda: self.list(WORKLOADS) == [], "nothing is left")
        self.assertEqual(self.too_many, [], "more held quota than there is")

    def list(self, path):
        """The objects; None while the API server does not answer."""
        with contextlib.suppress(OSError, http.client.HTTPException, ApiError):
            return self.api.get(path)["items"]
        return None

    def watch_quota(self):
        while not self.is_over.wait(0.05):
            reserved = [each for each in self.list(WORKLOADS) or () if self.holds_quota(each)]
            if len(reserved) > QUOTA:
                self.too_many.append([each["metadata"]["name"] for each in reserved])

    @staticmethod
    def holds_quota(workload):
        return is_true(workload, "QuotaReserved") and not is_true(workload, "Finished")

    def wait(self, condition, what):
        return wait_until(condition, LATE, what)

    def submit(self, count):
        names = [next(self.names) for _ in range(count)]
        self.apply(*(job(name, "team", "jobs") for name in names))
        return names

    def delete(self, name):
        self.api.delete(f"{JOBS}/{name}", propagationPolicy="Background")

    def started(self):
        jobs = self.list(JOBS) or ()
        return {each["metadata"]["name"] for each in jobs if not each["spec"].get("suspend")}

    def wait_started(self, count):
        self.wait(lambda: len(self.started()) == count, f"{count} jobs have started")

    def pass_stream(self, names, disturb):
        """Ends all jobs one by one, and disturbs now and then."""
        ended = set()
        for number in range(len(names)):
            self.wait_started(min(QUOTA, len(names) - number))
            if number % 3 == 1:
                disturb()
            name = sorted(self.wait(self.started, "the API server answers"))[0]
            self.assertNotIn(name, ended)
            ended.add(name)
            self.wait(lambda name=name: self.try_delete(name), f"{name} is deleted")
        self.assertEqual(ended, set(names))

    def try_delete(self, name):
        with contextlib.suppress(OSError, http.client.HTTPException):
            self.delete(name)
            return self.api.find(f"{JOBS}/{name}") is None
        return False

    def test_the_api_server_is_away_for_a_second_again_and_again(self):
        def kill():
            with self.plane.without("kube-apiserver"):
                time.sleep(1)

        self.pass_stream(self.submit(9), kill)

    def test_the_api_server_is_away_for_a_minute(self):
        names = self.submit(QUOTA + 2)
        self.wait_started(QUOTA)
        with self.plane.without("kube-apiserver"):
            time.sleep(60)
        first = sorted(self.wait(self.started, "the API server answers"))[0]
        self.wait(lambda: self.try_delete(first), "the first is deleted")
        self.wait(lambda: len(self.started() & set(names)) == QUOTA, "the next one has started")

    def test_etcd_forgets_what_the_controller_has_not_seen(self):
        def forget():
            with self.controller.paused():
                self.submit(1)
                time.sleep(0.5)
                self.plane.etcd.compact()
                # The API server's own memory of the past goes with it.
                with self.plane.without("kube-apiserver"):
                    pass

        names = self.submit(QUOTA)
        self.wait_started(QUOTA)
        forget()
        for name in names:
            self.wait(lambda name=name: self.try_delete(name), f"{name} is deleted")
        self.wait_started(1)

    def test_the_controller_sleeps_for_half_a_minute(self):
        names = self.submit(QUOTA)
        self.wait_started(QUOTA)
        with self.controller.paused():
            later = self.submit(2)
            for name in names:
                self.delete(name)
            time.sleep(30)
        self.wait(lambda: self.started() == set(later), "what came meanwhile runs")

    def restart(self, environment):
        self.controller.kill()
        self.controller.environment = environment
        self.controller.start()
        self.process = self.controller.process

    def test_the_controllers_clock_is_wrong_by_half_a_minute(self):
        self.addCleanup(self.restart, {})
        for seconds in (30, -30):
            self.restart(with_clock(self.directory, seconds))
            logged = datetime.datetime.fromisoformat(self.controller.tail(1).split()[0])
            wrong_by = logged.timestamp() - time.time()
            self.assertAlmostEqual(wrong_by, seconds, delta=15)
            self.pass_stream(self.submit(QUOTA + 2), lambda: None)
            self.wait(lambda: self.list(WORKLOADS) == [], "nothing is left")

    def test_the_authority_of_the_webhook_is_replaced(self):
        names = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

        def published():
            definition = self.api.get(f"{names}/clusterqueues.kueue.x-k8s.io")
            config = definition["spec"]["conversion"]["webhook"]["clientConfig"]
            return base64.b64decode(config["caBundle"]).decode()

        def shown():
            return ssl.get_server_certificate(("127.0.0.1", self.controller.webhook_port))

        authority, certificate = published(), shown()
        self.api.delete("/api/v1/namespaces/kueue-system/secrets/kueue-webhook-server-cert")

        def is_replaced():
            # It must be converted, all the time.
            self.api.get("/apis/kueue.x-k8s.io/v1beta1/clusterqueues/team")
            return shown() != certificate

        # It is published at the next check, every 15 seconds, and shown 30 seconds later.
        wait_until(is_replaced, 90, "a certificate of a new authority is shown")
        self.assertIn(authority.strip(), published())
        self.assertNotEqual(authority, published())
        self.api.get("/apis/kueue.x-k8s.io/v1beta1/clusterqueues/team")

    def test_the_certificate_of_the_webhook_expires(self):
        secret = "/api/v1/namespaces/kueue-system/secrets/kueue-webhook-server-cert"
        data = {
            name: base64.b64decode(text) for name, text in self.api.get(secret)["data"].items()
        }
        expired = make_expired(self.directory / "expired", data)
        self.api.patch(secret, {"data": {"tls.crt": base64.b64encode(expired).decode()}})

        def is_renewed():
            # Read in the older version it must be converted, all the time.
            self.api.get("/apis/kueue.x-k8s.io/v1beta1/clusterqueues/team")
            return base64.b64decode(self.api.get(secret)["data"]["tls.crt"]) != expired

        self.wait(is_renewed, "the certificate is renewed")
        self.restart({})
        self.api.get("/apis/kueue.x-k8s.io/v1beta1/clusterqueues/team")


CA_SETTINGS = """
[ca]
default_ca = only
[only]
database = {0}/index
serial = {0}/serial
new_certs_dir = {0}
default_md = sha256
policy = any
x509_extensions = server
copy_extensions = none
unique_subject = no
[any]
commonName = optional
organizationName = optional
[server]
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:kueue-webhook-service.kueue-system.svc,IP:127.0.0.1
"""


def make_expired(folder, data):
    """A certificate for the key in `data`, signed by the authority there, that ended yesterday."""
    folder.mkdir()
    for name in ("ca.crt", "ca.key", "tls.key"):
        (folder / name).write_bytes(data[name])
    (folder / "settings").write_text(CA_SETTINGS.format(folder))
    (folder / "index").touch()
    (folder / "serial").write_text("01\n")
    request = str(folder / "request")
    openssl("req", "-new", "-key", str(folder / "tls.key"), "-subj", "/CN=old", "-out", request)
    now = time.time()
    begin, end = (
        time.strftime("%Y%m%d%H%M%SZ", time.gmtime(now - 86400 * days)) for days in (3, 1)
    )
    openssl(
        "ca", "-batch", "-notext", "-config", str(folder / "settings"), "-in", request,
        "-out", str(folder / "tls.crt"), "-startdate", begin, "-enddate", end,
        "-cert", str(folder / "ca.crt"), "-keyfile", str(folder / "ca.key"),
    )  # fmt: skip
    return (folder / "tls.crt").read_bytes()
