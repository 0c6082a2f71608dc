"""Publishes the APIs that the controller of a test serves."""


def api_service(version, group, port):
    """Names no authority: the controller writes that of its certificate into it."""
    return {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": f"{version}.{group}"},
        "spec": {
            "group": group,
            "version": version,
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "service": {
                "name": "kueue-visibility-server",
                "namespace": "kueue-system",
                "port": port,
            },
        },
    }


def publish_apis(case, *apis):
    """Makes APIServices, each a version and a group, and waits until they are served."""
    # Without a network of pods the Service leads to the controller on this machine.
    case.cluster.apply(
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "kueue-visibility-server", "namespace": "kueue-system"},
            "spec": {"type": "ExternalName", "externalName": "localhost"},
        },
        *(api_service(*api, case.controller.visibility_port) for api in apis),
    )
    names = [f"{version}.{group}" for version, group in apis]
    kubectl = case.cluster.plane.kubectl
    # An API that no one serves keeps deleted namespaces from going.
    case.addCleanup(kubectl, "delete", "apiservice", *names)
    for name in names:
        kubectl("wait", "--for=condition=Available", f"apiservice/{name}", "--timeout=60s")
