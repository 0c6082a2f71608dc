#!/usr/bin/env python3
"""The lists that are derived from the job kinds of lib/job_kinds/builtin.

job_kinds.py    writes the lists of CMake and of the chart

Helm charts cannot read outside their folder, so the chart has a copy; the lint rule `job-kinds`
checks that it is up to date. The key `chart` of a kind is read here alone:

controlsJobs: false    its objects never control batch Jobs themselves
podLabels              prefix of the labels by which its controller selects pods
reads                  resources of its group that the controller reads
viewers                the roles that may see its objects: administrators or nobody (default: all)
"""

import os
import sys
import textwrap

import yaml

FOLDER = "lib/job_kinds/builtin"
CMAKE = f"{FOLDER}/kinds.cmake"
CHART = "charts/sluice/templates/_known_kinds.tpl"

# The kinds with code in place of a description, except batch Jobs. Objects of those that serve are
# not jobs: their pods are.
CODED = {
    "deployment": {
        "group": "apps", "version": "v1", "kind": "deployment", "resource": "deployments",
        "serves": True,
    },
    "leaderworkerset.x-k8s.io/leaderworkerset": {
        "group": "leaderworkerset.x-k8s.io", "version": "v1", "kind": "leaderworkerset",
        "resource": "leaderworkersets", "serves": True,
    },
    "pod": {"group": "", "version": "v1", "kind": "pod", "resource": "pods"},
    "statefulset": {
        "group": "apps", "version": "v1", "kind": "statefulset", "resource": "statefulsets",
        "serves": True,
    },
}  # fmt: skip
CODED_POD_LABELS = "leaderworkerset.sigs.k8s.io/"
CHART_KEYS = {"controlsJobs", "podLabels", "reads", "viewers"}
VIEWERS = ("administrators", "nobody")

TEMPLATE = """\
{{{{- /* Written by test/lint/job_kinds.py from lib/job_kinds/builtin. */ -}}}}

{{{{- /* The kinds of jobs that Sluice knows, except batch Jobs, by their names in
integrations.frameworks. Objects of the kinds that serve are not jobs: their pods are. */ -}}}}
{{{{- define "sluice.knownJobKinds" -}}}}
{kinds}
{{{{- end }}}}

{{{{- /* The kinds of jobs whose objects may control batch Jobs, as a list in CEL. */ -}}}}
{{{{- define "sluice.jobControllers" -}}}}
[{controllers}]
{{{{- end }}}}

{{{{- /* "true" in CEL if controllers of jobs select pods by the label `key`. */ -}}}}
{{{{- define "sluice.selectsPods" -}}}}
{labels}
{{{{- end }}}}
"""


class Fault(Exception):
    """What is wrong with a kind's file."""


def _plain(value):
    """A value as a YAML flow scalar or list."""
    if isinstance(value, list):
        return f"[{', '.join(value)}]"
    return str(value).lower() if isinstance(value, bool) else value or '""'


def _wrapped(text):
    return textwrap.fill(text, 92, break_long_words=False, break_on_hyphens=False)


def _read(path, text):
    """The framework of a kind, and what the chart has of it."""
    document = yaml.safe_load(text)
    chart = document.get("chart") or {}
    if not isinstance(chart.get("controlsJobs", True), bool):
        raise Fault(f"{path}: chart.controlsJobs is not true or false")
    if chart.get("viewers", VIEWERS[0]) not in VIEWERS:
        raise Fault(f"{path}: chart.viewers is not one of {', '.join(VIEWERS)}")
    if unknown := sorted(set(chart) - CHART_KEYS):
        raise Fault(f"{path}: unknown key chart.{unknown[0]}")
    group, _, version = document["apiVersion"].partition("/")
    kind = document["kind"].lower()
    if os.path.basename(path) != f"{kind}.yaml":
        raise Fault(f"{path}: is not named after its kind: {kind}.yaml")
    entry = {
        "group": group,
        "version": version,
        "kind": kind,
        "resource": document.get("resource", f"{kind}s"),
    }
    entry |= {key: chart[key] for key in ("reads", "viewers") if key in chart}
    controller = document["kind"] if chart.get("controlsJobs", True) else None
    framework = document.get("framework", f"{group}/{kind}")
    return framework, entry, controller, chart.get("podLabels")


def written_files(texts):
    """The derived files: path -> text. `texts`: path -> text of the kinds' files."""
    kinds = dict(CODED)
    labels = {CODED_POD_LABELS}
    controllers = {}
    for path, text in texts.items():
        framework, kinds[framework], controllers[framework], label = _read(path, text)
        labels |= {label} if label else set()
    names = ["Job", *(name for _, name in sorted(controllers.items()) if name)]
    stems = sorted(os.path.basename(path).removesuffix(".yaml") for path in texts)
    return {
        CMAKE: "# Written by test/lint/job_kinds.py.\nset(BUILTIN_KINDS\n    "
        + "\n    ".join(stems)
        + ")\n",
        CHART: TEMPLATE.format(
            kinds="\n".join(
                f"{framework}: {{{', '.join(f'{key}: {_plain(v)}' for key, v in entry.items())}}}"
                for framework, entry in sorted(kinds.items())
            ),
            controllers=_wrapped(", ".join(f"'{name}'" for name in names)),
            labels=_wrapped(" || ".join(f"key.startsWith('{each}')" for each in sorted(labels))),
        ),
    }


def faults(texts, written):
    """Yields (path, text) for each derived file that is out of date. `written`: path -> text of the
    derived files that exist.
    """
    try:
        wanted = written_files(texts)
    except Fault as fault:
        path, _, text = str(fault).partition(": ")
        yield path, text
        return
    for path, text in wanted.items():
        if written.get(path) != text:
            yield path, "is not derived from lib/job_kinds/builtin: run test/lint/job_kinds.py"


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    os.chdir(root)
    texts = {}
    for name in sorted(os.listdir(FOLDER)):
        if name.endswith(".yaml"):
            with open(f"{FOLDER}/{name}", encoding="utf-8") as file:
                texts[f"{FOLDER}/{name}"] = file.read()
    try:
        wanted = written_files(texts)
    except Fault as fault:
        return str(fault)
    for path, text in wanted.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
