"""Every change of a kind as etcd made it, whatever happens to the API server's own watches.

The API server forgets the past of a kind whose definition is changed and ends its watches: what was
done until a client watches again is lost to that client. etcd forgets nothing (before its
compaction, five minutes later). Objects of custom kinds lie in it as JSON, in the version that is
stored; others (Jobs, pods) as protobuf, for those there is api_client.py.
"""

import base64
import http.client
import json
import ssl

from watch import EndableWatch

PREFIX = "/registry"


class RecordLost(Exception):
    """etcd cannot tell what happened since a revision."""


class EtcdClient:
    """Reads one etcd by its JSON gateway. Threads may share it."""

    def __init__(self, port, ca_file, certificate_file, key_file, timeout=30.0):
        self.port, self.timeout = port, timeout
        self.tls = ssl.create_default_context(cafile=str(ca_file))
        self.tls.load_cert_chain(str(certificate_file), str(key_file))

    def connect(self, timeout):
        return http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=timeout, context=self.tls
        )

    def ask(self, path, request):
        connection = self.connect(self.timeout)
        try:
            connection.request("POST", path, json.dumps(request))
            response = connection.getresponse()
            answer = json.loads(response.read())
        finally:
            connection.close()
        if response.status != 200:
            raise RecordLost(f"{path} {request}: {response.status} {answer}")
        return answer

    def list(self, group, plural):
        """(revision, objects) of a custom kind."""
        answer = self.ask("/v3/kv/range", range_of(group, plural))
        objects = [object_of(each, each["mod_revision"]) for each in answer.get("kvs", [])]
        return int(answer["header"]["revision"]), objects

    def compact(self):
        """Forgets all revisions but the present one."""
        answer = self.ask("/v3/kv/range", {"key": "AA==", "range_end": "AA==", "limit": 1})
        self.ask("/v3/kv/compaction", {"revision": answer["header"]["revision"]})

    def watch(self, group, plural, revision):
        """Every change after `revision`: iterate over it, stop it from elsewhere."""
        return EtcdWatch(self, group, plural, revision)


class EtcdWatch(EndableWatch):
    """Yields (type, object) for each change until it is stopped, as a watch of the API would.

    A stream that ends is taken up after the last change seen; RecordLost where that cannot be.
    """

    def __init__(self, client, group, plural, revision):
        super().__init__()
        self.client, self.range, self.revision = client, range_of(group, plural), revision

    def connect(self):
        # Without a limit: no change for an hour is no fault, and etcd is on this machine.
        return self.client.connect(None)

    def changes(self, connection):
        connection.connect()
        self.holds(connection)
        request = {**self.range, "start_revision": str(self.revision + 1), "prev_kv": True}
        connection.request("POST", "/v3/watch", json.dumps({"create_request": request}))
        response = connection.getresponse()
        while not self.stopped.is_set():
            line = response.readline()
            if not line:
                return
            answer = json.loads(line)
            result = answer.get("result")
            if result is None or result.get("canceled"):
                raise RecordLost(f"watch of {self.range}: {answer}")
            for event in result.get("events", []):
                yield change_of(event)
            if result.get("events"):
                # A reply holds all of its last revision.
                self.revision = int(result["events"][-1]["kv"]["mod_revision"])


def range_of(group, plural):
    """The keys of a kind: from its prefix to that with the last character raised by one."""
    prefix = f"{PREFIX}/{group}/{plural}/"
    following = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    encoded = (base64.b64encode(each.encode()).decode() for each in (prefix, following))
    return dict(zip(("key", "range_end"), encoded))


def change_of(event):
    version = event["kv"]["mod_revision"]
    if event.get("type") == "DELETE":
        return "DELETED", object_of(event["prev_kv"], version)
    is_new = event["kv"]["create_revision"] == version
    return "ADDED" if is_new else "MODIFIED", object_of(event["kv"], version)


def object_of(entry, version):
    """The object as the API shows it: the version is no part of what is stored."""
    item = json.loads(base64.b64decode(entry["value"]))
    item["metadata"]["resourceVersion"] = version
    return item
