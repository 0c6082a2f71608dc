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
CLAIM = body("v1", "PersistentVolumeClaim", spec=STORED)
CLAIMS = [
    (["accessModes"], []),
    (["accessModes"], GONE),
    (["accessModes"], ["Odd", "ReadWriteOnce"]),
    (["accessModes"], ["ReadWriteOncePod", "ReadWriteOnce"]),
    (["resources"], {}),
    (["resources"], {"requests": {"storage": "0"}}),
    (["resources"], {"requests": {"storage": "-1Gi"}}),
    (["resources"], {"requests": {"storage": "x"}}),
    (["storageClassName"], "Odd_Name"),
    (["storageClassName"], ""),
    (["volumeMode"], "Odd"),
    (["selector"], {"matchLabels": {"a b": "c"}}),
    (["selector"], {"matchExpressions": [{"key": "a", "operator": "Odd"}]}),
    (["dataSource"], {"kind": "Odd", "name": "x"}),
    (["dataSource"], {"kind": "PersistentVolumeClaim"}),
    (["dataSource"], {"kind": "PersistentVolumeClaim", "name": "x"}),
    (["dataSourceRef"], {"kind": "PersistentVolumeClaim", "name": "x"}),
    (["volumeAttributesClassName"], "Odd_"),
]

VOLUME = body(
    "v1", "PersistentVolume",
    spec={
        "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/x"}
    },
)  # fmt: skip
VOLUMES = [
    (["accessModes"], []),
    (["capacity"], {}),
    (["capacity"], {"cpu": "1"}),
    (["capacity"], {"storage": "0"}),
    (["capacity"], {"storage": "1", "cpu": "1"}),
    (["hostPath"], GONE),
    (["nfs"], {"server": "a", "path": "/b"}),
    (["persistentVolumeReclaimPolicy"], "Odd"),
    (["volumeMode"], "Odd"),
    (["storageClassName"], "Odd_"),
    (["hostPath", "path"], ""),
    (["hostPath", "path"], "/a/../b"),
]

CLASS = body("storage.k8s.io/v1", "StorageClass", provisioner="a.b/c")
CLASSES = [
    (["provisioner"], ""),
    (["provisioner"], GONE),
    (["provisioner"], "odd name"),
    (["provisioner"], "A.b/C"),
    (["reclaimPolicy"], "Recycle"),
    (["volumeBindingMode"], "Odd"),
    (["parameters"], {"": "x"}),
    (["allowVolumeExpansion"], True),
]

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
    (["volumeClaimTemplates", 0, "spec"], {}),
    (["volumeClaimTemplates", 0, "spec", "accessModes"], ["Odd"]),
    (["serviceName"], "Odd_"),
    (["serviceName"], ""),
    ([*POD, "hostname"], "Odd_"),
    ([*POD, "subdomain"], "Odd_"),
    (["persistentVolumeClaimRetentionPolicy"], {"whenDeleted": "Odd"}),
    (["persistentVolumeClaimRetentionPolicy"], {"whenScaled": "Delete"}),
    (["ordinals"], {"start": -1}),
    (["replicas"], -1),
    (["minReadySeconds"], -1),
    (["revisionHistoryLimit"], -1),
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

USED = {"type": "Utilization", "averageUtilization": 50}
SCALER = body(
    "autoscaling/v2", "HorizontalPodAutoscaler",
    spec={
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"},
        "minReplicas": 1,
        "maxReplicas": 3,
        "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": USED}}],
    },
)  # fmt: skip
METRIC = ["metrics", 0]
TARGET = [*METRIC, "resource", "target"]
NAMED = {"name": "x"}
SERVED = {"kind": "Service", "name": ""}


def policy(**parts):
    return (["behavior"], {"scaleDown": {"policies": [parts]}})


SCALERS = [
    (["minReplicas"], 0),
    (["minReplicas"], -1),
    (["minReplicas"], 5),
    (["maxReplicas"], 0),
    (["maxReplicas"], -1),
    (["maxReplicas"], GONE),
    (["scaleTargetRef"], {}),
    (["scaleTargetRef", "kind"], "a/b"),
    (["scaleTargetRef", "name"], ""),
    (["scaleTargetRef", "apiVersion"], "a/b/c"),
    (METRIC, {"type": "Odd"}),
    (METRIC, {"type": "Resource"}),
    (METRIC, {}),
    ([*METRIC, "resource", "name"], ""),
    (TARGET, {"type": "Odd", "averageUtilization": 5}),
    (TARGET, {"type": "Utilization"}),
    (TARGET, {"type": "Utilization", "averageUtilization": 0}),
    (TARGET, {"type": "AverageValue", "averageValue": "-1"}),
    (TARGET, {"type": "Utilization", "averageUtilization": 5, "averageValue": "1"}),
    ([*METRIC, "pods"],
     {"metric": NAMED, "target": {"type": "AverageValue", "averageValue": "1"}}),
    (METRIC, {"type": "Pods", "pods": {
        "metric": {"name": ""}, "target": {"type": "AverageValue", "averageValue": "1"}}}),
    (METRIC, {"type": "Pods", "pods": {
        "metric": NAMED, "target": {"type": "Value", "value": "1"}}}),
    (METRIC, {"type": "External", "external": {"metric": NAMED, "target": {"type": "Value"}}}),
    (METRIC, {"type": "External", "external": {
        "metric": NAMED, "target": {"type": "Value", "value": "1", "averageValue": "2"}}}),
    (METRIC, {"type": "Object", "object": {
        "describedObject": SERVED, "metric": NAMED, "target": {"type": "Value", "value": "1"}}}),
    (METRIC, {"type": "ContainerResource", "containerResource": {
        "name": "cpu", "container": "", "target": USED}}),
    (["behavior"], {"scaleUp": {"stabilizationWindowSeconds": -1}}),
    (["behavior"], {"scaleUp": {"stabilizationWindowSeconds": 4000}}),
    (["behavior"], {"scaleDown": {"selectPolicy": "Odd"}}),
    policy(type="Odd", value=0, periodSeconds=0),
    policy(type="Pods", value=1, periodSeconds=2000),
]  # fmt: skip

