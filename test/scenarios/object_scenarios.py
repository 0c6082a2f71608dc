#!/usr/bin/env python3
"""Runs scenarios of objects (README.md beside this) through `sluice schedule`.

  object_scenarios.py SCHEDULE_BATCH FILE_OR_FOLDER...

SCHEDULE_BATCH is the program build/*/test/support/schedule_batch. Names each file, with what
differs from what it expects, and ends with `N passed, N failed`; the exit code is 1 when something
differs or a file cannot be read.
"""

import json
import os
import pathlib
import sys
import tempfile

import yaml

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import schedule_batch  # noqa: E402

NOW = "2026-01-01T12:00:00Z"
API = "kueue.x-k8s.io/v1beta2"
WORDS_OF_SCENARIO = {
    "description", "config", "run", "namespaces", "topologies", "nodes", "flavors", "queues",
    "objects", "workloads", "then",
}
WORDS_OF_WORKLOAD = {
    "queue", "count", "requests", "pod", "priority", "created", "annotations", "spec", "admitted",
    "conditions", "status", "topology", "owner", "places",
}


def stamp(seconds):
    """A time of that day before `NOW`, in order of `seconds`."""
    return f"2026-01-01T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}Z"


def make_object(kind, name, spec, api=API, **metadata):
    made = {"apiVersion": api, "kind": kind, "metadata": {"name": name, **metadata}}
    if spec is not None:
        made["spec"] = spec
    return made


def make_queue(name, given):
    """A ClusterQueue of one resource group, and its LocalQueue of the same name in `ns`."""
    spec = {"namespaceSelector": {}, **given}
    flavors = spec.pop("flavors")
    covered = list(next(iter(flavors.values())))
    spec["resourceGroups"] = [{
        "coveredResources": covered,
        "flavors": [
            {
                "name": flavor,
                "resources": [{"name": r, "nominalQuota": str(quotas[r])} for r in covered],
            }
            for flavor, quotas in flavors.items()
        ],
    }]
    yield make_object("ClusterQueue", name, spec)
    yield make_object("LocalQueue", name, {"clusterQueue": name}, namespace="ns")


def make_condition(kind, given):
    return {
        "type": kind,
        "status": "True",
        "reason": kind,
        "message": "",
        **{k: v for k, v in given.items() if k != "at"},
        "lastTransitionTime": stamp(given.get("at", 0)),
    }


def make_place(node, pods):
    return {
        "domainCount": 1, "valuesPerLevel": [{"universal": node}],
        "podCounts": {"universal": pods},
    }


def make_workload(name, given, number):
    unknown = set(given) - WORDS_OF_WORKLOAD
    if unknown:
        raise ValueError(f"workload {name}: {', '.join(unknown)} is not known")
    requests = {r: str(q) for r, q in given.get("requests", {}).items()}
    container = {"name": "c", "image": "i", "resources": {"requests": requests}}
    pod_spec = {"restartPolicy": "Never", "containers": [container], **given.get("pod", {})}
    count = given.get("count", 1)
    pod_set = {"name": "main", "count": count, "template": {"spec": pod_spec}}
    if "topology" in given:
        pod_set["topologyRequest"] = given["topology"]
    spec = {
        "queueName": given["queue"],
        "priority": given.get("priority", 0),
        "podSets": [pod_set],
        **given.get("spec", {}),
    }
    conditions = dict(given.get("conditions", {}))
    status = dict(given.get("status", {}))
    if "admitted" in given:
        conditions = {"QuotaReserved": {}, "Admitted": {}, **conditions}
        status["admission"] = {
            "clusterQueue": given["queue"],
            "podSetAssignments": [{
                "name": "main",
                "count": count,
                "flavors": {resource: given["admitted"] for resource in requests},
                "resourceUsage": {r: str(int(q) * count) for r, q in requests.items()},
            }],
        }
        if "places" in given:
            status["admission"]["podSetAssignments"][0]["topologyAssignment"] = {
                "levels": ["kubernetes.io/hostname"],
                "slices": [make_place(node, pods) for node, pods in given["places"].items()],
            }
    status["conditions"] = [make_condition(k, v or {}) for k, v in conditions.items()]
    made = make_object(
        "Workload", name, spec, namespace="ns", uid=name, generation=1,
        creationTimestamp=stamp(given.get("created", 1000 + number)),
        annotations=given.get("annotations", {}),
        ownerReferences=[
            {"apiVersion": "v1", "kind": kind, "name": "o", "uid": "o"}
            for kind in [given.get("owner")] if kind
        ],
    )
    return {**made, "status": status}


