"""Requests of all kinds, in order. Later ones see what earlier ones wrote."""

import dataclasses
import json

NS = "conformance"
JSON = "application/json"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
PARTIAL_LIST = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
MAPS = f"/api/v1/namespaces/{NS}/configmaps"
PODS = f"/api/v1/namespaces/{NS}/pods"
DEPLOYMENTS = f"/apis/apps/v1/namespaces/{NS}/deployments"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GROUP = "conformance.sluice.dev"
TOYS = f"/apis/{GROUP}/v1/namespaces/{NS}/toys"
DUPLICATES = (
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"w"},"foo":1,'
    '"data":{"a":"1","a":"2"}}'
)


@dataclasses.dataclass
class Request:
    """One request. A body that is no text is sent as JSON."""

    name: str
    method: str
    path: str
    body: object = None
    content_type: str = JSON
    accept: str = JSON
    # Repeated until the body, printed without blanks and with sorted members, has this text.
    until: str = ""
    is_compared: bool = True

    def payload(self):
        if self.body is None or isinstance(self.body, str):
            return self.body
        return json.dumps(self.body)


def config_map(name, data=None, **metadata):
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, **metadata},
        "data": data if data is not None else {"a": "1"},
    }


def pod(name, **spec):
    containers = [{"name": "main", "image": "any"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": containers, **spec},
    }


def deployment(name, replicas=0):
    """Without pods, so that the controllers of a real cluster leave the object alone."""
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "paused": True,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "main", "image": "any"}]},
            },
        },
    }


def crd():
    spec = {
        "type": "object",
        "required": ["size"],
        "properties": {
            "size": {"type": "integer", "minimum": 1, "maximum": 10},
            "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
            "replicas": {"type": "integer"},
            "tags": {
                "type": "array",
                "items": {"type": "string"},
                "x-kubernetes-list-type": "set",
            },
        },
        "x-kubernetes-validations": [
            {"rule": "self.size < 8 || self.color == 'blue'", "message": "large ones are blue"}
        ],
    }
    status = {
        "type": "object",
        "properties": {"phase": {"type": "string"}, "replicas": {"type": "integer"}},
    }
    schema = {"type": "object", "properties": {"spec": spec, "status": status}}
    version = {
        "served": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {
            "status": {},
            "scale": {
                "specReplicasPath": ".spec.replicas",
                "statusReplicasPath": ".status.replicas",
            },
        },
        "selectableFields": [{"jsonPath": ".spec.color"}],
        "additionalPrinterColumns": [
            {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
            {"name": "Phase", "type": "string", "jsonPath": ".status.phase"},
        ],
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"toys.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": "toys", "singular": "toy", "kind": "Toy", "shortNames": ["ty"]},
            "versions": [
                {"name": "v1", "storage": True, **version},
                {"name": "v1beta1", "storage": False, **version},
            ],
        },
    }


def toy(name, version="v1", **spec):
    return {
        "apiVersion": f"{GROUP}/{version}",
        "kind": "Toy",
        "metadata": {"name": name},
        "spec": {"size": 3, **spec},
    }


def preconditions(**wanted):
    return {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": wanted}


BINDING = {
    "apiVersion": "v1",
    "kind": "Binding",
    "metadata": {"name": "p"},
    "target": {"apiVersion": "v1", "kind": "Node", "name": "nowhere"},
}
ACCESS = {
    "apiVersion": "authorization.k8s.io/v1",
    "kind": "SelfSubjectAccessReview",
    "spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}},
}
WATCH = f"{MAPS}?watch=1&timeoutSeconds=1"
OWN = "fieldSelector=metadata.name!=kube-root-ca.crt"
LIST_WATCH = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
R = Request

NAMESPACES = [
    R("create namespace", "POST", "/api/v1/namespaces",
      {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NS}}),
    # A cluster's controllers make it, sooner or later.
    R("make the service account", "POST", f"/api/v1/namespaces/{NS}/serviceaccounts",
      {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}},
      is_compared=False),
    R("get namespace", "GET", f"/api/v1/namespaces/{NS}"),
    R("delete kube-system", "DELETE", "/api/v1/namespaces/kube-system?dryRun=All"),
    R("no such namespace", "POST", "/api/v1/namespaces/none/configmaps", config_map("x")),
]

PATHS = [
    R("no such object", "GET", f"{MAPS}/none"),
    R("no such resource", "GET", "/api/v1/nothings"),
    R("no such group", "GET", "/apis/none.example.com/v1"),
    R("no such path", "GET", "/nothing"),
    R("create without namespace", "POST", "/api/v1/configmaps", config_map("x")),
    R("update a collection", "PUT", MAPS, {}),
    R("no such subresource", "GET", f"{MAPS}/none/status"),
    R("post to no subresource", "POST", f"{MAPS}/x/nothing", {}),
    R("unacceptable", "GET", MAPS, accept="text/plain"),
]

