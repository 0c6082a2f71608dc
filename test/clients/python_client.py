#!/usr/bin/env python3
"""Lists, creates and watches with the Python client of Kubernetes; says `ok` when all went well.

    python_client.py KUBECONFIG NAMESPACE
"""

import sys

from kubernetes import client, config, watch


def main():
    config.load_kube_config(sys.argv[1])
    space = sys.argv[2]
    core = client.CoreV1Api()
    batch = client.BatchV1Api()
    assert "default" in [each.metadata.name for each in core.list_namespace().items]
    first = core.create_namespaced_config_map(
        space, client.V1ConfigMap(metadata=client.V1ObjectMeta(name="py"), data={"a": "1"})
    )
    seen = []
    core.patch_namespaced_config_map("py", space, {"data": {"b": "2"}})
    core.delete_namespaced_config_map("py", space)
    for event in watch.Watch().stream(
        core.list_namespaced_config_map,
        space,
        resource_version=first.metadata.resource_version,
        timeout_seconds=20,
    ):
        seen.append((event["type"], sorted((event["object"].data or {}))))
        if event["type"] == "DELETED":
            break
    assert seen == [("MODIFIED", ["a", "b"]), ("DELETED", ["a", "b"])], seen
    container = client.V1Container(name="main", image="any")
    template = client.V1PodTemplateSpec(
        spec=client.V1PodSpec(restart_policy="Never", containers=[container])
    )
    job = client.V1Job(
        metadata=client.V1ObjectMeta(name="py"),
        spec=client.V1JobSpec(template=template, suspend=True),
    )
    batch.create_namespaced_job(space, job)
    assert batch.read_namespaced_job_status("py", space).spec.suspend
    try:
        batch.create_namespaced_job(space, job)
        raise AssertionError("a second Job of that name was created")
    except client.ApiException as refusal:
        assert refusal.status == 409, refusal
    custom = client.CustomObjectsApi()
    flavors = ("kueue.x-k8s.io", "v1beta2", "resourceflavors")
    if len(sys.argv) > 3:
        assert custom.list_cluster_custom_object(*flavors)["kind"] == "ResourceFlavorList"
    batch.delete_namespaced_job("py", space, propagation_policy="Background")
    print("ok")


if __name__ == "__main__":
    main()
