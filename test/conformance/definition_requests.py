"""Requests about CustomResourceDefinitions and webhook configurations: what is refused of them, and
the tables that printer columns make."""

import copy

import request_script as script

R = script.Request
GROUP = script.GROUP
CRDS = script.CRDS
DRY_CRDS = f"{CRDS}?dryRun=All"
DRY_WEBHOOKS = (
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All"
)
GIZMOS = f"/apis/{GROUP}/v1/namespaces/{script.NS}/gizmos"
TEXT = {"type": "string"}
NUMBER = {"type": "integer"}


def gizmos(**version):
    """A definition; `version`: what its one version has beside the usual."""
    spec = {
        "s": TEXT, "n": {"type": "number"}, "o": {"type": "object", "properties": {"x": TEXT}},
        "m": {"type": "object", "additionalProperties": TEXT}, "replicas": NUMBER,
        "l": {"type": "array", "items": TEXT},
        **{f"f{i}": TEXT for i in range(9)},
    }
    properties = {"spec": {"type": "object", "properties": spec}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"gizmos.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {
                "plural": "gizmos", "singular": "gizmo", "kind": "Gizmo", "listKind": "GizmoList"
            },
            "versions": [
                {
                    "name": "v1", "served": True, "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
                    **version,
                }
            ],
        },
    }


def with_spec(**spec):
    definition = gizmos()
    definition["spec"].update(spec)
    return definition


def with_names(**names):
    definition = gizmos()
    definition["spec"]["names"].update(names)
    return definition


def in_group(group, approval=None):
    definition = with_spec(group=group)
    definition["metadata"] = {"name": f"gizmos.{group}"}
    if approval is not None:
        definition["metadata"]["annotations"] = {"api-approved.kubernetes.io": approval}
    return definition


def twice(first, second):
    """Two versions that differ in these members."""
    definition = gizmos()
    versions = definition["spec"]["versions"]
    versions.append({**copy.deepcopy(versions[0]), "name": "v2", "storage": False, **second})
    versions[0].update(first)
    return definition


def converted(**webhook):
    return with_spec(conversion={"strategy": "Webhook", "webhook": webhook})


def reached(**client):
    return converted(conversionReviewVersions=["v1"], clientConfig=client)


def at_service(**service):
    return reached(service={"name": "n", "namespace": "m", **service})


def column(path=".spec.s", **column):
    return {"name": "c", "type": "string", "jsonPath": path, **column}


def selecting(*paths):
    return gizmos(selectableFields=[{"jsonPath": path} for path in paths])


def scaled(spec, status, selector=None):
    paths = {"specReplicasPath": spec, "statusReplicasPath": status}
    if selector is not None:
        paths["labelSelectorPath"] = selector
    return gizmos(subresources={"scale": paths})


def webhook(**members):
    hook = {
        "name": "a.b.c", "clientConfig": {"url": "https://a"}, "sideEffects": "None",
        "admissionReviewVersions": ["v1"], **members,
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "conformance"},
        "webhooks": [hook],
    }


def ruled(**members):
    rule = {
        "operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"],
        **members,
    }
    return webhook(rules=[rule])


