"""The requests that record.py sends, scenario by scenario."""

NAMESPACE = "recorded"


def meta(name, **more):
    return {"name": name, "namespace": NAMESPACE, **more}


def obj(api, kind, name, cluster=False, metadata=None, **rest):
    about = {"name": name, **({} if cluster else {"namespace": NAMESPACE}), **(metadata or {})}
    return {"apiVersion": api, "kind": kind, "metadata": about, **rest}


def thing(spec=None, **metadata):
    rest = {} if spec is None else {"spec": spec}
    return obj("probe.io/v1", "Thing", "x", metadata=metadata, **rest)


def changed(**spec):
    def change(live):
        live["spec"].update(spec)
        return live

    return change


TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
PORT = {
    "type": "object",
    "required": ["port"],
    "properties": {
        "port": NUMBER,
        "protocol": {"type": "string", "default": "TCP"},
        "name": TEXT,
        "hosts": {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
    },
}
THING = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "a": TEXT,
                "b": TEXT,
                "n": NUMBER,
                "d": {"type": "string", "default": "filled"},
                "labels": {"type": "object", "additionalProperties": TEXT},
                "groups": {
                    "type": "object",
                    "additionalProperties": {
                        "type": "object",
                        "properties": {"x": NUMBER, "y": NUMBER},
                    },
                },
                "list": {"type": "array", "items": TEXT},
                "set": {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
                "ports": {
                    "type": "array",
                    "items": PORT,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["port", "protocol"],
                },
                "whole": {
                    "type": "object",
                    "x-kubernetes-map-type": "atomic",
                    "properties": {"x": NUMBER, "y": NUMBER},
                },
                "deep": {
                    "type": "object",
                    "properties": {
                        "u": TEXT,
                        "v": {"type": "object", "properties": {"w": TEXT, "z": TEXT}},
                    },
                },
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            },
        },
        "status": {
            "type": "object",
            "properties": {
                "phase": TEXT,
                "conditions": {
                    "type": "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["type"],
                    "items": {
                        "type": "object",
                        "required": ["type"],
                        "properties": {"type": TEXT, "status": TEXT},
                    },
                },
            },
        },
    },
}
# What the functions on objects do not decide: other objects, the path of the request.
OTHERS = {"skip": True}
BOB = {"manager": "bob"}
FORCE_BOB = {"manager": "bob", "force": True}
ANN = {"manager": "ann"}
STATUS = {"manager": "ann", "subresource": "status"}


def things(file, *steps):
    return {
        "file": file,
        "group": "probe.io",
        "version": "v1",
        "kind": "Thing",
        "plural": "things",
        "name": "x",
        "schema": THING,
        "steps": list(steps),
    }


def builtin(file, api, kind, plural, name, *steps, cluster=False):
    group, _, version = api.rpartition("/")
    return {
        "file": file,
        "group": group,
        "version": version,
        "kind": kind,
        "plural": plural,
        "name": name,
        "cluster": cluster,
        "steps": list(steps),
    }


FULL = {
    "a": "1",
    "labels": {"k": "v"},
    "groups": {"g": {"x": 1}},
    "list": ["p", "q"],
    "set": ["s", "t"],
    "ports": [{"port": 80, "name": "web", "hosts": ["h"]}, {"port": 443, "protocol": "UDP"}],
    "whole": {"x": 1},
    "deep": {"u": "1", "v": {"w": "2"}},
    "free": {"any": {"thing": [1, {"a": "b"}]}},
}
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

