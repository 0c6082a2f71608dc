"""Pods that are refused for what they say: volumes, variables, probes, security contexts, names."""

import request_script as script

R = script.Request
PODS = f"/api/v1/namespaces/{script.NS}/pods"
CONTAINER = {"name": "c", "image": "i"}
RUN = {"exec": {"command": ["a"]}}
FREE = {"volumes": [{"name": "v", "emptyDir": {}}]}


def items(**item):
    return {"name": "a", "items": [item]}


def projected(**source):
    return {"projected": {"sources": [source]}}


def downward(**item):
    return {"downwardAPI": {"items": [{"path": "a", **item}]}}


VOLUMES = [
    {},
    {"hostPath": {"path": ""}},
    {"hostPath": {"path": "/a/../b"}},
    {"hostPath": {"path": "/a", "type": "Odd"}},
    {"hostPath": {"path": "/a"}, "emptyDir": {}},
    {"emptyDir": {"sizeLimit": "-1"}},
    {"configMap": {}},
    {"configMap": {"name": "a", "defaultMode": 512}},
    {"configMap": {"name": "a", "defaultMode": -1}},
    {"configMap": items(key="", path="x")},
    {"configMap": items(key="k", path="../x")},
    {"configMap": items(key="k", path="/x")},
    {"configMap": items(key="k", path="x", mode=1000)},
    {"secret": {}},
    {"secret": {"secretName": "a", "items": [{"key": "k", "path": ""}]}},
    {"persistentVolumeClaim": {"claimName": ""}},
    {"nfs": {"server": "", "path": ""}},
    {"nfs": {"server": "a", "path": "b"}},
    downward(),
    downward(fieldRef={"fieldPath": "spec.odd"}),
    downward(fieldRef={"fieldPath": "status.podIP"}),
    downward(fieldRef={"fieldPath": "metadata.name"}, resourceFieldRef={"resource": "limits.cpu"}),
    downward(resourceFieldRef={"resource": "limits.cpu"}),
    projected(configMap={"name": "a"}, secret={"name": "b"}),
    projected(serviceAccountToken={"path": ""}),
    projected(serviceAccountToken={"path": "t", "expirationSeconds": 10}),
    {"csi": {"driver": ""}},
    {"ephemeral": {}},
    {"ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}},
    {"image": {"reference": ""}},
]

MOUNTS = [
    {"name": "v", "mountPath": ""},
    {"name": "x", "mountPath": "/a"},
    {"name": "v", "mountPath": "/a", "subPath": "/b"},
    {"name": "v", "mountPath": "/a", "subPath": "../b"},
    {"name": "v", "mountPath": "/a", "subPath": "a", "subPathExpr": "b"},
    {"name": "v", "mountPath": "/a", "mountPropagation": "Odd"},
    {"name": "v", "mountPath": "/a", "mountPropagation": "Bidirectional"},
]


def from_field(field):
    return {"fieldRef": {"fieldPath": field}}


VARIABLES = [
    {"name": ""},
    {"name": "a=b"},
    {"name": "a", "value": "b", "valueFrom": from_field("metadata.name")},
    {"name": "a", "valueFrom": {}},
    {"name": "a", "valueFrom": from_field("odd")},
    {"name": "a", "valueFrom": from_field("metadata.labels['a b']")},
    {"name": "a", "valueFrom": {"configMapKeyRef": {"name": "", "key": ""}}},
    {"name": "a", "valueFrom": {"secretKeyRef": {"name": "x", "key": "a b"}}},
    {"name": "a", "valueFrom": {"resourceFieldRef": {"resource": "odd"}}},
    {"name": "a", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "3"}}},
]

PROBES = [
    {"livenessProbe": {}},
    {"livenessProbe": {"exec": {"command": []}}},
    {"livenessProbe": {**RUN, "successThreshold": 2}},
    {"livenessProbe": {**RUN, "periodSeconds": -1}},
    {"livenessProbe": {**RUN, "timeoutSeconds": -1}},
    {"livenessProbe": {**RUN, "terminationGracePeriodSeconds": 0}},
    {"livenessProbe": {**RUN, "tcpSocket": {"port": 1}}},
    {"livenessProbe": {"httpGet": {"port": 0}}},
    {"livenessProbe": {"httpGet": {"port": 80, "scheme": "Odd"}}},
    {"livenessProbe": {"httpGet": {"port": "odd_name_that_is_long"}}},
    {"livenessProbe": {"httpGet": {"port": 80, "httpHeaders": [{"name": "a b"}]}}},
    {"livenessProbe": {"tcpSocket": {"port": 70000}}},
    {"livenessProbe": {"grpc": {"port": 0}}},
    {"readinessProbe": {**RUN, "terminationGracePeriodSeconds": 1}},
    {"readinessProbe": {**RUN, "successThreshold": 2}},
    {"startupProbe": {**RUN, "successThreshold": 2}},
    {"lifecycle": {"postStart": {}}},
    {"lifecycle": {"preStop": {"exec": {"command": []}}}},
    {"lifecycle": {"preStop": {"sleep": {"seconds": 100}}}},
]

