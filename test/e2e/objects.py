"""The objects that tests submit, as dictionaries."""

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
PRIORITY_LABEL = "kueue.x-k8s.io/priority-class"
BETA2 = "kueue.x-k8s.io/v1beta2"


def kueue(kind, name, spec=None, namespace=None, api_version=BETA2):
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    item = {"apiVersion": api_version, "kind": kind, "metadata": metadata}
    return item if spec is None else item | {"spec": spec}


def namespace(name, labels=None):
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": name, "labels": labels or {}},
    }


def flavor(name, labels=None, tolerations=()):
    spec = {"nodeLabels": labels} if labels else {}
    return kueue(
        "ResourceFlavor", name, spec | ({"tolerations": list(tolerations)} if tolerations else {})
    )


def cluster_queue(name, cpu, flavors=("on-demand",), **spec):
    """A ClusterQueue with `cpu` CPUs of each flavor; further keywords go into the spec."""
    if isinstance(cpu, int):
        cpu = {each: {"nominalQuota": str(cpu)} for each in flavors}
    group = {
        "coveredResources": ["cpu"],
        "flavors": [{"name": each, "resources": [{"name": "cpu"} | cpu[each]]} for each in flavors],
    }
    return kueue("ClusterQueue", name, {"namespaceSelector": {}, "resourceGroups": [group]} | spec)


def local_queue(name, space, queue, **spec):
    return kueue("LocalQueue", name, {"clusterQueue": queue} | spec, namespace=space)


def priority_class(name, value):
    return kueue("WorkloadPriorityClass", name) | {"value": value}


def job(name, space, queue, cpu="1", parallelism=1, priority=None, exit_code=None, seconds=None):
    """A suspended Job. Its pods run until the test ends them, or for `seconds`."""
    annotations = {}
    if seconds is not None:
        annotations["fake-kubelet/run-seconds"] = str(seconds)
    if exit_code is not None:
        annotations["fake-kubelet/exit-code"] = str(exit_code)
    container = {"name": "work", "image": "work", "resources": {"requests": {"cpu": str(cpu)}}}
    labels = {QUEUE_LABEL: queue} | ({PRIORITY_LABEL: priority} if priority else {})
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": space, "labels": labels},
        "spec": {
            "suspend": True,
            "parallelism": parallelism,
            "completions": parallelism,
            "backoffLimit": 0,
            "template": {
                "metadata": {"annotations": annotations},
                "spec": {"restartPolicy": "Never", "containers": [container]},
            },
        },
    }