CUSTOM = [
    things(
        "custom_update",
        ("create", thing(FULL, labels={"l": "1"}, annotations={"a": "1"}, finalizers=["p.io/f"])),
        ("put", changed(a="2"), BOB),
        ("merge", {"spec": {"labels": {"k": None, "m": "n"}}}, ANN),
        ("merge", {"spec": {"ports": [{"port": 80}, {"port": 8080, "name": "alt"}]}}, ANN),
        ("merge", {"spec": {"set": ["t", "u"], "list": [], "whole": {"y": 2}}}, BOB),
        ("merge", {"spec": {"deep": {"v": None}, "groups": {"g": {"y": 2}, "h": {}}}}, BOB),
        ("merge", {"spec": {"free": {"any": None, "n": {}}}, "metadata": {"labels": None}}, BOB),
        ("merge", {"spec": {}}, ANN),
        ("merge", {"metadata": {"finalizers": None}}, ANN),
        ("merge", {"spec": {"set": [], "labels": {}, "ports": None}}, ANN),
        ("merge", {"status": {"phase": "Ignored"}}, ANN),
        ("merge", {"metadata": {"managedFields": [{}]}}, ANN),
        ("merge", {"spec": {"n": 3}}, ANN),
    ),
    things(
        "custom_status",
        ("create", {**thing({"a": "1"}), "status": {"phase": "New"}}),
        ("merge", {"status": {"phase": "Run"}, "spec": {"a": "no"}}, STATUS),
        (
            "merge",
            {"status": {"conditions": [{"type": "A", "status": "True"}, {"type": "B"}]}},
            {"manager": "bob", "subresource": "status"},
        ),
        ("put", changed(a="2"), ANN),
        ("apply", {**thing(), "status": {"phase": "Done"}}, STATUS),
        ("apply", {**thing(), "status": {"phase": "Done"}}, {**STATUS, "force": True}),
        (
            "apply",
            {**thing(), "status": {"conditions": [{"type": "A", "status": "False"}]}},
            {**STATUS, "force": True},
        ),
        ("apply", {**thing({"a": "3"}), "status": {"phase": "X"}}, {"manager": "q", "force": True}),
        (
            "merge",
            {"metadata": {"labels": {"by": "status"}}, "status": {"phase": "Y"}},
            {"manager": "bob", "subresource": "status"},
        ),
    ),
    things(
        "custom_apply",
        ("apply", thing(FULL, labels={"l": "1"}), {**BOB, "fresh": True}),
        ("apply", thing(FULL, labels={"l": "1"}), BOB),
        ("apply", thing({"a": "1", "n": 1}), ANN),
        ("apply", thing({"a": "2"}), ANN),
        ("apply", thing({"a": "2", "n": 2, "labels": {"k": "w"}, "list": ["z"]}), ANN),
        ("apply", thing({"a": "2"}), {**ANN, "force": True}),
        ("apply", thing({"labels": {"z": "1"}, "ports": [{"port": 80, "name": "web"}]}), BOB),
        ("apply", thing({"labels": {}, "ports": []}), BOB),
        ("apply", thing({"ports": [{"port": 1}, {"port": 2, "protocol": "UDP"}]}), BOB),
        ("apply", thing({"ports": [{"port": 3}, {"port": 1}], "set": ["c", "a"]}), ANN),
        ("apply", thing({"ports": [{"port": 2, "protocol": "UDP"}], "set": ["b", "a"]}), BOB),
        ("apply", thing({}), ANN),
        ("apply", thing(), ANN),
        ("apply", thing({"deep": {"u": "1", "v": {"w": "2"}}}), ANN),
        ("apply", thing({"deep": {"u": "1"}}), ANN),
        ("apply", thing({"groups": {"g": {"x": 1}, "h": {"x": 2}}}), ANN),
        ("apply", thing({"groups": {"g": {"y": 1}}}), ANN),
        ("apply", thing({"free": {"x": {"y": [1]}}, "whole": {"x": 1}}), ANN),
        ("apply", thing({"free": {"x": {"z": 1}}, "whole": {"y": 1}}), ANN),
        ("apply", thing(labels={"from": "apply"}), ANN),
    ),
    things(
        "custom_apply_refused",
        ("apply", thing({"a": "1"}), {**BOB, "fresh": True}),
        ("apply", thing({"nope": 1}), BOB),
        ("apply", thing({"nope": 1, "alsonot": {"x": 1}}), BOB),
        ("apply", thing({"a": 1}), BOB),
        ("apply", thing({"n": "x"}), BOB),
        ("apply", thing({"list": "x"}), BOB),
        ("apply", thing({"labels": "x"}), BOB),
        ("apply", thing({"labels": ["x"]}), BOB),
        ("apply", thing({"list": {"x": 1}}), BOB),
        ("apply", thing({"ports": [{"name": "x"}]}), BOB),
        ("apply", thing({"ports": [{"port": 1}, {"port": 1}]}), BOB),
        ("apply", thing({"ports": ["x"]}), BOB),
        ("apply", thing({"set": ["a", "a"]}), BOB),
        ("apply", thing({"set": [{"a": 1}]}), BOB),
        ("apply", thing({"set": [None]}), BOB),
        ("apply", thing({"a": True}), BOB),
        ("apply", thing({"a": 1.5}), BOB),
        ("apply", thing({"n": True, "a": {"x": [1]}}), BOB),
        ("apply", thing({"a": None}), BOB),
        ("apply", thing({"a": "1"}, managedFields=[]), BOB),
        ("apply", {**thing({"a": "1"}), "apiVersion": "probe.io/v2"}, BOB),
        ("apply", thing({"a": "1"}, nope="x"), BOB),
        ("apply", thing({"a": "2", "b": "2"}), ANN),
        ("apply", thing({"b": "2"}), ANN),
        ("apply", thing({"a": "3", "b": "3"}), {"manager": "third"}),
        ("merge", {"spec": {"a": "5", "b": "5"}}, BOB),
        ("apply", thing({"a": "6", "b": "6"}), {"manager": "third"}),
        ("apply", thing({"a": "6"}), {"manager": "third"}),
    ),
    things(
        "custom_client_side_apply",
        (
            "create",
            thing(
                {"a": "1", "b": "1"},
                annotations={
                    LAST_APPLIED: '{"apiVersion":"probe.io/v1","kind":"Thing","metadata":{"name":"x",'
                    '"namespace":"recorded"},"spec":{"a":"1","b":"1"}}\n'
                },
            ),
            {"manager": "kubectl-client-side-apply"},
        ),
        ("apply", thing({"a": "2"}), {"manager": "kubectl"}),
        ("merge", {"spec": {"b": "other"}}, ANN),
        ("apply", thing({"a": "2", "b": "3"}), {"manager": "kubectl"}),
        ("apply", thing({"a": "3", "b": "other"}), {"manager": "kubectl"}),
        ("apply", thing({"a": "4"}), {"manager": "kubectl"}),
    ),
    things(
        "custom_many_managers",
        ("create", thing({"a": "0"}), {"manager": "m00"}),
        *[
            ("merge", {"spec": {"labels": {f"k{i}": "v"}}}, {"manager": f"m{i:02}"})
            for i in range(1, 14)
        ],
        ("merge", {"spec": {"labels": {"k1": "w"}}}, {"manager": "m01"}),
    ),
]

