"""Records every change of the objects that matter, in the order in which etcd made them.

A promise such as "quota is never exceeded" is about all moments. The last state proves nothing
about them, so the tests watch from before the first object on and judge the whole record
(invariants.py). The same record is what tests wait on: a change wakes them, nobody polls.
"""

import threading
import time
from dataclasses import dataclass

from api_client import ApiError, HistoryLost
from control_plane import wait_until

KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
# Seconds after which all watches must have seen a change of their definition.
LATE = 15.0
COLLECTIONS = {
    "clusterqueues": f"{KUEUE}/clusterqueues",
    "localqueues": f"{KUEUE}/localqueues",
    "workloads": f"{KUEUE}/workloads",
    "jobs": "/apis/batch/v1/jobs",
    "pods": "/api/v1/pods",
}


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

    def __init__(self, api):
        self.api = api
        self.changes = []
        self.state = {collection: {} for collection in COLLECTIONS}
        self.changed = threading.Condition()
        self.failure = None
        self.watches, self.threads = {}, []
        self.stopped = False
        self.generations, self.redefined_at = {}, {}

    def start(self):
        for collection, path in COLLECTIONS.items():
            self.generations[collection] = self.generation(collection)
            listed = self.api.get(path)
            for item in listed["items"]:
                self.record(collection, "ADDED", item)
            self.watches[collection] = self.api.watch(path, listed["metadata"]["resourceVersion"])
            thread = threading.Thread(target=self.follow, args=(collection, path), daemon=True)
            thread.start()
            self.threads.append(thread)

    def stop(self):
        self.stopped = True
        for watch in self.watches.values():
            watch.stop()
        for thread in self.threads:
            thread.join()

    def follow(self, collection, path):
        try:
            while not self.stopped:
                try:
                    for kind, item in self.watches[collection]:
                        self.record(collection, kind, item)
                except HistoryLost as error:
                    self.resume(collection, path, error)
        except Exception as error:  # a record with a gap proves nothing: every later wait fails
            with self.changed:
                self.failure = error
                self.changed.notify_all()

    def generation(self, collection):
        """How often the definition of the kind was changed; 0 for a kind that needs none."""
        if not COLLECTIONS[collection].startswith(KUEUE):
            return 0
        definition = self.api.get(f"{DEFINITIONS}/{collection}.kueue.x-k8s.io")
        return definition["metadata"]["generation"]

    def was_redefined(self, collection):
        """Whether the definition of the kind was changed lately: on a busy machine a watch learns
        of it late, and maybe twice."""
        generation = self.generation(collection)
        if generation != self.generations[collection]:
            self.generations[collection] = generation
            self.redefined_at[collection] = time.monotonic()
        return time.monotonic() - self.redefined_at.get(collection, float("-inf")) < LATE

    def resume(self, collection, path, error):
        """Watches anew if nothing was missed, or if nothing of it could be seen.

        The API server forgets the past of a kind whose definition is changed, as it is when a
        controller names its webhook there. Versions tell whether something happened meanwhile.
        """
        is_explained = self.was_redefined(collection)
        listed = wait_until(lambda: self.list_if_served(path), 30, f"{path} is served again")
        versions = {key_of(item): version_of(item) for item in listed["items"]}
        with self.changed:
            known = {key: version_of(item) for key, item in self.state[collection].items()}
        if versions != known:
            if not is_explained:
                raise error
            self.record_difference(collection, listed["items"], versions, known)
        watch = self.api.watch(path, listed["metadata"]["resourceVersion"])
        self.watches[collection] = watch
        if self.stopped:
            watch.stop()

    def record_difference(self, collection, items, versions, known):
        """What a gap led to, without what happened within it."""
        with self.changed:
            gone = [self.state[collection][key] for key in known if key not in versions]
        for item in gone:
            self.record(collection, "DELETED", item)
        for item in items:
            if known.get(key_of(item)) != version_of(item):
                self.record(collection, "MODIFIED" if key_of(item) in known else "ADDED", item)

    def list_if_served(self, path):
        try:
            return self.api.get(path)
        except ApiError as error:
            if error.code in (404, 429, 503):
                return None
            raise

    def record(self, collection, kind, item):
        change = Change(int(version_of(item)), collection, kind, item)
        with self.changed:
            self.changes.append(change)
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