BAD_COLUMN = {"additionalPrinterColumns": [column("a")]}
DEFINITIONS = {
    "column": gizmos(additionalPrinterColumns=[column("a")]),
    "column of no path": gizmos(additionalPrinterColumns=[column("")]),
    "column of no name": gizmos(additionalPrinterColumns=[column(name="")]),
    "column of no type": gizmos(additionalPrinterColumns=[column(type="")]),
    "column of another type": gizmos(additionalPrinterColumns=[column(type="text")]),
    "column of another format": gizmos(additionalPrinterColumns=[column(format="odd")]),
    "column with a filter": gizmos(additionalPrinterColumns=[column(".s[?(@.a=='b')].c")]),
    "column that cannot be read": gizmos(additionalPrinterColumns=[column(".spec[")]),
    "column in two versions": twice(BAD_COLUMN, BAD_COLUMN),
    "column in one version of two": twice(BAD_COLUMN, {}),
    **{
        f"selectable {path}": selecting(path)
        for path in (
            ".spec.s", ".spec.m.x", ".spec.o.x", ".spec.n", ".spec.o", ".spec.l", ".spec.l[0]",
            ".spec.none", "spec.s", "$.spec.s", "", ".", ".metadata.name", ".spec.s.",
        )
    },
    "selectable twice": selecting(".spec.s", ".spec.s"),
    "8 selectable": selecting(*[f".spec.f{i}" for i in range(8)]),
    "9 selectable": selecting(*[f".spec.f{i}" for i in range(9)]),
    "selectable in one version of two": twice({"selectableFields": [{"jsonPath": ".spec.s"}]}, {}),
    "scale": scaled(".spec.replicas", ".status.replicas", ".status.selector"),
    "scale without its number": scaled("", ".status.replicas"),
    "scale without its state": scaled(".spec.replicas", ""),
    "scale elsewhere": scaled(".replicas", ".status.replicas"),
    "scale by a state": scaled(".spec.replicas", ".spec.replicas"),
    "scale of spec": scaled(".spec", ".status.replicas"),
    "selector elsewhere": scaled(".spec.replicas", ".status.replicas", ".selector"),
    "selector of no path": scaled(".spec.replicas", ".status.replicas", "spec.selector"),
    "deprecated": gizmos(deprecated=True, deprecationWarning="old \u00e9"),
    "warning of what is not deprecated": gizmos(deprecationWarning="old"),
    "warning of nothing": gizmos(deprecated=True, deprecationWarning=""),
    "long warning": gizmos(deprecated=True, deprecationWarning="o" * 257),
    "warning in lines": gizmos(deprecated=True, deprecationWarning="a\nb"),
    "version": gizmos(name="V_1"),
    "version of no name": gizmos(name=""),
    "long version": gizmos(name="v" * 64),
    "preserving": with_spec(preserveUnknownFields=True),
    "group": with_spec(group="nodots"),
    "kind": with_names(kind="Bad_Kind"),
    "list kind": with_names(listKind="Gizmo"),
    "singular": with_names(singular="Bad"),
    "short name": with_names(shortNames=["g", "G"]),
    "category": with_names(categories=["all", "b_"]),
    "unapproved": in_group("conformance.k8s.io"),
    "unapproved in kubernetes.io": in_group("conformance.kubernetes.io"),
    "approved by nobody": in_group("conformance.k8s.io", "yes"),
    "approved": in_group("conformance.k8s.io", "https://example.com/1"),
    "approved as unapproved": in_group("conformance.k8s.io", "unapproved, for a test"),
    "conversion strategy": with_spec(conversion={"strategy": "Odd"}),
    "webhook without its strategy": with_spec(
        conversion={
            "strategy": "None", "webhook": {"conversionReviewVersions": ["v1"]},
        }
    ),
    "webhook without client": converted(conversionReviewVersions=["v1"]),
    "webhook without versions": converted(clientConfig={"url": "https://a"}),
    "webhook of a later version": converted(
        conversionReviewVersions=["v2"], clientConfig={"url": "https://a"}
    ),
    "webhook of a version twice": converted(
        conversionReviewVersions=["v1", "v1"], clientConfig={"url": "https://a"}
    ),
    "webhook nowhere": reached(),
    "webhook in two places": reached(url="https://a", service={"name": "n", "namespace": "m"}),
    **{
        f"url {url}": reached(url=url)
        for url in (
            "https://a", "https://a:8443/b", "http://a", "https://", "https://u:p@a/",
            "https://a/?b=c", "https://a/#b", "://",
        )
    },
    **{
        f"service path {path}": at_service(path=path)
        for path in ("/", "/a", "/a/", "a", "//", "/a//b", "/A_b")
    },
    **{f"service port {port}": at_service(port=port) for port in (0, 65535, 65536)},
    "service without a name": at_service(name=""),
    "service without a namespace": at_service(namespace=""),
}

EXPRESSION = {"key": "a", "operator": "Exists"}
WEBHOOKS = {
    "name of one part": webhook(name="a"),
    "no name": webhook(name=""),
    "name in upper case": webhook(name="A.b.c"),
    "no side effects": webhook(sideEffects=""),
    "side effects": webhook(sideEffects="Some"),
    "no review versions": webhook(admissionReviewVersions=[]),
    "later review version": webhook(admissionReviewVersions=["v2"]),
    "review version twice": webhook(admissionReviewVersions=["v1", "v1"]),
    "url": webhook(clientConfig={"url": "http://a"}),
    "timeout": webhook(timeoutSeconds=31),
    "failure policy": webhook(failurePolicy="Odd"),
    "match policy": webhook(matchPolicy="Odd"),
    "selector operator": webhook(
        namespaceSelector={"matchExpressions": [{**EXPRESSION, "operator": "Odd"}]}
    ),
    "selector without values": webhook(
        namespaceSelector={"matchExpressions": [{**EXPRESSION, "operator": "In"}]}
    ),
    "selector with values": webhook(
        objectSelector={"matchExpressions": [{**EXPRESSION, "values": ["b"]}]}
    ),
    "selector key": webhook(objectSelector={"matchExpressions": [{**EXPRESSION, "key": "a b"}]}),
    "selector label": webhook(objectSelector={"matchLabels": {"A b": "c"}}),
    "condition of no name": webhook(matchConditions=[{"expression": "true"}]),
    "condition name": webhook(matchConditions=[{"name": "a b", "expression": "true"}]),
    "condition twice": webhook(matchConditions=[{"name": "a", "expression": "true"}] * 2),
    "no operations": ruled(operations=[]),
    "operation": ruled(operations=["ODD"]),
    "all operations and one": ruled(operations=["*", "CREATE"]),
    "no groups": ruled(apiGroups=[]),
    "all groups and one": ruled(apiGroups=["*", "a"]),
    "no versions": ruled(apiVersions=[]),
    "empty version": ruled(apiVersions=[""]),
    "all versions and one": ruled(apiVersions=["*", "v1"]),
    "no resources": ruled(resources=[]),
    "empty resource": ruled(resources=[""]),
    "all resources and one": ruled(resources=["*", "pods"]),
    "all resources and a subresource": ruled(resources=["*", "pods/status"]),
    "everything and one": ruled(resources=["*/*", "pods"]),
    "all subresources and one": ruled(resources=["pods/*", "pods/status"]),
    "one subresource of all": ruled(resources=["*/status", "pods/status"]),
    "scope": ruled(scope="Odd"),
}

