"""What is compared of a Job, its pods and its events: all that does not hang on names that were
drawn, on times, or on who plays the kubelet.
"""

import collections
import re

TIMES = ("startTime", "completionTime")
COMBINED = "(combined from similar events): "
INDEX = "batch.kubernetes.io/job-completion-index"
# What a kubelet and a scheduler write, not the Job controller.
OF_OTHERS = {
    "Initialized", "Ready", "ContainersReady", "PodScheduled", "PodReadyToStartContainers",
}  # fmt: skip


def plain(value, uid):
    if isinstance(value, dict):
        return {key: plain(each, uid) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each, uid) for each in value]
    return value.replace(uid, "<uid>") if isinstance(value, str) and uid else value


def job_view(job):
    metadata = job["metadata"]
    status = dict(job.get("status", {}))
    for name in TIMES:
        if name in status:
            status[name] = "<time>"
    status["conditions"] = [
        {
            "type": each["type"],
            "status": each["status"],
            "reason": each.get("reason"),
            "message": without_names(each.get("message", "")),
        }
        for each in status.get("conditions", [])
    ]
    if "uncountedTerminatedPods" in status:
        status["uncountedTerminatedPods"] = {
            key: len(uids) for key, uids in status["uncountedTerminatedPods"].items()
        }
    return {
        "labels": metadata.get("labels"),
        "annotations": metadata.get("annotations"),
        "finalizers": metadata.get("finalizers"),
        "deleted": "deletionTimestamp" in metadata,
        "generation": metadata.get("generation"),
        "spec": job["spec"],
        "status": status,
    }


def without_token(container):
    """Of the token that each pod gets: another matter than Jobs."""
    kept = dict(container)
    kept["volumeMounts"] = [
        each
        for each in container.get("volumeMounts", [])
        if not each["name"].startswith("kube-api-access-")
    ]
    return kept


def pod_view(pod):
    metadata, spec, status = pod["metadata"], dict(pod["spec"]), pod.get("status", {})
    prefix = metadata.get("generateName", "")
    for part in ("containers", "initContainers"):
        if part in spec:
            spec[part] = [without_token(each) for each in spec[part]]
    spec.pop("volumes", None)
    spec["nodeName"] = "<node>" if spec.get("nodeName") else None
    return {
        "generateName": prefix,
        "name": re.sub("^" + re.escape(prefix) + "[a-z0-9]{5}$", prefix + "<5>", metadata["name"]),
        "labels": metadata.get("labels"),
        "annotations": metadata.get("annotations"),
        "finalizers": metadata.get("finalizers"),
        "ownerReferences": metadata.get("ownerReferences"),
        "deleted": "deletionTimestamp" in metadata,
        "spec": spec,
        "phase": status.get("phase"),
        "conditions": [
            {key: each.get(key) for key in ("type", "status", "reason", "message")}
            for each in status.get("conditions", [])
            if each["type"] not in OF_OTHERS
        ],
    }


def without_names(message):
    """Of pods: they end in five characters that were drawn."""
    return re.sub(r"\b(j+(?:-\d+)?)-[a-z0-9]{5}\b", r"\1-<5>", message)


def event_view(event):
    message = without_names(event["message"])
    return " ".join(
        [
            event["type"],
            event["reason"],
            event.get("source", {}).get("component") or event.get("reportingComponent", ""),
            message,
        ]
    )


def events_view(events):
    """How often each event was told. Of a reason with so many that they became one, which were told
    by themselves is chance.
    """
    of_jobs = [each for each in events if each["involvedObject"]["kind"] == "Job"]
    many = {each["reason"] for each in of_jobs if each["message"].startswith(COMBINED)}
    counts = collections.Counter()
    for event in of_jobs:
        view = event["reason"] if event["reason"] in many else event_view(event)
        counts[view] += event.get("count") or 1
    return dict(sorted(counts.items()))


def pod_order(view):
    return ((view["annotations"] or {}).get(INDEX, ""), repr(sorted(view.items(), key=str)))


def take_snapshot(objects, uid):
    pods = plain([pod_view(pod) for pod in objects.get("pods", [])], uid)
    return {
        "jobs": plain([job_view(job) for job in objects.get("jobs", [])], uid),
        "pods": sorted(pods, key=pod_order),
        "events": events_view(objects.get("events", [])),
    }


def differences(expected, found, path=""):
    """Lines that say where two snapshots differ."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in sorted(expected.keys() | found.keys()):
            yield from differences(expected.get(key), found.get(key), f"{path}.{key}")
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for number, (one, other) in enumerate(zip(expected, found)):
            yield from differences(one, other, f"{path}[{number}]")
    elif expected != found:
        yield f"{path}: real {shorten(expected)}, dev {shorten(found)}"


def shorten(value):
    text = str(value)
    return text if len(text) < 400 else text[:400] + " ..."