CONTEXTS = [
    {"capabilities": {"add": ["CAP_SYS_ADMIN"]}, "allowPrivilegeEscalation": False},
    {"runAsUser": -1},
    {"runAsGroup": -1},
    {"procMount": "Odd"},
    {"procMount": "Unmasked"},
    {"seccompProfile": {"type": "Odd"}},
    {"seccompProfile": {"type": "Localhost"}},
    {"seccompProfile": {"type": "RuntimeDefault", "localhostProfile": "a"}},
    {"seccompProfile": {"type": "Localhost", "localhostProfile": "/a"}},
    {"appArmorProfile": {"type": "Odd"}},
    {"appArmorProfile": {"type": "Localhost"}},
]

CONTAINERS = [
    *[{"env": [variable]} for variable in VARIABLES],
    *PROBES,
    *[{"securityContext": context} for context in CONTEXTS],
    {"envFrom": [{}]},
    {"envFrom": [{"prefix": "a=b", "configMapRef": {"name": "x"}}]},
    {"envFrom": [{"configMapRef": {"name": ""}}]},
    {"restartPolicy": "Odd"},
    {"resizePolicy": [{"resourceName": "odd", "restartPolicy": "NotRequired"}]},
    {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "Odd"}]},
    {"ports": [{"containerPort": 80, "hostPort": 1}, {"containerPort": 81, "hostPort": 1}]},
]

INIT = {"name": "d", "image": "i"}
SPECS = [
    *[{"securityContext": context} for context in (
        {"runAsUser": -1}, {"runAsGroup": -1}, {"fsGroup": -1}, {"supplementalGroups": [-1]},
        {"fsGroupChangePolicy": "Odd"}, {"seccompProfile": {"type": "Odd"}},
        {"supplementalGroupsPolicy": "Odd"},
    )],
    {"dnsPolicy": "None"},
    {"dnsPolicy": "None", "dnsConfig": {"nameservers": ["x"]}},
    {"dnsConfig": {"nameservers": ["1.1.1.1"] * 4}},
    {"dnsConfig": {"searches": ["a b"]}},
    {"dnsConfig": {"searches": ["a_b.c."]}},
    {"dnsConfig": {"options": [{"name": ""}]}},
    {"hostAliases": [{"ip": "x", "hostnames": ["a"]}]},
    {"hostAliases": [{"ip": "1.1.1.1", "hostnames": ["A_"]}]},
    {"shareProcessNamespace": True, "hostPID": True},
    {"hostUsers": False, "hostNetwork": True},
    {"os": {"name": "odd"}},
    {"os": {"name": "windows"}, "hostPID": True},
    {"readinessGates": [{"conditionType": "a b"}]},
    {"resourceClaims": [{"name": "a"}]},
    {"resourceClaims": [
        {"name": "a", "resourceClaimName": "x", "resourceClaimTemplateName": "z"}]},
    {"initContainers": [{**INIT, "livenessProbe": RUN}]},
    {"initContainers": [{**INIT, "livenessProbe": RUN, "restartPolicy": "Always"}]},
    {"initContainers": [{**INIT, "restartPolicy": "Odd"}]},
    {"ephemeralContainers": [INIT]},
    {"hostNetwork": True,
     "containers": [{**CONTAINER, "ports": [{"containerPort": 80, "hostPort": 81}]}]},
]  # fmt: skip


def pod(spec):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "asked"},
        "spec": {"automountServiceAccountToken": False, "containers": [CONTAINER], **spec},
    }


BODIES = {
    "volume": [pod({"volumes": [{"name": "v", **volume}]}) for volume in VOLUMES],
    "mount": [pod({**FREE, "containers": [{**CONTAINER, "volumeMounts": [mount]}]})
              for mount in MOUNTS],
    "container": [pod({"containers": [{**CONTAINER, **container}]}) for container in CONTAINERS],
    "spec": [pod(spec) for spec in SPECS],
}  # fmt: skip

REQUESTS = [
    R(f"pod, {part} {number}", "POST", f"{PODS}?dryRun=All", body)
    for part, bodies in BODIES.items()
    for number, body in enumerate(bodies)
]