CONDITIONS = [
    {"type": "Ready", "status": "True", "n": 1},
    {"type": "Other", "status": "False", "n": 2},
    {"type": "Third", "status": 'x"y'},
]
GIZMO = {
    "apiVersion": f"{GROUP}/v1",
    "kind": "Gizmo",
    "metadata": {"name": "g", "labels": {"example.com/x": "label"}},
    "spec": {
        "a": "text", "n": 7, "list": ["x", "y", "z"], "conds": CONDITIONS, "b": True, "f": 1.5,
        "m": {"k": "v", "j": [1, 2], "t": "<b>"}, "t": "2020-01-01T00:00:00Z", "nul": None,
        "none": [], "dict": {"a-b": "dash", "a.b": "dot"}, "big": 123456789012,
    },
}
# Not those whose value depends on the order of a map's members, which is Go's.
COLUMNS = [
    (kind, path)
    for kind, paths in {
        "string": (
            ".spec.a", ".spec.n", ".spec.f", ".spec.b", ".spec.m", ".spec.nul", ".spec.list",
            ".spec.list[*]", ".spec.list[-1]", ".spec.list[-1:]", ".spec.list[0:2]",
            ".spec.list[::2]", ".spec.list[0,1]", ".spec.list[9]", ".spec.list[5:9]",
            ".spec.list.x",
            ".spec.none[-1:].x", ".metadata.labels.example\\.com/x",
            ".metadata.labels['example\\.com/x']", ".spec.m['k']", ".spec.m[0]", ".spec.m.k.z",
            ".spec['a','b']", ".spec.dict['a.b']", ".spec.dict.a\\.b", ".spec.dict.a-b", ".",
            ".spec.conds[?(@.type==\"Ready\")].status", ".spec.conds[?(@.type=='Ready')].status",
            ".spec.conds[?( @.type == \"Ready\" )].status", ".spec.conds[?(@.type!=\"Ready\")].n",
            ".spec.conds[?(@.n>1)].type", ".spec.conds[?(@.n>=2)].type", ".spec.big",
            ".spec.conds[?(@.n<2)].type", ".spec.conds[?(@.n<=1)].type",
            ".spec.conds[?(@.n==2)].type", ".spec.conds[?(@.n)].type", ".spec.conds[0].type",
            ".spec.conds[?(@.type==\"None\")].n", ".spec.conds[?(@.type==\"Third\")].status",
            ".spec.conds[?(@.n==\"1\")].type", ".spec.conds[*].type", ".spec.conds[-2:].type",
            ".spec.missing.more", "..k", "..type",
        ),
        "integer": (".spec.n", ".spec.a", ".spec.f", ".spec.b", ".spec.list", ".spec.conds[*].n"),
        "number": (".spec.n", ".spec.f", ".spec.a"),
        "boolean": (".spec.b", ".spec.a", ".spec.n"),
        "date": (".spec.t", ".spec.a", ".spec.n"),
    }.items()
    for path in paths
]


def with_columns():
    columns = [
        {"name": f"c{i}", "type": kind, "jsonPath": path}
        for i, (kind, path) in enumerate([*COLUMNS, ("string", ".spec["), ("string", ".spec.a")])
    ]
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return gizmos(additionalPrinterColumns=columns, schema={"openAPIV3Schema": schema})


REQUESTS = [
    *[R(f"definition: {name}", "POST", DRY_CRDS, body) for name, body in DEFINITIONS.items()],
    *[R(f"webhook: {name}", "POST", DRY_WEBHOOKS, body) for name, body in WEBHOOKS.items()],
    R("create gizmos", "POST", CRDS, with_columns(), is_compared=False),
    R("gizmos established", "GET", f"{CRDS}/gizmos.{GROUP}", is_compared=False,
      until='"status":"True","type":"Established"'),
    R("no gizmos yet", "GET", GIZMOS, until='"kind":"GizmoList"'),
    R("create gizmo", "POST", GIZMOS, GIZMO),
    R("table of gizmos", "GET", GIZMOS, accept=script.TABLE),
    R("watch list of gizmos by table", "GET",
      f"{GIZMOS}?watch=1&timeoutSeconds=1&{script.LIST_WATCH}", accept=script.TABLE),
    R("watch list of gizmos by metadata", "GET",
      f"{GIZMOS}?watch=1&timeoutSeconds=1&{script.LIST_WATCH}", accept=script.PARTIAL),
    R("watch list by table", "GET", f"{script.WATCH}&{script.LIST_WATCH}&{script.OWN}",
      accept=script.TABLE),
    R("watch list by metadata", "GET", f"{script.WATCH}&{script.LIST_WATCH}&{script.OWN}",
      accept=script.PARTIAL),
    R("delete gizmos", "DELETE", f"{CRDS}/gizmos.{GROUP}", is_compared=False),
]