# Dry runs: what is taken wrongly must not get in the way of what follows.
DRY = f"{MAPS}?dryRun=All"
BODIES = [
    R("truncated", "POST", DRY, '{"metadata":{"name":"w"'),
    R("empty body", "POST", DRY, ""),
    R("no object", "POST", DRY, "[]"),
    R("other kind", "POST", DRY, pod("w")),
    R("other version", "POST", DRY, {**config_map("w"), "apiVersion": "v2"}),
    R("wrong type", "POST", DRY, config_map("w", {"a": 1})),
    R("wrong type of replicas", "POST", f"{DEPLOYMENTS}?dryRun=All", deployment("w", "two")),
    R("bad name", "POST", DRY, config_map("X_")),
    R("no name", "POST", DRY, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}),
    R("other namespace", "POST", DRY, config_map("w", namespace="other")),
    R("bad label", "POST", DRY, config_map("w", labels={"a b": "c d"})),
    R("media type", "POST", DRY, config_map("w"), "text/plain"),
    R("with resourceVersion", "POST", DRY, config_map("w", resourceVersion="5")),
    R("unknown dryRun", "POST", f"{MAPS}?dryRun=Some", config_map("X_")),
    R("unknown fieldValidation", "POST", f"{DRY}&fieldValidation=Some", config_map("w")),
    R("strict", "POST", f"{DRY}&fieldValidation=Strict", DUPLICATES),
    R("warned of", "POST", f"{DRY}&fieldValidation=Warn", DUPLICATES),
    R("ignored", "POST", f"{DRY}&fieldValidation=Ignore", DUPLICATES),
    R("YAML", "POST", DRY,
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: w\ndata:\n  a: '1'\n",
      "application/yaml"),
    R("kind left out", "POST", DRY, {"metadata": {"name": "z"}}),
    R("nested deeply", "POST", DRY, '{"a":' * 5000 + "1" + "}" * 5000),
]

WRITES = [
    R("create", "POST", f"{MAPS}?fieldManager=me", config_map("x", labels={"n": "x"})),
    R("create again", "POST", MAPS, config_map("x")),
    R("generate a name", "POST", DRY,
      {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "gen-"}}),
    R("stale update", "PUT", f"{MAPS}/x", config_map("x", resourceVersion="1")),
    R("malformed version", "PUT", f"{MAPS}/x", config_map("x", resourceVersion="abc")),
    R("other name", "PUT", f"{MAPS}/x", config_map("y")),
    R("other uid", "PUT", f"{MAPS}/x", config_map("x", uid="abc")),
    R("update of none", "PUT", f"{MAPS}/none", config_map("none")),
    R("update", "PUT", f"{MAPS}/x", config_map("x", {"a": "2", "b": "3"}, labels={"n": "x"})),
    R("nothing new", "PUT", f"{MAPS}/x", config_map("x", {"a": "2", "b": "3"}, labels={"n": "x"})),
    R("merge patch", "PATCH", f"{MAPS}/x", {"data": {"b": None, "c": "4"}}, MERGE),
    R("patch of a list", "PATCH", f"{MAPS}/x", "[]", MERGE),
    R("stale patch", "PATCH", f"{MAPS}/x", {"metadata": {"resourceVersion": "1"}}, MERGE),
    R("patch of none", "PATCH", f"{MAPS}/none", {}, MERGE),
    R("unknown patch", "PATCH", f"{MAPS}/x", {}, JSON),
    R("malformed patch", "PATCH", f"{MAPS}/x", "{", MERGE),
    R("patch of wrong type", "PATCH", f"{MAPS}/x?dryRun=All", {"data": {"a": 1}}, MERGE),
    R("JSON patch", "PATCH", f"{MAPS}/x",
      [{"op": "test", "path": "/data/a", "value": "2"},
       {"op": "add", "path": "/data/d", "value": "5"}], JSON_PATCH),
    R("failed test", "PATCH", f"{MAPS}/x", [{"op": "test", "path": "/data/a", "value": "9"}],
      JSON_PATCH),
    R("JSON patch of no member", "PATCH", f"{MAPS}/x", [{"op": "remove", "path": "/foo"}],
      JSON_PATCH),
    R("JSON patch that is none", "PATCH", f"{MAPS}/x", {}, JSON_PATCH),
    R("strict patch", "PATCH", f"{MAPS}/x?dryRun=All&fieldValidation=Strict", {"foo": 1}, MERGE),
    R("strategic patch", "PATCH", f"{MAPS}/x", {"metadata": {"labels": {"m": "y"}}}, STRATEGIC),
    R("force of a patch", "PATCH", f"{MAPS}/x?force=true", {}, MERGE),
]