def make_node(name, given):
    """A Ready node with these labels and its hostname; `allocatable` adds to what it has."""
    labels = {"kubernetes.io/hostname": name, **given}
    allocatable = {"cpu": 9, "example.com/gpu": 9, "pods": 110, **labels.pop("allocatable", {})}
    status = {
        "allocatable": allocatable, "conditions": [{"type": "Ready", "status": "True"}],
    }
    return {**make_object("Node", name, {}, "v1", labels=labels), "status": status}


def make_objects(scenario):
    for name, labels in {"ns": {}, **scenario.get("namespaces", {})}.items():
        yield make_object("Namespace", name, None, "v1", labels=labels)
    for name, levels in scenario.get("topologies", {}).items():
        spec = {"levels": [{"nodeLabel": level} for level in levels]}
        yield make_object("Topology", name, spec)
    for name, labels in scenario.get("nodes", {}).items():
        yield make_node(name, labels)
    flavors = {f: {} for q in scenario["queues"].values() for f in q["flavors"]}
    flavors.update(scenario.get("flavors", {}))
    for name, spec in flavors.items():
        yield make_object("ResourceFlavor", name, spec)
    for name, given in scenario["queues"].items():
        yield from make_queue(name, given)
    yield from scenario.get("objects", [])
    for number, (name, given) in enumerate(scenario["workloads"].items()):
        yield make_workload(name, given, number)


def make_command(scenario, stem):
    """The words after `sluice schedule`; writes the files that they name, beginning with `stem`."""
    unknown = set(scenario) - WORDS_OF_SCENARIO
    if unknown:
        raise ValueError(f"a scenario has no {', '.join(unknown)}")
    objects = stem + ".objects.json"
    with open(objects, "w", encoding="utf-8") as file:
        json.dump({"apiVersion": "v1", "kind": "List", "items": list(make_objects(scenario))}, file)
    command = ["-f", objects, "--now", NOW]
    limit = scenario.get("run", 1)
    command += ["--until-stable"] if limit == "stable" else ["--cycles", str(limit)]
    if "config" in scenario:
        config = stem + ".config.json"
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"apiVersion": "config.kueue.x-k8s.io/v1beta2", "kind": "Configuration",
                       **scenario["config"]}, file)
        command += ["--config", config]
    return command


def read_report(done):
    """The report, and the notes that stood beside it."""
    lines = done.stderr.splitlines()
    if done.exit_code != 0 or not all(line.startswith("note: ") for line in lines):
        raise ValueError(f"exit code {done.exit_code}: {done.stderr}")
    return json.loads(done.stdout), [line.removeprefix("note: ") for line in lines]


def short(key):
    return key.removeprefix("ns/")


def places_of(assigned):
    """`n1:2,n2:1`: the domains of a podSet, each with its pods."""
    domains = assigned.get("topologyAssignment", {}).get("domains", [])
    return ",".join(f"{'/'.join(d['values'])}:{d['count']}" for d in domains)


def decisions_of(report):
    """Everything decided, in order, as maps of words."""
    for cycle in report["cycles"]:
        for entry in cycle["preempted"]:
            yield {"preempt": short(entry["workload"]), "by": short(entry["preemptor"]),
                   "reason": entry["reason"]}
        for entry in cycle["admitted"]:
            assigned = entry["admission"]["podSetAssignments"][0]
            usage = assigned.get("resourceUsage", {})
            yield {
                "admit": short(entry["workload"]),
                "flavor": ",".join(sorted(set(assigned.get("flavors", {}).values()))),
                "count": str(assigned["count"]),
                "usage": ",".join(f"{name}:{usage[name]}" for name in sorted(usage)),
                "topology": places_of(assigned),
            }
        for entry in cycle.get("secondPass", []):
            assigned = entry.get("admission", {}).get("podSetAssignments", [{}])[0]
            yield {"pass": short(entry["workload"]), "result": entry["result"],
                   "says": entry["message"], "topology": places_of(assigned)}


