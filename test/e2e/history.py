"""Records every change of the objects that matter, in the order in which etcd made them.

A promise such as "quota is never exceeded" is about all moments. The last state proves nothing
about them, so the tests watch from before the first object on and judge the whole record
(invariants.py). The same record is what tests wait on: a change wakes them, they do not poll.
"""

import functools
import threading
import time
from dataclasses import dataclass

GROUP = "kueue.x-k8s.io"
KUEUE = f"/apis/{GROUP}/v1beta2"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
# Of the custom kinds the record comes from etcd itself: the API server ends their watches and
# forgets their past whenever a definition is changed, as it is when a controller names its webhook.
CUSTOM = ("clusterqueues", "localqueues", "workloads")
BUILT_IN = {"jobs": "/apis/batch/v1/jobs", "pods": "/api/v1/pods"}
COLLECTIONS = (*CUSTOM, *BUILT_IN)
# Seconds that the record may be behind.
LATE = 30.0


@dataclass(frozen=True)
class Change:
    """One line of a watch. Versions are etcd revisions: one order for all collections."""

    version: int
    collection: str
    kind: str  # ADDED, MODIFIED or DELETED
    object: dict

    @property
    def key(self):
        return key_of(self.object)


class NotSeen(AssertionError):
    """What a test waited for did not come about in time."""


def key_of(item):
    return item["metadata"].get("namespace", ""), item["metadata"]["name"]


def version_of(item):
    return item["metadata"]["resourceVersion"]


class History:
    """The record from start() to stop(), and the present state that follows from it."""

    def __init__(self, api, etcd):
        self.api, self.etcd = api, etcd
        self.changes = []
        self.state = {collection: {} for collection in COLLECTIONS}
        self.versions = {collection: {} for collection in COLLECTIONS}
        self.changed = threading.Condition()
        self.failure = None
        self.watches, self.threads = {}, []

    def start(self):
        for collection in COLLECTIONS:
            version, items = self.list(collection)
            for item in items:
                self.record(collection, "ADDED", item)
            if collection in CUSTOM:
                watch = self.etcd.watch(GROUP, collection, version)
            else:
                watch = self.api.watch(BUILT_IN[collection], str(version))
            self.watches[collection] = watch
            thread = threading.Thread(target=self.follow, args=(collection,), daemon=True)
            thread.start()
            self.threads.append(thread)

    def stop(self):
        for watch in self.watches.values():
            watch.stop()
        for thread in self.threads:
            thread.join()

    def list(self, collection):
        """(version, objects) as of now."""
        if collection in CUSTOM:
            return self.etcd.list(GROUP, collection)
        listed = self.api.get(BUILT_IN[collection])
        return int(version_of(listed)), listed["items"]

    def follow(self, collection):
        try:
            for kind, item in self.watches[collection]:
                self.record(collection, kind, item)
        except Exception as error:  # a record with a gap proves nothing: every later wait fails
            with self.changed:
                self.failure = error
                self.changed.notify_all()

    def catch_up(self):
        """Returns when the record shows all that had happened when this was called."""
        for collection in COLLECTIONS:
            version, items = self.list(collection)
            listed = {key_of(item): int(version_of(item)) for item in items}
            shows = functools.partial(self.shows, collection, version, listed)
            self.wait_until(shows, LATE, f"the record has all {collection}")

    def shows(self, collection, version, listed):
        """Whether nothing that was `listed` at `version` is missing, and nothing is there that was
        deleted by then."""
        seen = self.versions[collection]
        return all(seen.get(key, 0) >= least for key, least in listed.items()) and all(
            key in listed or int(version_of(item)) > version
            for key, item in self.state[collection].items()
        )

    def record(self, collection, kind, item):
        change = Change(int(version_of(item)), collection, kind, item)
        with self.changed:
            self.changes.append(change)
            self.versions[collection][change.key] = change.version
            if kind == "DELETED":
                self.state[collection].pop(change.key, None)
            else:
                self.state[collection][change.key] = item
            self.changed.notify_all()

    def in_order(self):
        """All changes so far, oldest first."""
        with self.changed:
            changes = list(self.changes)
        return sorted(changes, key=lambda change: change.version)

    def get(self, collection, namespace, name):
        """The object as last seen, or None."""
        with self.changed:
            return self.state[collection].get((namespace, name))

    def all(self, collection, namespace=None):
        with self.changed:
            items = list(self.state[collection].values())
        return [item for item in items if namespace in (None, item["metadata"].get("namespace"))]

    def wait_until(self, condition, seconds, what):
        """Evaluates `condition` after each change until it is true, and returns its value."""
        deadline = time.monotonic() + seconds
        with self.changed:
            while True:
                if self.failure:
                    raise self.failure
                result = condition()
                if result:
                    return result
                left = deadline - time.monotonic()
                if left <= 0:
                    raise NotSeen(f"not within {seconds:g} s: {what}")
                self.changed.wait(left)

    def holds_for(self, condition, seconds, what):
        """Fails as soon as `condition` is false at a change within `seconds`.

        Only for "nothing happens": there is no event that could tell it sooner.
        """
        deadline = time.monotonic() + seconds
        with self.changed:
            while True:
                if self.failure:
                    raise self.failure
                assert condition(), f"no longer true: {what}"
                left = deadline - time.monotonic()
                if left <= 0:
                    return
                self.changed.wait(left)
