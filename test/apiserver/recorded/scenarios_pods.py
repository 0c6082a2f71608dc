"""Scenarios of ConfigMaps, Secrets, pods and Jobs."""

from scenario_parts import ANN, BOB, NAMESPACE, OTHERS, STATUS, builtin, obj

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


PODS = [
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
        ("create", pod({"containers": [{"name": "a", "image": " x"},
                                        {"name": "a", "image": "y"}]})),
        ("create", pod({**SMALL, "restartPolicy": "Sometimes"})),
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
        ("create", pod({"containers": [{"name": "a", "image": "x", "ports": [
            {"containerPort": 0}, {"containerPort": 70000, "name": "UPPER"},
            {"containerPort": 1, "protocol": "X"}, {"hostPort": 1}]}]})),
        ("create", pod({"containers": [{"name": "a", "image": "x",
                                        "volumeMounts": [{"name": "none", "mountPath": ""}]}]})),
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
]
