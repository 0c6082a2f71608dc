"""The chart with cert-manager: its certificates fit what is served, mounted and trusted, and the
controller's pod works with them on a real control plane. The test does in cert-manager's place what
cert-manager does: it signs, and writes authorities into the objects that ask for it."""

import base64
import gzip
import json
import pathlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import unittest
import urllib.request

import yaml

from api_client import ApiError
from certificates import openssl
from control_plane import ControlPlane, die_with_parent, free_ports, wait_until

from chart import CHART, KUEUE_NAMES, SPACE, helm, rendered, rendered_with
from cluster import find_binary
from objects import cluster_queue, flavor, job, local_queue, namespace

DEFINITIONS = pathlib.Path(__file__).parent / "definitions/cert_manager"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
HOOKS = "/apis/admissionregistration.k8s.io/v1"
SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
CERTIFICATES = f"/apis/cert-manager.io/v1/namespaces/{SPACE}/certificates"
DEPLOYMENT = f"/apis/apps/v1/namespaces/{SPACE}/deployments/sluice-controller-manager"
ACCOUNT = "var/run/secrets/kubernetes.io/serviceaccount"
INJECTED = "cert-manager.io/inject-ca-from"
ON = "--set=enableCertManager=true"
LONGEST_NAME = 64  # of a certificate (X.520)


def clients_of(made):
    """Where an object says whom the API server calls, and whose certificate it checks."""
    if made["kind"] == "APIService":
        return [made["spec"]]
    if made["kind"] == "CustomResourceDefinition":
        webhook = made["spec"].get("conversion", {}).get("webhook")
        return [webhook["clientConfig"]] if webhook else []
    if made["kind"].endswith("WebhookConfiguration"):
        return [each["clientConfig"] for each in made["webhooks"]]
    return []


def mounted_secrets(objects):
    """Where the container finds a Secret, by the Secret's name: (folder, is it waited for)."""
    (pod,) = [
        made["spec"]["template"]["spec"]
        for (kind, _), made in objects.items()
        if kind == "Deployment"
    ]
    folders = {
        each["name"]: each["mountPath"]
        for container in pod["containers"]
        for each in container["volumeMounts"]
    }
    return {
        each["secret"]["secretName"]: (
            folders[each["name"]], not each["secret"].get("optional", False))
        for each in pod["volumes"] if "secret" in each
    }  # fmt: skip


class AgreementTest(unittest.TestCase):
    def expect_agreement(self, objects, cluster="cluster.local"):
        certificates = {
            f"{made['metadata']['namespace']}/{name}": made["spec"]
            for (kind, name), made in objects.items()
            if kind == "Certificate"
        }
        secrets = {each["secretName"] for each in certificates.values()}
        self.assertEqual(len(secrets), len(certificates))
        self.assertEqual(mounted_secrets(objects).keys(), secrets)
        # The controller looks for some of them once, at its start.
        self.assertTrue(all(waits for _, waits in mounted_secrets(objects).values()))
        for certificate in certificates.values():
            service, *rest = certificate["dnsNames"][0].split(".")
            self.assertIn(("Service", service), objects)
            self.assertEqual(rest, [SPACE, "svc"])
            self.assertEqual(
                certificate["dnsNames"][1:], [f"{certificate['dnsNames'][0]}.{cluster}"])
            self.assertLessEqual(len(certificate["commonName"]), LONGEST_NAME)
        called = 0
        for key, made in objects.items():
            for client in clients_of(made):
                with self.subTest(key):
                    called += 1
                    source = made["metadata"]["annotations"][INJECTED]
                    host = f"{client['service']['name']}.{client['service']['namespace']}.svc"
                    self.assertIn(host, certificates[source]["dnsNames"])
                    # What is there already stays where cert-manager is told to merge.
                    self.assertFalse(client.get("caBundle"))
                    self.assertFalse(client.get("insecureSkipTLSVerify"))
        return len(certificates), called

    def test_each_certificate_is_good_for_who_is_called_and_is_mounted(self):
        certificates, called = self.expect_agreement(rendered(ON))
        self.assertEqual(certificates, 3)
        self.assertGreater(called, 20)

    def test_they_agree_whatever_the_names_are(self):
        text = "internalCertManagement: {webhookServiceName: hooks}"
        longest = "a" * 63
        for objects, *cluster in (
            (rendered(ON, "-f", KUEUE_NAMES, release="kueue"),),
            (rendered(ON, f"--set=fullnameOverride={longest}", release="b" * 53),),
            (rendered(ON, "--set=kubernetesClusterDomain=corp.example"), "corp.example"),
            (rendered_with(text, ON),),
        ):
            self.expect_agreement(objects, *cluster)

    def test_no_certificate_is_made_for_a_visibility_api_that_is_off(self):
        certificates, _ = self.expect_agreement(rendered(ON, "--set=enableVisibilityAPI=false"))
        self.assertEqual(certificates, 2)


