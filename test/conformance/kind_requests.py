"""Claims, volumes, StatefulSets, quotas, scalers and Ingresses that are refused, or filled in."""

import copy

import request_script as script

R = script.Request
OF_NS = f"namespaces/{script.NS}"
GONE = object()


def changed(body, path, value):
    """The body with another value at the path, or without one."""
    made = copy.deepcopy(body)
    part = made
    for key in path[:-1]:
        part = part[key]
    if value is GONE:
        part.pop(path[-1], None)
    else:
        part[path[-1]] = value
    return made


def body(api_version, kind, **parts):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "asked"}, **parts}


STORED = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
CONTAINER = {"name": "c", "image": "i", "volumeMounts": [{"name": "data", "mountPath": "/d"}]}
SET = body(
    "apps/v1", "StatefulSet",
    spec={
        "serviceName": "s",
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [CONTAINER]}},
        "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": STORED}],
    },
)  # fmt: skip
POD = ["template", "spec"]
SETS = [
    (["volumeClaimTemplates"], []),
    (["serviceName"], "Odd_"),
    (["serviceName"], ""),
    ([*POD, "hostname"], "Odd_"),
    ([*POD, "subdomain"], "Odd_"),
    (["persistentVolumeClaimRetentionPolicy"], {"whenScaled": "Delete"}),
    (["ordinals"], {"start": -1}),
    (["replicas"], -1),
    (["minReadySeconds"], -1),
    (["podManagementPolicy"], "Odd"),
    (["updateStrategy"], {"type": "Odd"}),
    (["updateStrategy"], {"type": "RollingUpdate", "rollingUpdate": {"partition": -1}}),
    ([*POD, "restartPolicy"], "Never"),
    ([*POD, "activeDeadlineSeconds"], 5),
    ([*POD, "volumes"], [{"name": "data", "emptyDir": {}}]),
]

QUOTA = body("v1", "ResourceQuota", spec={"hard": {"pods": "1"}})


def expression(**parts):
    return (["scopeSelector"], {"matchExpressions": [parts]})


QUOTAS = [
    *[
        (["hard"], hard)
        for hard in (
            {"odd": "1"}, {"storage": "1"}, {"pods": "-1"}, {"pods": "1.5"}, {"cpu": "1.5"},
            {"limits.nvidia.com/gpu": "1"}, {"requests.nvidia.com/gpu": "1.5"},
            {"nvidia.com/gpu": "1.5"}, {"count/jobs.batch": "1.5"}, {"count/jobs.batch": "-1"},
            {"odd key!": "1"}, {"hugepages-2Mi": "1Gi"}, {"a/b/c": "1"}, {"pods": "x"},
        )
    ],
    (["scopes"], ["Odd"]),
    (["scopes"], ["BestEffort", "NotBestEffort"]),
    (["scopes"], ["Terminating", "NotTerminating"]),
    expression(scopeName="PriorityClass", operator="In", values=["a"]),
    expression(scopeName="PriorityClass", operator="In"),
    expression(scopeName="PriorityClass", operator="Exists", values=["a"]),
    expression(scopeName="PriorityClass", operator="Odd"),
    expression(scopeName="BestEffort", operator="In", values=["a"]),
    expression(scopeName="Odd", operator="Exists"),
]  # fmt: skip
SCOPED = [
    {"hard": {"cpu": "1"}, "scopes": ["BestEffort"]},
    {"hard": {"secrets": "1"}, "scopes": ["Terminating"]},
    {"hard": {"services": "1"}, "scopeSelector": {"matchExpressions": [
        {"scopeName": "PriorityClass", "operator": "Exists"}]}},
]  # fmt: skip

def requests(path, base, changes, within="spec"):
    """The base and the base with each of the changes, as they are asked without being done."""
    before = [within] if within else []
    bodies = [base, *[changed(base, [*before, *place], value) for place, value in changes]]
    return [
        R(f"{base['kind']} {number}", "POST", f"{path}?dryRun=All", each)
        for number, each in enumerate(bodies)
    ]


REQUESTS = [
    *requests(f"/apis/apps/v1/{OF_NS}/statefulsets", SET, SETS),
    R("StatefulSet with a dot", "POST", f"/apis/apps/v1/{OF_NS}/statefulsets?dryRun=All",
      changed(SET, ["metadata", "name"], "a.b")),
    *requests(f"/api/v1/{OF_NS}/resourcequotas", QUOTA, QUOTAS),
    *[R(f"ResourceQuota of {each}", "POST", f"/api/v1/{OF_NS}/resourcequotas?dryRun=All",
        body("v1", "ResourceQuota", spec=each)) for each in SCOPED],
    R("CronJob with a long name", "POST", f"/apis/batch/v1/{OF_NS}/cronjobs?dryRun=All",
      changed(body("batch/v1", "CronJob", spec={"schedule": "* * * * *", "jobTemplate": {"spec": {
          "template": {"spec": {"restartPolicy": "Never", "containers": [
              {"name": "c", "image": "i"}]}}}}}), ["metadata", "name"], "a" * 53)),
]  # fmt: skip