APPLIED = config_map("s", {"a": "1", "b": "2"})
ONE = f"{MAPS}/s?fieldManager=one"
APPLIES = [
    R("apply without manager", "PATCH", f"{MAPS}/s", APPLIED, APPLY),
    R("apply", "PATCH", ONE, APPLIED, APPLY),
    R("apply again", "PATCH", ONE, APPLIED, APPLY),
    R("conflict", "PATCH", f"{MAPS}/s?fieldManager=two", config_map("s", {"a": "9"}), APPLY),
    R("force", "PATCH", f"{MAPS}/s?fieldManager=two&force=true", config_map("s", {"a": "9"}),
      APPLY),
    R("give up", "PATCH", ONE, config_map("s", {"b": "2"}), APPLY),
    R("apply other version", "PATCH", ONE, {**APPLIED, "apiVersion": "v2"}, APPLY),
    R("apply malformed", "PATCH", ONE, "a: b: c", APPLY),
    R("apply unknown field", "PATCH", f"{ONE}&dryRun=All", {**APPLIED, "foo": 1}, APPLY),
]

LISTS = [
    R("list", "GET", f"{MAPS}?{OWN}"),
    R("list by label", "GET", f"{MAPS}?labelSelector=n%20in%20(x,y)"),
    R("list by page", "GET", f"{MAPS}?limit=1&{OWN}"),
    R("list of all namespaces", "GET", "/api/v1/configmaps?labelSelector=n%3Dx"),
    R("bad label selector", "GET", f"{MAPS}?labelSelector=a%3D%3D%3D"),
    R("bad label value", "GET", f"{MAPS}?labelSelector=a%3D-"),
    R("unknown field", "GET", f"{MAPS}?fieldSelector=a%3Db"),
    R("unknown field of pods", "GET", f"{PODS}?fieldSelector=a%3Db"),
    R("bad field selector", "GET", f"{MAPS}?fieldSelector=a"),
    R("bad limit", "GET", f"{MAPS}?limit=x"),
    R("bad continue", "GET", f"{MAPS}?continue=zzz"),
    R("bad version", "GET", f"{MAPS}?resourceVersion=abc"),
    R("future version", "GET", f"{MAPS}?resourceVersion=99999999"),
    R("match without version", "GET", f"{MAPS}?resourceVersionMatch=Exact"),
    R("table", "GET", f"{MAPS}?{OWN}", accept=TABLE),
    R("table of one", "GET", f"{MAPS}/x", accept=TABLE),
    R("table without objects", "GET", f"{MAPS}?includeObject=None&{OWN}", accept=TABLE),
    R("metadata", "GET", f"{MAPS}/x", accept=PARTIAL),
    R("list of metadata", "GET", f"{MAPS}?{OWN}", accept=PARTIAL_LIST),
    R("watch", "GET", f"{WATCH}&{OWN}"),
    R("watch by table", "GET", f"{WATCH}&{OWN}", accept=TABLE),
    R("watch malformed", "GET", f"{WATCH}&resourceVersion=abc"),
    R("watch list", "GET", f"{WATCH}&{LIST_WATCH}&{OWN}"),
    R("watch list without match", "GET", f"{WATCH}&sendInitialEvents=true"),
]

FINALIZERS = {"metadata": {"finalizers": ["sluice.dev/x", "sluice.dev/y"]}}
DELETIONS = [
    R("delete other uid", "DELETE", f"{MAPS}/x", preconditions(uid="abc")),
    R("delete other version", "DELETE", f"{MAPS}/x", preconditions(resourceVersion="1")),
    R("unknown propagation", "DELETE", f"{MAPS}/x?propagationPolicy=foo&dryRun=All"),
    R("delete with unknown dryRun", "DELETE", f"{MAPS}/none?dryRun=foo"),
    R("dry delete", "DELETE", f"{MAPS}/x?dryRun=All"),
    R("delete", "DELETE", f"{MAPS}/x"),
    R("delete again", "DELETE", f"{MAPS}/x"),
    R("create with finalizer", "POST", MAPS, config_map("f", finalizers=["sluice.dev/x"])),
    R("delete with finalizer", "DELETE", f"{MAPS}/f"),
    R("new finalizer", "PATCH", f"{MAPS}/f?dryRun=All", FINALIZERS, MERGE),
    R("drop finalizer", "PATCH", f"{MAPS}/f", {"metadata": {"finalizers": None}}, MERGE),
    R("gone", "GET", f"{MAPS}/f"),
    R("delete collection", "DELETE", f"{MAPS}?fieldSelector=metadata.name%3Ds"),
]

