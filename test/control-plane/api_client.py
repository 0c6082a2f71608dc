"""A small client of the Kubernetes API for tests: JSON over HTTPS, and watches that can prove they
missed nothing.

kubectl is what users have, so the tests apply manifests with it. But a test that claims "at no
moment was quota exceeded" needs every single change: `kubectl get --watch` starts again quietly
when its stream ends, this client goes on exactly where it stopped or fails. And a process per call
would be most of the work of a small machine.
"""

import http.client
import json
import select
import ssl
import threading
import urllib.parse

from watch import EndableWatch

MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
JSON_PATCH = "application/json-patch+json"


class ApiError(Exception):
    """The API server said no."""

    def __init__(self, method, path, code, body):
        self.code = code
        try:
            self.status = json.loads(body)
        except ValueError:
            self.status = {}
        self.reason = self.status.get("reason", "")
        self.message = self.status.get("message") or body.decode(errors="replace")
        super().__init__(f"{method} {path}: {code} {self.reason}: {self.message}")


class HistoryLost(Exception):
    """A watch cannot go on without a gap (410 Gone)."""


class ApiClient:
    """Talks to one API server as the holder of a client certificate. Threads may share it."""

    def __init__(self, host, port, ca_file, certificate_file, key_file, timeout=30.0):
        self.host, self.port, self.timeout = host, port, timeout
        self.tls = ssl.create_default_context(cafile=str(ca_file))
        self.tls.load_cert_chain(str(certificate_file), str(key_file))
        self.local = threading.local()

    def connect(self, timeout):
        return http.client.HTTPSConnection(self.host, self.port, timeout=timeout, context=self.tls)

    def use_connection(self):
        """Readies this thread's connection; whether it is a fresh one."""
        kept = getattr(self.local, "connection", None)
        # On an idle connection there is nothing to read but its end.
        if kept is not None and kept.sock and select.select([kept.sock], [], [], 0)[0]:
            kept.close()
            kept = None
        if kept is None:
            self.local.connection = self.connect(self.timeout)
        return kept is None

    def raw(self, method, path, body=None, content_type="application/json"):
        """The bytes of the reply; ApiError if it is none of success."""
        payload = None if body is None else json.dumps(body).encode()
        headers = {"Accept": "application/json"} | (
            {"Content-Type": content_type} if payload is not None else {}
        )
        # The server may have closed an idle connection. What it could not take whole can be
        # repeated, and a read always; a write whose answer does not come is reported: the caller
        # cannot know whether it was done.
        for attempt in (1, 2):
            fresh = self.use_connection()
            is_sent = False
            try:
                self.local.connection.request(method, path, body=payload, headers=headers)
                is_sent = True
                response = self.local.connection.getresponse()
                data = response.read()
            except (http.client.HTTPException, OSError):
                self.local.connection.close()
                self.local.connection = None
                if fresh or attempt == 2 or (is_sent and method != "GET"):
                    raise
                continue
            if response.status >= 300:
                raise ApiError(method, path, response.status, data)
            return data
        raise AssertionError("unreachable")

    def request(self, method, path, body=None, content_type="application/json"):
        return json.loads(self.raw(method, path, body, content_type))

    def get(self, path):
        return self.request("GET", path)

    def find(self, path):
        """The object, or None where there is none."""
        try:
            return self.get(path)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def create(self, path, body):
        return self.request("POST", path, body)

    def replace(self, path, body):
        return self.request("PUT", path, body)

    def patch(self, path, body, content_type=MERGE_PATCH):
        return self.request("PATCH", path, body, content_type)

    def delete(self, path, **options):
        """Deletes; `options` are DeleteOptions. No error if it is gone already."""
        try:
            return self.request(
                "DELETE", path, {"apiVersion": "v1", "kind": "DeleteOptions", **options}
            )
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def watch(self, path, resource_version):
        """Every change of the collection at `path` after `resource_version`: iterate over it, stop
        it from elsewhere.
        """
        return Watch(self, path, resource_version)


class Watch(EndableWatch):
    """Yields (type, object) for each change until it is stopped.

    A stream that ends is taken up at the last version seen; where that is not possible HistoryLost
    is raised, never a gap passed over.
    """

    # The server sends a bookmark about every minute, so a stream that is silent for longer is dead.
    SILENCE = 90.0

    def __init__(self, client, path, resource_version):
        super().__init__()
        self.client, self.path, self.version = client, path, resource_version

    def connect(self):
        return self.client.connect(self.SILENCE)

    def changes(self, connection):
        query = {
            "watch": "1",
            "resourceVersion": self.version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": "600",
        }
        separator = "&" if "?" in self.path else "?"
        connection.connect()
        self.holds(connection)
        connection.request("GET", self.path + separator + urllib.parse.urlencode(query))
        response = connection.getresponse()
        if response.status in (429, 503):
            # A definition was changed and the server sets up its storage anew.
            self.stopped.wait(0.2)
            return
        if response.status == 410:
            raise HistoryLost(f"watch {self.path}: version {self.version} is gone")
        if response.status != 200:
            raise ApiError("WATCH", self.path, response.status, response.read())
        while not self.stopped.is_set():
            line = response.readline()
            if not line:
                return
            event = json.loads(line)
            if event["type"] == "ERROR":
                raise HistoryLost(f"watch {self.path}: {event['object'].get('message')}")
            self.version = event["object"]["metadata"]["resourceVersion"]
            if event["type"] != "BOOKMARK":
                yield event["type"], event["object"]