def parse(expected):
    """`admit w count=2` as a map of words; maps are taken as they are."""
    if not isinstance(expected, str):
        return {key: str(value) for key, value in expected.items()}
    verb, workload, *words = expected.split()
    return {verb: workload, **dict(word.split("=", 1) for word in words)}


def holds(wanted, given):
    return all(given.get(key) == value for key, value in wanted.items())


def check_refusal(wanted, report):
    if unknown := set(wanted) - {"refuse", "reason", "says"}:
        return f"not understood: {', '.join(sorted(unknown))}"
    last = [e for c in report["cycles"] for e in c["notAdmitted"]
            if short(e["workload"]) == wanted["refuse"]][-1:]
    if not last:
        return f"{wanted['refuse']} was not refused"
    if wanted.get("reason", last[0]["reason"]) != last[0]["reason"]:
        return f"{wanted['refuse']} was refused with reason {last[0]['reason']}"
    if wanted.get("says", "") not in last[0]["message"]:
        return f"{wanted['refuse']} was told: {last[0]['message']}"
    return None


def note_differences(wanted, notes):
    for text in wanted:
        if not any(text in note for note in notes):
            yield f"no note says: {text}"
    for note in notes:
        if not any(text in note for text in wanted):
            yield f"not expected: note {note}"


def differences(scenario, report, notes):
    wanted, wanted_notes = [], []
    for expected in map(parse, scenario["then"]):
        verb = next(iter(expected))
        if verb in ("admit", "preempt", "pass"):
            wanted.append(expected)
        elif verb == "refuse":
            fault = check_refusal(expected, report)
            if fault:
                yield fault
        elif verb in ("active", "inadmissible"):
            names = [short(w) for queue in report[verb].values() for w in queue]
            if expected[verb] not in names:
                yield f"{expected[verb]} is not {verb}"
        elif verb == "note":
            wanted_notes.append(expected[verb])
        else:
            yield f"not understood: {verb}"
    yield from note_differences(wanted_notes, notes)
    decided = list(decisions_of(report))
    for i in range(max(len(wanted), len(decided))):
        if i >= len(wanted):
            yield f"not expected: {decided[i]}"
        elif i >= len(decided):
            yield f"did not happen: {wanted[i]}"
        elif not holds(wanted[i], decided[i]):
            yield f"decision {i + 1} is another: {decided[i]}"


def files_of(paths):
    """The files named, and those of the folders named."""
    for path in map(pathlib.Path, paths):
        if not path.is_dir():
            yield path
            continue
        found = sorted(path.glob("*.yaml"))
        yield from found or [path / "*.yaml"]  # an empty folder is a file that is missing


def load(path, stem):
    """(scenario, command, None) or (None, None, what is wrong with the file)."""
    try:
        with open(path, encoding="utf-8") as file:
            scenario = yaml.safe_load(file)
        return scenario, make_command(scenario, stem), None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError) as error:
        return None, None, f"cannot be read: {type(error).__name__}: {error}"


def faults_of(scenario, done):
    try:
        return list(differences(scenario, *read_report(done)))
    except ValueError as error:
        return [str(error)]


def run_files(program, paths):
    """{file: what is wrong}"""
    faults = {}
    with tempfile.TemporaryDirectory() as folder:
        loaded = {}
        for number, path in enumerate(paths):
            scenario, command, fault = load(path, os.path.join(folder, str(number)))
            faults[path] = [fault]
            if fault is None:
                loaded[path] = (scenario, command)
        commands = [command for _, command in loaded.values()]
        all_done = schedule_batch.run_all(program, commands, jobs=1)
        for (path, (scenario, _)), done in zip(loaded.items(), all_done, strict=True):
            faults[path] = faults_of(scenario, done)
    return faults


def main():
    faults = run_files(os.path.abspath(sys.argv[1]), list(files_of(sys.argv[2:])))
    for path, found in faults.items():
        print(f"{path}: {'FAILED' if found else 'passed'}")
        for fault in found:
            print(f"  {fault}")
    failed = [path for path, found in faults.items() if found]
    for path in failed:
        print(f"FAILED: {path}")
    print(f"{len(faults) - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed or not faults else 0)


if __name__ == "__main__":
    main()