INGRESS = body(
    "networking.k8s.io/v1", "Ingress",
    spec={"rules": [{"host": "a.b", "http": {"paths": [{
        "path": "/", "pathType": "Prefix",
        "backend": {"service": {"name": "s", "port": {"number": 80}}}}]}}]},
)  # fmt: skip
RULE = ["rules", 0]
PATH = [*RULE, "http", "paths", 0]
INGRESSES = [
    (["rules"], GONE),
    ([*RULE, "host"], "1.2.3.4"),
    ([*RULE, "host"], "A_b"),
    ([*RULE, "host"], "*.example.com"),
    ([*RULE, "host"], "*example.com"),
    ([*RULE, "host"], "a.*.com"),
    ([*RULE, "http"], {"paths": []}),
    ([*RULE, "http"], GONE),
    ([*PATH, "path"], "a"),
    ([*PATH, "path"], ""),
    ([*PATH, "path"], "/a//b"),
    ([*PATH, "path"], "/a/.."),
    ([*PATH, "path"], "/a/./b"),
    ([*PATH, "path"], "/a%2fb"),
    ([*PATH, "pathType"], GONE),
    ([*PATH, "pathType"], "Odd"),
    ([*PATH, "pathType"], "ImplementationSpecific"),
    ([*PATH, "backend"], {}),
    ([*PATH, "backend", "service", "name"], ""),
    ([*PATH, "backend", "service", "name"], "Odd_"),
    ([*PATH, "backend", "service", "port"], {}),
    ([*PATH, "backend", "service", "port"], {"number": 80, "name": "http"}),
    ([*PATH, "backend", "service", "port"], {"number": 70000}),
    ([*PATH, "backend", "service", "port"], {"name": "ODD_name_that_is_long"}),
    ([*PATH, "backend"], {"resource": {"kind": "", "name": "x"}}),
    ([*PATH, "backend", "resource"], {"kind": "a", "name": "x"}),
    (["defaultBackend"], {}),
    (["tls"], [{"hosts": ["A_"], "secretName": "B_"}]),
    (["tls"], [{"hosts": ["*.a.b"]}]),
    (["ingressClassName"], "Odd_"),
]
CLASSED = "kubernetes.io/ingress.class"


def requests(path, base, changes, within="spec"):
    """The base and the base with each of the changes, as they are asked without being done."""
    before = [within] if within else []
    bodies = [base, *[changed(base, [*before, *place], value) for place, value in changes]]
    return [
        R(f"{base['kind']} {number}", "POST", f"{path}?dryRun=All", each)
        for number, each in enumerate(bodies)
    ]


REQUESTS = [
    *requests(f"/api/v1/{OF_NS}/persistentvolumeclaims", CLAIM, CLAIMS),
    *requests("/api/v1/persistentvolumes", VOLUME, VOLUMES),
    *requests("/apis/storage.k8s.io/v1/storageclasses", CLASS, CLASSES, within=""),
    *requests(f"/apis/apps/v1/{OF_NS}/statefulsets", SET, SETS),
    R("StatefulSet with a dot", "POST", f"/apis/apps/v1/{OF_NS}/statefulsets?dryRun=All",
      changed(SET, ["metadata", "name"], "a.b")),
    *requests(f"/api/v1/{OF_NS}/resourcequotas", QUOTA, QUOTAS),
    *[R(f"ResourceQuota of {each}", "POST", f"/api/v1/{OF_NS}/resourcequotas?dryRun=All",
        body("v1", "ResourceQuota", spec=each)) for each in SCOPED],
    *requests(f"/apis/autoscaling/v2/{OF_NS}/horizontalpodautoscalers", SCALER, SCALERS),
    *requests(f"/apis/networking.k8s.io/v1/{OF_NS}/ingresses", INGRESS, INGRESSES),
    *[R(f"Ingress of a class by annotation, {name}", "POST",
        f"/apis/networking.k8s.io/v1/{OF_NS}/ingresses?dryRun=All",
        changed(changed(INGRESS, ["metadata", "annotations"], {CLASSED: "a"}),
                ["spec", "ingressClassName"], name)) for name in (GONE, "a", "b")],
    R("CronJob with a long name", "POST", f"/apis/batch/v1/{OF_NS}/cronjobs?dryRun=All",
      changed(body("batch/v1", "CronJob", spec={"schedule": "* * * * *", "jobTemplate": {"spec": {
          "template": {"spec": {"restartPolicy": "Never", "containers": [
              {"name": "c", "image": "i"}]}}}}}), ["metadata", "name"], "a" * 53)),
]  # fmt: skip