POD_SPEC = {
    "containers": [
        {
            "name": "a",
            "image": "img",
            "env": [{"name": "E", "value": "1"}, {"name": "F"}],
            "ports": [{"containerPort": 80}, {"containerPort": 53, "protocol": "UDP"}],
            "resources": {"requests": {"cpu": "100m"}, "limits": {"memory": "1Gi", "cpu": 1}},
            "livenessProbe": {"httpGet": {"port": 80}},
            "volumeMounts": [{"name": "v", "mountPath": "/v"}],
        }
    ],
    "volumes": [
        {"name": "v", "emptyDir": {}},
        {"name": "c", "configMap": {"name": "cm"}},
        {"name": "s", "secret": {"secretName": "s"}},
    ],
}
SMALL = {"containers": [{"name": "a", "image": "img:1"}]}


def pod(spec=None, name="p", **metadata):
    return obj("v1", "Pod", name, metadata=metadata, **({} if spec is None else {"spec": spec}))


def job(spec, **metadata):
    return obj("batch/v1", "Job", "j", metadata=metadata, spec=spec)


def template(spec=None, **metadata):
    return {**({"metadata": metadata} if metadata else {}), "spec": spec or SMALL}


ONCE = {"containers": [{"name": "a", "image": "img:1"}], "restartPolicy": "Never"}
APP = {"app": "x"}


def deployment(spec, **metadata):
    return obj("apps/v1", "Deployment", "d", metadata=metadata, spec=spec)


def stateful(spec, **metadata):
    return obj("apps/v1", "StatefulSet", "s", metadata=metadata, spec=spec)


