"""A real API server, as one that judges schemas and objects."""

import copy
import re
import secrets

from api_client import ApiError
from control_plane import wait_until

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GROUP = "cel.example.com"
RULES = "x-kubernetes-validations"
MERGE_PATCH = "application/merge-patch+json"
# Comes into every schema together with its rules, to see when they are in force.
SENTINEL = {"type": "integer", "maximum": 0}


class RuleServer:
    def __init__(self, api):
        self.api = api
        self.count = 0
        # The kinds of other runs may still be there.
        self.prefix = f"things{secrets.token_hex(4)}"

    def version(self):
        return self.api.get("/version")["gitVersion"]

    def judge_schema(self, schema):
        """What a definition with the schema is refused with; nothing is stored."""
        return self.refusal(
            lambda: self.api.create(DEFINITIONS + "?dryRun=All", self.definition(schema))
        )

    @staticmethod
    def refusal(call):
        """The causes of a refusal as [field, reason, message]; none when it is accepted."""
        return wait_until(lambda: RuleServer.try_refusal(call), 30, "an answer")[0]

    @staticmethod
    def try_refusal(call):
        """The causes in a list; None while the kind changes."""
        try:
            call()
        except ApiError as error:
            if error.code in (429, 503):
                return None
            if error.code != 422:
                raise
            causes = error.status["details"].get("causes", [])
            shown = ([each.get("field", ""), each["reason"], each["message"]] for each in causes)
            return [sorted([field, reason, unnumbered(text)] for field, reason, text in shown)]
        return [[]]

    def definition(self, schema, has_status=False, name=None):
        if name is None:
            self.count += 1
            name = f"{self.prefix}{self.count}"
        version = {
            "name": "v1",
            "served": True,
            "storage": True,
            "schema": {"openAPIV3Schema": schema},
        }
        if has_status:
            version["subresources"] = {"status": {}}
        names = {"plural": name, "singular": name, "kind": name.capitalize()}
        return {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{name}.{GROUP}"},
            "spec": {"group": GROUP, "scope": "Cluster", "names": names, "versions": [version]},
        }

    def kind(self, schema, olds=(), has_status=False):
        """A kind with the schema, in which objects are stored that its rules did not see."""
        made = self.definition(without_rules(schema), has_status)
        kind = Kind(self.api, made["spec"]["names"])
        self.api.create(DEFINITIONS, made)
        wait_until(kind.is_served, 30, f"{kind.path} is served")
        stored = [kind.store(old, f"o{number}") for number, old in enumerate(olds)]
        watched = copy.deepcopy(schema)
        watched.setdefault("properties", {})["sentinel"] = SENTINEL
        with_rules = self.definition(watched, has_status, kind.plural)
        self.api.patch(
            f"{DEFINITIONS}/{made['metadata']['name']}", {"spec": with_rules["spec"]}, MERGE_PATCH
        )
        wait_until(kind.has_rules, 30, f"the rules of {kind.path} are in force")
        return kind, stored


class Kind:
    def __init__(self, api, names):
        self.api = api
        self.plural = names["plural"]
        self.kind = names["kind"]
        self.path = f"/apis/{GROUP}/v1/{self.plural}"

    def named(self, item, name):
        metadata = {"name": name} | item.get("metadata", {})
        return item | {
            "apiVersion": f"{GROUP}/v1", "kind": self.kind, "metadata": metadata
        }  # fmt: skip

    def is_served(self):
        try:
            return self.api.get(self.path)
        except ApiError as error:
            if error.code in (404, 429, 503):
                return None
            raise

    def has_rules(self):
        return any(cause[0] == "sentinel" for cause in self.judge({"sentinel": 1}))

    def store(self, item, name):
        stored = self.api.create(self.path, self.named(item, name))
        if "status" in item and stored.get("status") != item["status"]:
            stored["status"] = item["status"]
            stored = self.api.replace(f"{self.path}/{stored['metadata']['name']}/status", stored)
        return stored

    def judge(self, item):
        """What a new object is refused with."""
        path = self.path + "?dryRun=All"
        return RuleServer.refusal(lambda: self.api.create(path, self.named(item, "new")))

    def judge_update(self, stored, item, is_status=False):
        """What the stored object is refused with when it becomes that one."""
        part = "/status" if is_status else ""
        path = f"{self.path}/{stored['metadata']['name']}{part}?dryRun=All"
        changed = item | {key: stored[key] for key in ("apiVersion", "kind", "metadata")}
        return RuleServer.refusal(lambda: self.api.replace(path, changed))


def unnumbered(message):
    """Without the number that the API server gives to the type of self."""
    return re.sub(r"selfType\d+", "selfType", message)


def without_rules(schema):
    if isinstance(schema, dict):
        return {key: without_rules(each) for key, each in schema.items() if key != RULES}
    return [without_rules(each) for each in schema] if isinstance(schema, list) else schema
