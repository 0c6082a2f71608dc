#!/usr/bin/env python3
"""Writes protobuf_fields.txt: the numbers and types of the fields of Kubernetes' own kinds, as
kubectl sends them in protobuf.

    lib/apiserver/protobuf/generate_protobuf_fields.py

Reads the modules that test/control-plane/go.mod names, from Go's module cache. A line begins with a
message or, indented, has one of its fields: number, name, type. `*` after the number: many; `?`: it
may be absent, so that zero is a value; `=`: in JSON its own fields stand in its place. A type is a
scalar, a message of another line, or, after `map:`, that of the values of a map by strings.
"""

import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
MODULES = HERE.parent.parent / "test/control-plane"
OUT = HERE / "protobuf_fields.txt"
ROOTS = {
    "api/core/v1": [
        "ConfigMap", "Event", "LimitRange", "Namespace", "Node", "PersistentVolumeClaim", "Pod",
        "PodTemplate", "ResourceQuota", "Secret", "Service", "ServiceAccount", "Binding",
        "Endpoints", "PersistentVolume", "ReplicationController",
    ],
    "api/admissionregistration/v1": [
        "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration", "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration",
    ],
    "api/apps/v1": [
        "ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet",
    ],
    "api/batch/v1": ["CronJob", "Job"],
    "api/autoscaling/v1": ["HorizontalPodAutoscaler", "Scale"],
    "api/autoscaling/v2": ["HorizontalPodAutoscaler"],
    "api/authentication/v1": ["SelfSubjectReview", "TokenReview", "TokenRequest"],
    "api/authorization/v1": [
        "LocalSubjectAccessReview", "SelfSubjectAccessReview", "SelfSubjectRulesReview",
        "SubjectAccessReview",
    ],
    "api/certificates/v1": ["CertificateSigningRequest"],
    "api/coordination/v1": ["Lease"],
    "api/discovery/v1": ["EndpointSlice"],
    "api/events/v1": ["Event"],
    "api/flowcontrol/v1": ["FlowSchema", "PriorityLevelConfiguration"],
    "api/networking/v1": [
        "IPAddress", "Ingress", "IngressClass", "NetworkPolicy", "ServiceCIDR",
    ],
    "api/node/v1": ["RuntimeClass"],
    "api/policy/v1": ["Eviction", "PodDisruptionBudget"],
    "api/rbac/v1": ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
    "api/resource/v1": [
        "DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice",
    ],
    "api/scheduling/v1": ["PriorityClass"],
    "api/storage/v1": [
        "CSIDriver", "CSINode", "CSIStorageCapacity", "StorageClass", "VolumeAttachment",
        "VolumeAttributesClass",
    ],
    "apiextensions-apiserver/pkg/apis/apiextensions/v1": ["CustomResourceDefinition"],
    "kube-aggregator/pkg/apis/apiregistration/v1": ["APIService"],
    "apimachinery/pkg/apis/meta/v1": [
        "DeleteOptions", "ListMeta", "PartialObjectMetadata", "Status", "WatchEvent",
    ],
}
MODULE_NAMES = ("api", "apiextensions-apiserver", "apimachinery", "kube-aggregator")
FIELD = re.compile(
    r"^\s*(optional|repeated)?\s*(map<string, ([\w.]+)>|[\w.]+) (\w+) = (\d+)", re.MULTILINE
)
MESSAGE = re.compile(r"^message (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r'json:",inline" protobuf:"bytes,(\d+),')
NAMED = re.compile(r'json:"([^",]+)[^"]*" protobuf:"\w+,(\d+),')
MARSHAL = re.compile(
    r"^func \(m \*(\w+)\) MarshalToSizedBuffer\(.*?^\}", re.MULTILINE | re.DOTALL
)
# Their JSON is no object: the decoder knows them.
SPECIAL = {"Quantity", "IntOrString", "Time", "MicroTime", "FieldsV1", "RawExtension", "JSON"}


def folder_of(module):
    command = ["go", "list", "-m", "-f", "{{.Dir}}", f"k8s.io/{module}"]
    return pathlib.Path(subprocess.check_output(command, cwd=MODULES, text=True).strip())


class Package:
    """The messages of one generated.proto, and which of their fields may be absent."""

    def __init__(self, folders, path):
        module, _, below = path.partition("/")
        folder = folders[module] / below
        text = (folder / "generated.proto").read_text()
        text = re.sub(r"//.*", "", text)
        self.name = re.search(r"^package ([\w.]+);", text, re.MULTILINE)[1]
        self.messages = {name: body for name, body in MESSAGE.findall(text)}
        self.pointers = {}
        for match in MARSHAL.finditer((folder / "generated.pb.go").read_text()):
            found = re.findall(r"if m\.(\w+) != nil", match[0])
            self.pointers[match[1]] = {name.lower() for name in found}
        self.inline, self.json_names = {}, {}
        for file in folder.glob("*types*.go"):
            for name, body in STRUCT.findall(file.read_text()):
                self.inline[name] = set(INLINE.findall(body))
                self.json_names[name] = {number: text for text, number in NAMED.findall(body)}


def path_of(full):
    """`k8s.io.api.core.v1.Pod` as (`api/core/v1`, `Pod`)."""
    parts = full.strip(".").split(".")
    return "/".join(parts[2:-1]).replace("_", "-"), parts[-1]


def main():
    folders = {module: folder_of(module) for module in MODULE_NAMES}
    packages, lines, waiting, done = {}, [], [], set()
    for path, names in ROOTS.items():
        waiting += [(path, name) for name in names]
    while waiting:
        path, name = waiting.pop(0)
        if (path, name) in done or name in SPECIAL:
            continue
        done.add((path, name))
        package = packages.setdefault(path, None) or Package(folders, path)
        packages[path] = package
        lines.append(f"{package.name}.{name}")
        for repeated, kind, value, field, number in FIELD.findall(package.messages[name]):
            kind = f"map:{value}" if value else kind
            target = kind.removeprefix("map:")
            scalar = target in ("string", "bytes", "bool", "int32", "int64", "double", "float")
            if not scalar:
                if "." not in target:
                    target = f"{package.name}.{target}"
                waiting.append(path_of(target))
                kind = ("map:" if value else "") + target.strip(".")
            mark = "*" if repeated == "repeated" else ""
            if number in package.inline.get(name, ()):
                mark = "="
            if not mark and field.lower() in package.pointers.get(name, ()):
                mark = "?"
            field = package.json_names.get(name, {}).get(number, field)
            lines.append(f" {number}{mark} {field} {kind}")
    OUT.write_text("\n".join(lines) + "\n")
    print(f"{OUT.name}: {len(done)} messages")


if __name__ == "__main__":
    main()