BUILTIN = [
    builtin(
        "config_map",
        "v1",
        "ConfigMap",
        "configmaps",
        "c",
        ("create", obj("v1", "ConfigMap", "c", data={"a": "1", "b": "2"})),
        ("merge", {"data": {"a": "3", "c": None}}, BOB),
        ("apply", obj("v1", "ConfigMap", "c", data={"a": "4"}), ANN),
        ("apply", obj("v1", "ConfigMap", "c", data={"a": "4"}), {**ANN, "force": True}),
        ("apply", obj("v1", "ConfigMap", "c"), ANN),
        ("json", [{"op": "add", "path": "/data/x", "value": "y"}], BOB),
        ("json", [{"op": "test", "path": "/data/x", "value": "z"}], BOB),
        ("json", [{"op": "remove", "path": "/data/none"}], BOB),
        ("json", [{"op": "replace", "path": "/data/none", "value": "1"}], BOB),
        ("json", [{"op": "add", "path": "/none/x", "value": "1"}], BOB),
        ("json", [{"op": "copy", "from": "/data/x", "path": "/data/y"}], BOB),
        ("json", [{"op": "move", "from": "/data/y", "path": "/data/z"}], BOB),
        ("json", [{"op": "move", "from": "/data/none", "path": "/data/z"}], BOB),
        ("json", [{"op": "what", "path": "/data/x"}], BOB),
        ("json", {"op": "add"}, BOB),
        ("strategic", {"data": {"x": None, "q": "r"}}, BOB),
        ("strategic", {"data": {"$patch": "replace", "only": "this"}}, BOB),
        ("strategic", {"data": {"$patch": "wrong"}}, BOB),
        ("merge", {"immutable": True}, BOB),
        ("merge", {"data": {"n": "1"}}, BOB),
        ("merge", {"immutable": False}, BOB),
        ("merge", {"data": {"n": 1}}, BOB),
        ("merge", {"data": {"bad key": "1"}}, BOB),
        ("merge", {"metadata": {"labels": {"bad key": "-x-"}}}, BOB),
        ("merge", {"metadata": {"annotations": {"bad key": "-x-"}}}, BOB),
        ("merge", {"metadata": {"finalizers": ["nope", "a b/c"]}}, BOB),
        ("merge", {"metadata": {"name": "other"}}, {**BOB, **OTHERS}),
        ("merge", {"metadata": {"uid": "other"}}, BOB),
        ("merge", {"metadata": {"ownerReferences": [{"kind": "Pod"}]}}, BOB),
    ),
    builtin(
        "secret",
        "v1",
        "Secret",
        "secrets",
        "c",
        ("create", obj("v1", "Secret", "c", stringData={"a": "text"}, data={"b": "Yg=="})),
        ("merge", {"stringData": {"b": "new"}}, BOB),
        ("merge", {"type": "other"}, BOB),
        ("merge", {"data": {"x": "###"}}, BOB),
        ("apply", obj("v1", "Secret", "c", data={"z": "Yg=="}), ANN),
    ),
    builtin(
        "pod",
        "v1",
        "Pod",
        "pods",
        "p",
        ("create", pod(POD_SPEC, labels=APP)),
        ("merge", {"spec": {"containers": None}}, BOB),
        ("merge", {"spec": {"nodeSelector": {"a": "b"}}}, BOB),
        ("strategic", {"spec": {"containers": [{"name": "a", "image": "new"}]}}, BOB),
        ("strategic", {"spec": {"containers": [{"image": "new"}]}}, BOB),
        ("merge", {"spec": {"activeDeadlineSeconds": 30}}, BOB),
        ("merge", {"spec": {"terminationGracePeriodSeconds": 5}}, BOB),
        ("merge", {"spec": {"tolerations": []}}, BOB),
        ("merge", {"status": {"phase": "Running"}}, STATUS),
        (
            "strategic",
            {
                "status": {
                    "conditions": [
                        {"type": "Ready", "status": "True"},
                        {"type": "PodScheduled", "status": "True"},
                    ]
                }
            },
            STATUS,
        ),
        (
            "strategic",
            {
                "status": {
                    "$setElementOrder/conditions": [{"type": "PodScheduled"}, {"type": "Ready"}],
                    "conditions": [{"type": "Ready", "$patch": "delete"}],
                }
            },
            STATUS,
        ),
        ("apply", pod({"containers": [{"name": "a", "image": "third"}]}), ANN),
        ("apply", pod({"containers": [{"name": "a", "image": "third"}]}), {**ANN, "force": True}),
        ("apply", pod(labels={"l": "m"}), ANN),
    ),
    builtin(
        "pod_defaults",
        "v1",
        "Pod",
        "pods",
        "p",
        ("create", pod({**SMALL, "schedulingGates": [{"name": "a/b"}, {"name": "c/d"}]})),
        ("merge", {"spec": {"schedulingGates": [{"name": "a/b"}], "nodeSelector": {"x": "y"}}}),
        ("merge", {"spec": {"schedulingGates": [{"name": "a/b"}, {"name": "new/one"}]}}),
        ("merge", {"spec": {"schedulingGates": None}}),
        (
            "create",
            pod(
                {
                    "hostNetwork": True,
                    "automountServiceAccountToken": False,
                    "initContainers": [{"name": "i", "image": "x:latest", "command": ["a"]}],
                    "containers": [
                        {
                            "name": "a",
                            "image": "r.io:5000/x@sha256:" + "0" * 64,
                            "ports": [{"containerPort": 9}],
                            "readinessProbe": {
                                "httpGet": {"port": "web", "path": "/x"},
                                "periodSeconds": 3,
                            },
                            "startupProbe": {"exec": {"command": ["a"]}},
                            "lifecycle": {"preStop": {"httpGet": {"port": 1}}},
                            "env": [{"name": "N", "valueFrom": {
                                "fieldRef": {"fieldPath": "spec.nodeName"}}}],
                            "securityContext": {"runAsUser": 1000},
                        }
                    ],
                    "volumes": [
                        {"name": "h", "hostPath": {"path": "/x"}},
                        {"name": "d", "downwardAPI": {"items": []}},
                        {
                            "name": "p",
                            "projected": {
                                "sources": [{"serviceAccountToken": {"path": "t"}}]
                            },
                        },
                        {"name": "e"},
                    ],
                    "tolerations": [
                        {"key": "node.kubernetes.io/not-ready", "operator": "Exists"}
                    ],
                }
            ),
        ),
        ("create", pod({"containers": [{"name": "a", "image": "img",
                                        "env": [{"name": "N", "valueFrom": {
                                            "fieldRef": {"fieldPath": "metadata.name"}}}]}],
                        "tolerations": [{"operator": "Exists"}],
                        "topologySpreadConstraints": [
                            {"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "DoNotSchedule",
                             "labelSelector": {"matchLabels": APP}}],
                        "overhead": None})),
    ),
    builtin(
        "pod_refused",
        "v1",
        "Pod",
        "pods",
        "p",
        ("create", pod({})),
        ("create", pod({"containers": []})),
        ("create", pod({"containers": [{"name": "A_b"}]})),
        ("create", pod({"containers": [{"image": "x"}]})),
        ("create", pod({"containers": [{"name": "a", "image": " x"}, {"name": "a", "image": "y"}]})),
        ("create", pod({**SMALL, "restartPolicy": "Sometimes"})),
        ("create", pod({**SMALL, "dnsPolicy": "Maybe"})),
        ("create", pod({"containers": [{"name": "a", "image": "x", "imagePullPolicy": "No"}]})),
        (
            "create",
            pod(
                {
                    "containers": [
                        {
                            "name": "a",
                            "image": "x",
                            "resources": {
                                "requests": {"cpu": "2", "bad name": "1", "memory": "-1"},
                                "limits": {"cpu": "1"},
                            },
                        }
                    ]
                }
            ),
        ),
        ("create", pod({"containers": [{"name": "a", "image": "x",
                                        "resources": {"requests": {"nvidia.com/gpu": "1"}}}]})),
        ("create", pod({"containers": [{"name": "a", "image": "x",
                                        "resources": {"requests": {"cpu": "many"}}}]})),
        ("create", pod({"containers": [{"name": "a", "image": "x", "env": [{"name": ""}]}]})),
        ("create", pod({"containers": [{"name": "a", "image": "x", "env": [
            {"name": "N", "valueFrom": {"fieldRef": {"fieldPath": "a"}}}]}]})),
        ("create", pod({"containers": "x"})),
        ("create", pod({"containers": [1]})),
        ("create", pod("x")),
        ("create", pod({**SMALL, "terminationGracePeriodSeconds": "x"})),
        ("create", pod({**SMALL, "terminationGracePeriodSeconds": 1.5})),
        ("create", pod({**SMALL, "hostNetwork": "x"})),
        ("create", pod({"containers": [{"name": 1}]})),
        ("create", pod({"containers": [{"name": "a", "ports": [{"containerPort": "x"}]}]})),
        ("create", pod({"containers": [{"name": "a", "ports": [{"containerPort": 3000000000}]}]})),
        ("create", pod({**SMALL, "nodeSelector": {"a": 1}})),
        ("create", pod({**SMALL, "nodeSelector": ["a"]})),
        ("create", pod({**SMALL, "securityContext": "x"})),
        ("create", pod(SMALL, labels={"a": 1})),
        ("create", pod(SMALL, labels=5)),
        ("create", pod(SMALL, creationTimestamp="x")),
        ("create", pod({**SMALL, "affinity": {"nodeAffinity": 5}})),
        ("create", pod({"containers": [{"name": "a", "image": "x", "env": [{"name": "a=b"}]}]})),
        ("create", pod({"containers": [{"name": "a", "image": "x", "ports": [
            {"containerPort": 0}, {"containerPort": 70000, "name": "UPPER"},
            {"containerPort": 1, "protocol": "X"}, {"hostPort": 1}]}]})),
        ("create", pod({"containers": [{"name": "a", "image": "x",
                                        "volumeMounts": [{"name": "none", "mountPath": ""}]}]})),
        ("create", pod({**SMALL, "volumes": [{"name": "B_"}, {"name": "b"}, {"name": "b"}]})),
        ("create", pod({**SMALL, "nodeSelector": {"bad key": "x y"}})),
        ("create", pod({**SMALL, "tolerations": [{"key": "a", "operator": "Exists", "value": "x"},
                                                 {"operator": "Equal", "effect": "No"},
                                                 {"key": "b", "tolerationSeconds": 3}]})),
        ("create", pod({**SMALL, "activeDeadlineSeconds": 0})),
        ("create", pod({**SMALL, "terminationGracePeriodSeconds": -1})),
        ("create", pod({**SMALL, "schedulingGates": [{"name": "a"}, {"name": "a"}]})),
        ("create", pod({**SMALL, "schedulingGates": [{"name": "a b"}], "nodeName": "n"})),
        ("create", pod({**SMALL, "serviceAccountName": "missing"}), OTHERS),
        ("create", pod({**SMALL, "priorityClassName": "missing"}), OTHERS),
        ("create", pod({**SMALL, "unknown": 1})),
        ("create", pod({**SMALL, "hostname": "A b", "subdomain": "c d"})),
        ("create", pod(SMALL, labels={"a b": "c d"}, annotations={"a b": "c"})),
        ("create", obj("v1", "Pod", "Bad_Name", spec=SMALL), {"name": "Bad_Name"}),
    ),
    builtin(
        "job",
        "batch/v1",
        "Job",
        "jobs",
        "j",
        ("create", job({"template": template(ONCE, labels={"t": "1"}), "suspend": True})),
        ("merge", {"spec": {"parallelism": 3}}, BOB),
        ("merge", {"spec": {"completions": 3}}, BOB),
        ("merge", {"spec": {"template": {"spec": {"nodeSelector": {"a": "b"}}}}}, BOB),
        ("merge", {"spec": {"template": {"metadata": {"labels": {"n": "m"}}}}}, BOB),
        ("merge", {"spec": {"template": {"spec": {"restartPolicy": "OnFailure"}}}}, BOB),
        ("strategic", {"spec": {"template": {"spec": {
            "containers": [{"name": "a", "image": "other"}]}}}}, BOB),
        ("merge", {"spec": {"selector": {"matchLabels": {"x": "y"}}}}, BOB),
        ("merge", {"spec": {"completionMode": "Indexed"}}, BOB),
        ("merge", {"spec": {"suspend": False}}, BOB),
        ("merge", {"spec": {"template": {"spec": {"nodeSelector": {"a": "c"}}}}}, BOB),
        ("merge", {"spec": {"backoffLimit": 2, "activeDeadlineSeconds": 9}}, BOB),
        ("merge", {"spec": {"ttlSecondsAfterFinished": 2}, "status": {"active": 9}}, BOB),
        ("merge", {"status": {"active": 1, "startTime": "2026-01-01T00:00:00Z"},
                   "spec": {"parallelism": 9}}, STATUS),
        ("apply", job({"parallelism": 4}), ANN),
        ("apply", job({"parallelism": 4}), {**ANN, "force": True}),
    ),
    builtin(
        "job_kinds",
        "batch/v1",
        "Job",
        "jobs",
        "j",
        ("create", job({"template": template(ONCE), "completions": 5, "parallelism": 2,
                        "completionMode": "Indexed"})),
        ("merge", {"spec": {"completions": 4, "parallelism": 4}}),
        ("merge", {"spec": {"completions": 6}}),
        ("merge", {"spec": {"completions": 2, "parallelism": 2}}),
        ("create", job({"template": template(ONCE), "parallelism": 2, "backoffLimitPerIndex": 1,
                        "completions": 2, "completionMode": "Indexed"})),
        ("create", job({"template": template(ONCE), "completions": 2, "podFailurePolicy": {
            "rules": [{"action": "Ignore",
                       "onPodConditions": [{"type": "DisruptionTarget"}]}]}})),
        ("create", job({"template": template(ONCE, labels=APP), "manualSelector": True,
                        "selector": {"matchLabels": APP}})),
        ("create", job({"template": template(ONCE), "selector": {"matchLabels": APP}})),
        ("create", job({"template": template(ONCE), "managedBy": "other.io/x"})),
        ("create", job({"template": template(SMALL)})),
        ("create", job({"template": template({**ONCE, "restartPolicy": "Always"})})),
        ("create", job({"template": template(ONCE), "parallelism": -1, "completions": -2,
                        "backoffLimit": -1, "activeDeadlineSeconds": -1,
                        "ttlSecondsAfterFinished": -1})),
        ("create", job({"template": template(ONCE), "completionMode": "Odd"})),
        ("create", job({"template": template(ONCE), "completionMode": "Indexed"})),
        ("create", job({"template": template(ONCE), "managedBy": "bad"})),
        ("create", job({"template": template(ONCE), "backoffLimitPerIndex": 1})),
        ("create", job({"template": template({"containers": []})})),
        ("create", job({})),
        ("create", job({"template": template(ONCE), "podReplacementPolicy": "X"})),
    ),
    builtin(
        "deployment",
        "apps/v1",
        "Deployment",
        "deployments",
        "d",
        ("create", deployment({"selector": {"matchLabels": APP},
                               "template": template(labels=APP)})),
        ("merge", {"spec": {"replicas": 3}}, BOB),
        ("merge", {"spec": {"strategy": {"rollingUpdate": {"maxSurge": 1}}}}, BOB),
        ("strategic", {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}, BOB),
        ("merge", {"spec": {"selector": {"matchLabels": {"app": "y"}}}}, BOB),
        ("strategic", {"spec": {"template": {"spec": {"containers": [
            {"name": "b", "image": "two"}, {"name": "a", "$patch": "delete"}]}}}}, BOB),
        ("strategic", {"spec": {"template": {"spec": {
            "$setElementOrder/containers": [{"name": "c"}, {"name": "b"}],
            "containers": [{"name": "c", "image": "three"}]}}}}, BOB),
        ("apply", deployment({"replicas": 3, "selector": {"matchLabels": APP},
                              "template": template({"containers": [
                                  {"name": "c", "image": "four"}]}, labels=APP)}), ANN),
        ("apply", deployment({"replicas": 3, "selector": {"matchLabels": APP},
                              "template": template({"containers": [
                                  {"name": "c", "image": "four", "ports": [
                                      {"containerPort": 80}]}]}, labels=APP)}),
         {**ANN, "force": True}),
        ("merge", {"status": {"replicas": 3, "observedGeneration": 1}}, STATUS),
        ("merge", {"metadata": {"labels": {"s": "t"}, "annotations": {"u": "v"}},
                   "status": {"replicas": 2}}, STATUS),
        ("merge", {"spec": {"replicas": -1}}, BOB),
        ("create", deployment({"selector": {"matchLabels": APP}, "template": template()})),
        ("create", deployment({"template": template(labels=APP)})),
        ("create", deployment({"selector": {}, "template": template(labels=APP)})),
        ("create", deployment({"selector": {"matchLabels": APP}, "template": template(ONCE,
                                                                                   labels=APP)})),
        ("create", deployment({"selector": {"matchLabels": APP}, "template": template(labels=APP),
                               "strategy": {"type": "X"}})),
        ("create", deployment({"selector": {"matchLabels": APP}, "template": template(labels=APP),
                               "strategy": {"type": "Recreate", "rollingUpdate": {}}})),
        ("create", deployment({"selector": {"matchLabels": APP}, "template": template(labels=APP),
                               "strategy": {"rollingUpdate": {"maxSurge": 0,
                                                              "maxUnavailable": "0%"}}})),
    ),
    builtin(
        "stateful_set",
        "apps/v1",
        "StatefulSet",
        "statefulsets",
        "s",
        ("create", stateful({"selector": {"matchLabels": APP}, "serviceName": "svc",
                             "template": template(labels=APP), "volumeClaimTemplates": [
                                 {"metadata": {"name": "d"}, "spec": {
                                     "accessModes": ["ReadWriteOnce"],
                                     "resources": {"requests": {"storage": "1Gi"}}}}]})),
        ("merge", {"spec": {"replicas": 3, "serviceName": "other"}}, BOB),
        ("merge", {"spec": {"replicas": 3}}, BOB),
        ("merge", {"spec": {"podManagementPolicy": "Parallel"}}, BOB),
        ("merge", {"spec": {"updateStrategy": {"type": "OnDelete"}}}, BOB),
        ("apply", stateful({"replicas": 5}), {**ANN, "force": True}),
        ("create", stateful({"selector": {"matchLabels": APP},
                             "template": template(labels={"app": "z"})})),
        ("create", stateful({"selector": {"matchLabels": APP}, "template": template(labels=APP),
                             "updateStrategy": {"type": "RollingUpdate",
                                                "rollingUpdate": {"partition": 2}}})),
    ),
    builtin(
        "replica_set",
        "apps/v1",
        "ReplicaSet",
        "replicasets",
        "r",
        ("create", obj("apps/v1", "ReplicaSet", "r", spec={
            "selector": {"matchLabels": APP}, "template": template(labels=APP)})),
        ("merge", {"spec": {"replicas": 0}}, BOB),
        ("merge", {"spec": {"selector": {"matchLabels": {"a": "b"}}}}, BOB),
    ),
    builtin(
        "namespace",
        "v1",
        "Namespace",
        "namespaces",
        "recorded-n",
        ("create", obj("v1", "Namespace", "recorded-n", True)),
        ("merge", {"metadata": {"labels": {"a": "b"}}}, BOB),
        ("merge", {"metadata": {"labels": {"kubernetes.io/metadata.name": None}}}, BOB),
        ("merge", {"spec": {"finalizers": []}}, BOB),
        ("merge", {"status": {"phase": "Terminating"}}, BOB),
        ("apply", obj("v1", "Namespace", "recorded-n", True, metadata={"labels": {"c": "d"}}), ANN),
        cluster=True,
    ),
    builtin(
        "node",
        "v1",
        "Node",
        "nodes",
        "recorded-node",
        ("create", obj("v1", "Node", "recorded-node", True,
                       status={"capacity": {"cpu": "4", "pods": 110}})),
        ("merge", {"spec": {"unschedulable": True}}, BOB),
        ("strategic", {"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}}, BOB),
        ("strategic", {"status": {"capacity": {"memory": "1024Mi"}, "conditions": [
            {"type": "Ready", "status": "True"}]}}, STATUS),
        ("strategic", {"status": {"conditions": [
            {"type": "Ready", "status": "False"}, {"type": "Disk", "status": "True"}]}}, STATUS),
        ("merge", {"spec": {"taints": [{"key": "a", "effect": "X"}, {"key": "", "value": "y z"}]}}),
        ("merge", {"spec": {"podCIDR": "10.0.0.0/24"}}),
        cluster=True,
    ),
    builtin(
        "service",
        "v1",
        "Service",
        "services",
        "svc",
        ("create", obj("v1", "Service", "svc", spec={
            "clusterIP": "None", "selector": APP, "ports": [{"port": 80}]})),
        ("merge", {"spec": {"ports": [{"port": 81, "name": "a"}, {"port": 82, "name": "b",
                                                                "targetPort": "x"}]}}, BOB),
        ("apply", obj("v1", "Service", "svc", spec={"ports": [{"port": 82, "name": "bb"}]}), ANN),
        ("create", obj("v1", "Service", "svc", spec={"clusterIP": "None"})),
        ("create", obj("v1", "Service", "svc", spec={"clusterIP": "None", "ports": [
            {"port": 0}, {"port": 1}]})),
    ),
    builtin(
        "lease",
        "coordination.k8s.io/v1",
        "Lease",
        "leases",
        "l",
        ("create", obj("coordination.k8s.io/v1", "Lease", "l", spec={
            "holderIdentity": "a", "leaseDurationSeconds": 15,
            "renewTime": "2026-01-01T00:00:00.000000Z"})),
        ("put", changed(holderIdentity="b", renewTime="2026-01-01T00:00:01.000000Z"), BOB),
        ("merge", {"spec": {"leaseDurationSeconds": 0}}, BOB),
    ),
    builtin(
        "event",
        "v1",
        "Event",
        "events",
        "e",
        ("create", obj("v1", "Event", "e", involvedObject={"kind": "Pod", "namespace": NAMESPACE,
                                                         "name": "p"}, reason="R", message="m",
                       type="Normal", count=1, source={"component": "c"},
                       firstTimestamp="2026-01-01T00:00:00Z", lastTimestamp="2026-01-01T00:00:00Z")),
        ("strategic", {"count": 2, "lastTimestamp": "2026-01-01T00:00:01Z"}, BOB),
        ("create", obj("v1", "Event", "e", involvedObject={"kind": "Pod", "namespace": "other"})),
    ),
    builtin(
        "service_account",
        "v1",
        "ServiceAccount",
        "serviceaccounts",
        "sa",
        ("create", obj("v1", "ServiceAccount", "sa", secrets=[{"name": "x"}])),
        ("strategic", {"secrets": [{"name": "y"}], "imagePullSecrets": [{"name": "z"}]}, BOB),
    ),
    builtin(
        "priority_class",
        "scheduling.k8s.io/v1",
        "PriorityClass",
        "priorityclasses",
        "recorded-pc",
        ("create", obj("scheduling.k8s.io/v1", "PriorityClass", "recorded-pc", True, value=5)),
        ("merge", {"description": "d"}, BOB),
        ("merge", {"value": 6}, BOB),
        ("create", obj("scheduling.k8s.io/v1", "PriorityClass", "recorded-pc", True)),
        ("create", obj("scheduling.k8s.io/v1", "PriorityClass", "recorded-pc", True,
                       value=2000000000, preemptionPolicy="X")),
        cluster=True,
    ),
    builtin(
        "runtime_class",
        "node.k8s.io/v1",
        "RuntimeClass",
        "runtimeclasses",
        "recorded-rc",
        ("create", obj("node.k8s.io/v1", "RuntimeClass", "recorded-rc", True, handler="h",
                       overhead={"podFixed": {"cpu": "0.1"}})),
        ("merge", {"handler": "other"}, BOB),
        ("create", obj("node.k8s.io/v1", "RuntimeClass", "recorded-rc", True)),
        cluster=True,
    ),
    builtin(
        "limit_range",
        "v1",
        "LimitRange",
        "limitranges",
        "lr",
        ("create", obj("v1", "LimitRange", "lr", spec={"limits": [
            {"type": "Container", "max": {"cpu": "2"}, "default": {"memory": "1Gi"}}]})),
        ("merge", {"spec": {"limits": [{"type": "Container", "min": {"cpu": "3"},
                                        "max": {"cpu": "2"}}]}}, BOB),
    ),
    builtin(
        "webhooks",
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        "recorded-wh",
        ("create", obj("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration",
                       "recorded-wh", True, webhooks=[
                           {"name": "a.b.c", "sideEffects": "None", "admissionReviewVersions": ["v1"],
                            "clientConfig": {"service": {"name": "s", "namespace": "n"}},
                            "rules": [{"apiGroups": ["probe.io"], "apiVersions": ["*"],
                                       "operations": ["CREATE"], "resources": ["things"]}]}])),
        ("strategic", {"webhooks": [{"name": "a.b.c", "failurePolicy": "Ignore"}]}, BOB),
        ("create", obj("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration",
                       "recorded-wh", True, webhooks=[{"name": "x", "clientConfig": {}}])),
        cluster=True,
    ),
    builtin(
        "mutating_webhooks",
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
        "recorded-mwh",
        ("create", obj("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration",
                       "recorded-mwh", True, webhooks=[
                           {"name": "a.b.c", "sideEffects": "None", "admissionReviewVersions": ["v1"],
                            "clientConfig": {"url": "https://x/y"}}])),
        cluster=True,
    ),
    builtin(
        "roles",
        "rbac.authorization.k8s.io/v1",
        "ClusterRoleBinding",
        "clusterrolebindings",
        "recorded:crb",
        ("create", obj("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "recorded:crb", True,
                       roleRef={"kind": "ClusterRole", "name": "view"},
                       subjects=[{"kind": "User", "name": "u"},
                                 {"kind": "ServiceAccount", "name": "s", "namespace": "n"}])),
        ("merge", {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                               "name": "edit"}}, BOB),
        ("merge", {"subjects": []}, BOB),
        cluster=True,
    ),
    builtin(
        "cron_job",
        "batch/v1",
        "CronJob",
        "cronjobs",
        "cj",
        ("create", obj("batch/v1", "CronJob", "cj", spec={
            "schedule": "* * * * *", "jobTemplate": {"spec": {"template": template(ONCE)}}})),
        ("merge", {"spec": {"suspend": True}}, BOB),
        ("create", obj("batch/v1", "CronJob", "cj", spec={
            "schedule": "x", "jobTemplate": {"spec": {"template": template(ONCE)}}})),
    ),
    builtin(
        "definition",
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "customresourcedefinitions",
        "recs.probe.io",
        ("create", obj("apiextensions.k8s.io/v1", "CustomResourceDefinition", "recs.probe.io", True,
                       spec={"group": "probe.io", "scope": "Namespaced",
                             "names": {"plural": "recs", "kind": "Rec"},
                             "versions": [{"name": "v1", "served": True, "storage": True,
                                           "schema": {"openAPIV3Schema": {"type": "object"}}}]})),
        cluster=True,
    ),
]

ALL = CUSTOM + BUILTIN