POD_WRITES = [
    R("create pod", "POST", PODS, pod("p")),
    R("other image", "PATCH", f"{PODS}/p",
      {"spec": {"containers": [{"name": "main", "image": "other"}]}}, STRATEGIC),
    R("bind", "POST", f"{PODS}/p/binding", BINDING),
    R("bind again", "POST", f"{PODS}/p/binding", BINDING),
    R("status of a pod", "PATCH", f"{PODS}/p/status", {"status": {"phase": "Running"}}, MERGE),
    R("pods of a node", "GET", f"{PODS}?fieldSelector=spec.nodeName%3Dnowhere", accept=TABLE),
    R("delete bound pod", "DELETE", f"{PODS}/p?gracePeriodSeconds=5"),
    R("delete now", "DELETE", f"{PODS}/p?gracePeriodSeconds=0"),
    R("no such class", "POST", f"{PODS}?dryRun=All", pod("q", priorityClassName="none")),
    R("no such account", "POST", f"{PODS}?dryRun=All", pod("q", serviceAccountName="none")),
    R("no containers", "POST", f"{PODS}?dryRun=All", {**pod("q"), "spec": {}}),
    R("create deployment", "POST", f"{DEPLOYMENTS}?dryRun=All", deployment("d")),
    R("access review", "POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", ACCESS),
]

CUSTOM = [
    R("bad CRD name", "POST", f"{CRDS}?dryRun=All", {**crd(), "metadata": {"name": "wrong"}}),
    R("create CRD", "POST", CRDS, crd()),
    R("established", "GET", f"{CRDS}/toys.{GROUP}", until='"status":"True","type":"Established"'),
    R("no toys yet", "GET", TOYS, until='"kind":"ToyList"'),
    R("create toy", "POST", TOYS, toy("a", tags=["x"])),
    R("toy without kind", "POST", f"{TOYS}?dryRun=All", {"metadata": {"name": "b"}}),
    R("toy in other version", "POST", f"{TOYS}?dryRun=All", toy("b", "v1beta1")),
    # A fault each: the real server names those of several members in any order.
    R("toy too large", "POST", f"{TOYS}?dryRun=All", toy("b", size=20)),
    R("toy of another color", "POST", f"{TOYS}?dryRun=All", toy("b", color="green")),
    R("toy with a tag twice", "POST", f"{TOYS}?dryRun=All", toy("b", tags=["x", "x"])),
    R("toy against a rule", "POST", f"{TOYS}?dryRun=All", toy("b", size=9)),
    R("toy of wrong types", "POST", f"{TOYS}?dryRun=All", toy("b", size="3")),
    R("toy without size", "POST", f"{TOYS}?dryRun=All", {**toy("b"), "spec": {}}),
    R("strict toy", "POST", f"{TOYS}?dryRun=All&fieldValidation=Strict", toy("b", weight=1)),
    R("pruned toy", "POST", f"{TOYS}?dryRun=All", toy("b", weight=1)),
    R("other version", "GET", f"/apis/{GROUP}/v1beta1/namespaces/{NS}/toys/a"),
    R("toys by color", "GET", f"{TOYS}?fieldSelector=spec.color%3Dred"),
    R("toys by size", "GET", f"{TOYS}?fieldSelector=spec.size%3D3"),
    R("table of toys", "GET", TOYS, accept=TABLE),
    R("update without version", "PUT", f"{TOYS}/a?dryRun=All", toy("a", size=4)),
    R("status of a toy", "PATCH", f"{TOYS}/a/status",
      {"spec": {"size": 9}, "status": {"phase": "New"}}, MERGE),
    R("generation of a toy", "PATCH", f"{TOYS}/a",
      {"spec": {"size": 5}, "status": {"phase": "Old"}}, MERGE),
    R("strategic patch of a toy", "PATCH", f"{TOYS}/a", {}, STRATEGIC),
    R("scale a toy", "PATCH", f"{TOYS}/a/scale", {"spec": {"replicas": 2}}, MERGE),
    R("scale of a toy", "GET", f"{TOYS}/a/scale"),
    R("apply a toy", "PATCH", f"{TOYS}/c?fieldManager=one", toy("c", color="blue"), APPLY),
    R("delete toy", "DELETE", f"{TOYS}/a"),
    R("resources of the group", "GET", f"/apis/{GROUP}/v1"),
    R("delete CRD", "DELETE", f"{CRDS}/toys.{GROUP}"),
]

ENDINGS = [
    R("delete namespace", "DELETE", f"/api/v1/namespaces/{NS}"),
    R("namespace is gone", "GET", f"/api/v1/namespaces/{NS}", until='"code":404'),
]

REQUESTS = (
    NAMESPACES + PATHS + BODIES + WRITES + APPLIES + LISTS + DELETIONS + POD_WRITES + CUSTOM
)
