"""Reads and writes objects of an API server by a kubeconfig, with nothing but Python and PyYAML."""

import base64
import http.client
import json
import pathlib
import ssl
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
SHOWN = (
    ("ClusterQueue", f"{KUEUE}/clusterqueues"),
    ("LocalQueue", f"{KUEUE}/localqueues"),
    ("Workload", f"{KUEUE}/workloads"),
    ("Job", "/apis/batch/v1/jobs"),
)
TIMEOUT = 30.0
# Several stories look at the same time.
FRESH = 0.1


class ApiError(Exception):
    """What the server says of a request that it refuses; `code` is 0 where it did not answer."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def one_named(entries, name):
    return next(entry for entry in entries if entry["name"] == name)


class Client:
    def __init__(self, kubeconfig):
        config = yaml.safe_load(pathlib.Path(kubeconfig).read_text())
        context = one_named(config["contexts"], config["current-context"])["context"]
        cluster = one_named(config["clusters"], context["cluster"])["cluster"]
        user = one_named(config["users"], context["user"])["user"]
        self.server = cluster["server"]
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self.tls = ssl.create_default_context(cadata=authority)
        self.headers = {"Accept": "application/json"}
        if "token" in user:
            self.headers["Authorization"] = f"Bearer {user['token']}"
        if "client-certificate-data" in user:
            self.load_certificate(user)
        self.kinds = {}
        self.lock = threading.Lock()
        self.seen, self.seen_at = [], 0.0

    def load_certificate(self, user):
        # ssl reads certificates from files alone.
        with tempfile.NamedTemporaryFile() as file:
            for part in ("client-certificate-data", "client-key-data"):
                file.write(base64.b64decode(user[part]) + b"\n")
            file.flush()
            self.tls.load_cert_chain(file.name)

    def request(self, method, path, body=None, content_type="application/json"):
        headers = self.headers | ({"Content-Type": content_type} if body is not None else {})
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.server + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT, context=self.tls) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise ApiError(error.code, refusal(error.read())) from None
        except (OSError, http.client.HTTPException) as error:
            raise ApiError(0, f"{method} {path}: {error}") from None

    def get(self, path):
        return self.request("GET", path)

    def patch(self, path, change):
        return self.request("PATCH", path, change, "application/merge-patch+json")

    def path_of(self, item):
        """Where an object is, by its kind's name in the server's discovery."""
        version, kind = item["apiVersion"], item["kind"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        if (version, kind) not in self.kinds:
            for each in self.get(root)["resources"]:
                if "/" not in each["name"]:
                    self.kinds[version, each["kind"]] = each["name"], each["namespaced"]
        if (version, kind) not in self.kinds:
            raise ApiError(404, f'no matches for kind "{kind}" in version "{version}"')
        plural, namespaced = self.kinds[version, kind]
        space = item["metadata"].get("namespace", "default")
        where = f"/namespaces/{space}" if namespaced else ""
        return f"{root}{where}/{plural}/{item['metadata']['name']}"

    def apply(self, item):
        """As `kubectl apply --server-side` does; the line that it prints."""
        path = self.path_of(item) + "?fieldManager=examples&force=true"
        self.request("PATCH", path, item, "application/apply-patch+yaml")
        group = item["apiVersion"].rpartition("/")[0]
        kind = item["kind"].lower() + (f".{group}" if group else "")
        return f"{kind}/{item['metadata']['name']} serverside-applied"

    def look(self):
        """All jobs and queues as they are now, or were a moment ago."""
        with self.lock:
            if time.monotonic() - self.seen_at >= FRESH:
                self.seen = [
                    item | {"kind": kind}
                    for kind, path in SHOWN
                    for item in self.get(path)["items"]
                ]
                self.seen_at = time.monotonic()
            return self.seen


def refusal(body):
    try:
        return json.loads(body)["message"]
    except (ValueError, KeyError, TypeError):
        return body[:500].decode(errors="replace")


def read_objects(file):
    """The objects of a file, with those of Lists one by one."""
    for document in yaml.safe_load_all(pathlib.Path(file).read_text()):
        if document is None:
            continue
        yield from document["items"] if document["kind"] == "List" else [document]