class PodTest(unittest.TestCase):
    """Runs the Deployment's command with its mounts, in a root folder and with a mount namespace of
    its own: what is mounted at /visibility cannot be anywhere else."""

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="sluice-e2e-cert-manager-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.plane = ControlPlane(self.directory / "control-plane")
        self.plane.start()
        self.addCleanup(self.plane.stop)
        self.api = self.plane.api
        self.ports = dict(zip(("health", "metrics", "webhook", "visibility"), free_ports(4)))

    def install(self):
        for file in sorted(DEFINITIONS.glob("*.json.gz")):
            self.api.create(CRDS, json.loads(gzip.decompress(file.read_bytes())))
        for kind in ("certificates", "issuers"):
            self.plane.kubectl(
                "wait", "--for=condition=Established", "crd", f"{kind}.cert-manager.io")
        configuration = {
            "apiVersion": "config.kueue.x-k8s.io/v1beta2",
            "kind": "Configuration",
            "health": {"healthProbeBindAddress": f"127.0.0.1:{self.ports['health']}"},
            "metrics": {"bindAddress": f"127.0.0.1:{self.ports['metrics']}"},
            "webhook": {"host": "127.0.0.1", "port": self.ports["webhook"]},
            "visibilityServer": {
                "bindAddress": "127.0.0.1", "bindPort": self.ports["visibility"]},
            "integrations": {"frameworks": ["batch/job"]},
        }  # fmt: skip
        values = self.directory / "values.yaml"
        text = yaml.safe_dump(configuration)
        values.write_text(
            yaml.safe_dump(
                {"enableCertManager": True, "managerConfig": {"controllerManagerConfigYaml": text}}
            )
        )
        installation = ("install", "sluice", CHART, "-n", SPACE, "--create-namespace", "-f", values)
        without = helm(*installation, "--dry-run=server", "--set=crds.enabled=false",
                       kubeconfig=self.plane.kubeconfig).stdout  # fmt: skip
        done = helm(*installation, kubeconfig=self.plane.kubeconfig).stdout
        wanted = rendered("-f", values)
        for (kind, name), made in wanted.items():
            if kind == "CustomResourceDefinition" and clients_of(made):
                command = f"kubectl annotate crd {name} {INJECTED}={SPACE}/sluice-serving-cert"
                self.assertIn(command, without)
                self.assertNotIn(command, done)
        return wanted

    def sign(self):
        """In place of cert-manager: a Secret for each Certificate; returns the authorities by
        "namespace/name" of the Certificate."""
        authorities = {}
        for made in self.api.get(CERTIFICATES)["items"]:
            name, spec = made["metadata"]["name"], made["spec"]
            key, certificate = (self.directory / f"{name}.{end}" for end in ("key", "crt"))
            openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", str(key), "-out", str(certificate), "-days", "90",
                "-subj", f"/CN={spec['commonName']}",
                "-addext", "basicConstraints=critical,CA:FALSE",
                "-addext", "keyUsage=critical,digitalSignature,keyEncipherment",
                "-addext", "subjectAltName=" + ",".join(f"DNS:{n}" for n in spec["dnsNames"]),
            )  # fmt: skip
            pem = base64.b64encode(certificate.read_bytes()).decode()
            secret = {
                "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls",
                "metadata": {"name": spec["secretName"],
                             "annotations": {"cert-manager.io/certificate-name": name}},
                "data": {"ca.crt": pem, "tls.crt": pem,
                         "tls.key": base64.b64encode(key.read_bytes()).decode()},
            }  # fmt: skip
            self.api.create(f"/api/v1/namespaces/{SPACE}/secrets", secret)
            authorities[f"{SPACE}/{name}"] = pem
        return authorities

    def inject(self, authorities):
        """In place of cert-manager's injector; and in place of the network of pods, which leads a
        Service to the ports of the controller."""
        for name, port in (("kueue-webhook-service", "webhook"),
                           ("kueue-visibility-server", "visibility")):  # fmt: skip
            self.api.delete(f"/api/v1/namespaces/{SPACE}/services/{name}")
            outside = {"type": "ExternalName", "externalName": "localhost"}
            service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}}
            self.api.create(f"/api/v1/namespaces/{SPACE}/services", service | {"spec": outside})
        injected = 0
        for path, port in (
            (f"{HOOKS}/mutatingwebhookconfigurations", "webhook"),
            (f"{HOOKS}/validatingwebhookconfigurations", "webhook"),
            (CRDS, "webhook"),
            (SERVICES, "visibility"),
        ):
            listed = self.api.get(path)
            for made in listed["items"]:
                source = made["metadata"].get("annotations", {}).get(INJECTED)
                if source is None:
                    continue
                made["kind"] = listed["kind"].removesuffix("List")
                for client in clients_of(made):
                    client["caBundle"] = authorities[source]
                    client["service"]["port"] = self.ports[port]
                    injected += 1
                self.api.replace(f"{path}/{made['metadata']['name']}", made)
        self.assertGreater(injected, 10)

    def volume(self, described):
        """Names and contents of a volume's files."""
        if "emptyDir" in described:
            return {}
        if "configMap" in described:
            name = described["configMap"]["name"]
            found = self.api.get(f"/api/v1/namespaces/{SPACE}/configmaps/{name}")["data"]
            return {key: text.encode() for key, text in found.items()}
        secret = described["secret"]
        found = self.api.get(f"/api/v1/namespaces/{SPACE}/secrets/{secret['secretName']}")["data"]
        paths = {each["key"]: each["path"] for each in secret.get("items", ())}
        return {
            paths.get(key, key): base64.b64decode(content)
            for key, content in found.items()
            if key in paths or not paths
        }

    def make_root(self, pod):
        root = self.directory / "root"
        volumes = {each["name"]: self.volume(each) for each in pod["volumes"]}
        for each in pod["containers"][0]["volumeMounts"]:
            place = root / each["mountPath"].lstrip("/")
            files = volumes[each["name"]]
            if "subPath" in each:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(files[each["subPath"]])
                continue
            place.mkdir(parents=True, exist_ok=True)
            for name, content in files.items():
                (place / name).write_bytes(content)
        account = root / ACCOUNT
        account.mkdir(parents=True)
        kubeconfig = yaml.safe_load(
            self.plane.service_account_kubeconfig(
                SPACE, pod["serviceAccountName"], self.directory / "account"
            ).read_text()
        )
        cluster = kubeconfig["clusters"][0]["cluster"]
        (account / "token").write_text(kubeconfig["users"][0]["user"]["token"])
        (account / "namespace").write_text(SPACE)
        (account / "ca.crt").write_bytes(base64.b64decode(cluster["certificate-authority-data"]))
        return root, cluster["server"].removeprefix("https://").split(":")

    def start(self):
        pod = self.api.get(DEPLOYMENT)["spec"]["template"]["spec"]
        root, (host, port) = self.make_root(pod)
        (container,) = pod["containers"]
        (root / "sluice").touch()
        script = """
            set -eu
            root=$1 program=$2; shift 2
            for each in usr bin lib lib64 dev proc; do
                if [ -L "/$each" ]; then cp -P "/$each" "$root/"; continue; fi
                [ -d "/$each" ] || continue
                mkdir "$root/$each"
                mount --rbind "/$each" "$root/$each"
            done
            mount --bind "$program" "$root/sluice"
            exec chroot "$root" /sluice "$@"
        """
        arguments = (container["command"] + container["args"])[1:]
        self.log = self.directory / "log"
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                ["unshare", "--map-root-user", "--mount", "--fork", "--kill-child", "sh", "-c",
                 script, "start", root, find_binary(), *arguments],
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "KUBERNETES_SERVICE_HOST": host,
                     "KUBERNETES_SERVICE_PORT": port},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=die_with_parent)  # fmt: skip
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        def is_ready():
            self.assertIsNone(process.poll(), self.log.read_text())
            try:
                url = f"http://127.0.0.1:{self.ports['health']}/readyz"
                return urllib.request.urlopen(url, timeout=2).status == 200
            except OSError:
                return False

        wait_until(is_ready, 60, "the controller is ready")

    def test_the_pod_serves_what_cert_manager_signed(self):
        wanted = self.install()
        for kind, plural in (("Certificate", "certificates"), ("Issuer", "issuers")):
            listed = self.api.get(f"/apis/cert-manager.io/v1/namespaces/{SPACE}/{plural}")
            # The API server leaves out what cert-manager does not know.
            self.assertEqual(
                {each["metadata"]["name"]: each["spec"] for each in listed["items"]},
                {name: made["spec"] for (of, name), made in wanted.items() if of == kind},
            )
        authorities = self.sign()
        self.inject(authorities)
        self.start()
        self.expect_webhooks_and_conversion()
        for version in ("v1beta1", "v1beta2"):
            name = f"apiservice/{version}.visibility.kueue.x-k8s.io"
            self.plane.kubectl("wait", "--for=condition=Available", name, "--timeout=60s")
            path = f"/apis/visibility.kueue.x-k8s.io/{version}/clusterqueues/team/pendingworkloads"
            self.assertEqual(json.loads(self.plane.kubectl("get", "--raw", path))["items"], [])
        self.expect_metrics_of(authorities[f"{SPACE}/sluice-metrics-cert"])
        levels = {line.split(" ")[1] for line in self.log.read_text().splitlines()}
        self.assertEqual(levels, {"info"})

    def expect_webhooks_and_conversion(self):
        objects = (namespace("team"), flavor("on-demand"), cluster_queue("team", 4))
        objects += (local_queue("jobs", "team", "team"), job("first", "team", "jobs"))
        self.plane.kubectl("apply", "-f", "-", stdin=yaml.safe_dump_all(objects))
        path = "/apis/batch/v1/namespaces/team/jobs/first"
        wait_until(lambda: not self.api.get(path)["spec"]["suspend"], 30, "it runs")
        older = self.api.get("/apis/kueue.x-k8s.io/v1beta1/clusterqueues/team")
        self.assertEqual(older["apiVersion"], "kueue.x-k8s.io/v1beta1")
        bad = job("bad", "team", "No_Queue")
        with self.assertRaisesRegex(ApiError, "vjob.kb.io.*RFC 1123"):
            self.api.create("/apis/batch/v1/namespaces/team/jobs", bad)

    def expect_metrics_of(self, authority):
        name = f"sluice-controller-manager-metrics-service.{SPACE}.svc"
        trust = ssl.create_default_context(cadata=base64.b64decode(authority).decode())
        address = ("127.0.0.1", self.ports["metrics"])
        with socket.create_connection(address, timeout=10) as plain:
            with trust.wrap_socket(plain, server_hostname=name) as secured:
                self.assertIn(("DNS", name), secured.getpeercert()["subjectAltName"])
