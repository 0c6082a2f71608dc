#!/usr/bin/env python3
"""The rules of definitions on a real API server and in lib/cel: same verdicts, same messages.

    compare.py PROBE [--directory DIR]   PROBE is the built cel_probe

Three comparisons: expressions that are refused when the definition is created, expressions over
objects and updates (both of cases.yaml), and the definitions of crds/ with the objects that
test/e2e has for them.
"""

import argparse
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TEST = pathlib.Path(__file__).resolve().parents[1]
ROOT = TEST.parent
sys.path[:0] = [str(TEST / "e2e"), str(TEST / "control-plane")]

import yaml  # noqa: E402
from api_client import ApiError  # noqa: E402
from control_plane import ControlPlane, wait_until  # noqa: E402
from crd_case import CASES, OBJECTS, PLURALS, CrdCase, changed, shown, values_of  # noqa: E402

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
GROUP = "cel.example.com"
SCHEMA_PATH = "spec.versions[0].schema.openAPIV3Schema"
NOT_CHECKED = "some validation rules were not checked"


class Probe:
    """Asks the built program, one question after the other."""

    def __init__(self, path):
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, schema, item=None, old=None):
        question = {"schema": schema}
        if item is not None:
            question["object"] = item
        if old is not None:
            question["old"] = old
        self.process.stdin.write(json.dumps(question, default=str) + "\n")
        self.process.stdin.flush()
        return [normal(line) for line in json.loads(self.process.stdout.readline())]


def normal(line):
    """Without what differs from run to run."""
    return re.sub(r"selfType\d+", "selfType", line.replace("openAPIV3Schema", SCHEMA_PATH, 1))


def answer(call):
    """The faults that the API server reports; none when it accepts."""
    try:
        call()
    except ApiError as error:
        if error.code != 422:
            raise
        causes = error.status["details"].get("causes", [])
        lines = [f"{cause.get('field', '')}: {cause['message']}" for cause in causes]
        return [re.sub(r"selfType\d+", "selfType", line) for line in lines]
    return []


def definition(name, spec):
    """A definition of a kind whose `spec` has that schema."""
    schema = {"type": "object", "properties": {"spec": spec}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": name, "singular": name, "kind": name.capitalize()}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{name}.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Cluster", "names": names, "versions": [version]},
    }


def schema_of(item, version="v1"):
    versions = item["spec"]["versions"]
    found = next(each for each in versions if each["name"] == version)
    return found["schema"]["openAPIV3Schema"]


class Comparison:
    def __init__(self, api, probe):
        self.api = api
        self.probe = probe
        self.count = self.wrong = 0

    def compare(self, what, real, ours):
        self.count += 1
        if sorted(real) != sorted(ours):
            self.wrong += 1
            print(f"{what}\n  API server: {sorted(real)}\n  lib/cel:    {sorted(ours)}")

    def refusals(self, cases):
        """All at once: each expression is the rule of a property of its own."""
        properties = {}
        for index, rule in enumerate(cases["refused"]):
            rule = {"rule": rule} if isinstance(rule, str) else rule
            part = copy.deepcopy(cases["schema"])
            part["x-kubernetes-validations"] = [rule]
            properties[f"r{index}"] = part
        item = definition("refused", {"type": "object", "properties": properties})
        real = answer(lambda: self.api.create(DEFINITIONS + "?dryRun=All", item))
        ours = self.probe.ask(schema_of(item))
        for index, rule in enumerate(cases["refused"]):
            place = f"[r{index}]."
            self.compare(
                f"refused: {rule}",
                [line for line in real if place in line],
                [line for line in ours if place in line],
            )

    def verdicts(self, cases):
        rules = cases["accepted"]
        properties = {}
        for index, rule in enumerate(rules):
            part = copy.deepcopy(cases["schema"])
            part["x-kubernetes-validations"] = [{"rule": rule} if isinstance(rule, str) else rule]
            properties[f"r{index}"] = part
        item = definition("judged", {"type": "object", "properties": properties})
        schema = schema_of(item)
        self.create_kind(item)
        kind = {"apiVersion": f"{GROUP}/v1", "kind": "Judged"}
        path = f"/apis/{GROUP}/v1/judged"
        for number, value in enumerate(cases["objects"]):
            judged = kind | {"metadata": {"name": f"o{number}"}}
            judged["spec"] = {name: value for name in properties}
            real = answer(lambda judged=judged: self.api.create(path + "?dryRun=All", judged))
            ours = self.probe.ask(schema, judged)
            self.by_rule(f"object {number}", rules, real, ours)
        for number, (before, after) in enumerate(cases["updates"]):
            self.update(f"update {number}", rules, cases, (kind, before, after))

    def update(self, what, rules, cases, change):
        """The object before the update breaks what it will: the rules come after it."""
        kind, before, after = change
        name = f"updated{what.rpartition(' ')[2]}"
        properties = {f"r{index}": copy.deepcopy(cases["schema"]) for index in range(len(rules))}
        item = definition(name, {"type": "object", "properties": properties})
        self.create_kind(item)
        path = f"/apis/{GROUP}/v1/{name}"
        old = {"apiVersion": f"{GROUP}/v1", "kind": name.capitalize(), "metadata": {"name": "o"}}
        old["spec"] = {each: before for each in properties}
        old = self.api.create(path, old)
        for index, rule in enumerate(rules):
            rule = {"rule": rule} if isinstance(rule, str) else rule
            properties[f"r{index}"]["x-kubernetes-validations"] = [rule]
        new = copy.deepcopy(old) | {"spec": {each: after for each in properties}}
        stored = self.api.get(f"{DEFINITIONS}/{name}.{GROUP}")
        stored["spec"]["versions"][0]["schema"] = item["spec"]["versions"][0]["schema"]
        self.api.replace(f"{DEFINITIONS}/{name}.{GROUP}", stored)

        def is_active():
            bad = copy.deepcopy(old)
            bad["metadata"] = {"name": "other"}
            bad["spec"] = {each: cases["objects"][0] for each in properties}
            return any("rule" in line or "failed" in line for line in answer(
                lambda: self.api.create(path + "?dryRun=All", bad)))

        wait_until(is_active, 30, f"the rules of {name} are in force")
        real = answer(lambda: self.api.replace(f"{path}/o?dryRun=All", new))
        self.by_rule(what, rules, real, self.probe.ask(schema_of(item), new, old))

    def by_rule(self, what, rules, real, ours):
        for index, rule in enumerate(rules):
            place = re.compile(rf"spec\.r{index}\b")
            self.compare(
                f"{what}: {rule}",
                [line for line in real if place.match(line)],
                [line for line in ours if place.match(line)],
            )

    def create_kind(self, item):
        self.api.create(DEFINITIONS, item)
        name = item["metadata"]["name"]
        kind = item["spec"]["names"]["plural"]

        def is_served():
            try:
                return self.api.get(f"/apis/{item['spec']['group']}/v1/{kind}")
            except ApiError:
                return None

        wait_until(is_served, 30, f"{name} is served")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("probe")
    parser.add_argument("--directory")
    arguments = parser.parse_args()
    cases = yaml.safe_load(pathlib.Path(__file__).with_name("cases.yaml").read_text())
    with tempfile.TemporaryDirectory() as scratch:
        with ControlPlane(arguments.directory or scratch) as plane:
            comparison = Comparison(plane.api, Probe(arguments.probe))
            comparison.refusals(cases)
            comparison.verdicts(cases)
            Definitions(comparison).run(plane)
    print(f"{comparison.count} compared, {comparison.wrong} differ")
    sys.exit(1 if comparison.wrong else 0)


class Definitions:
    """The definitions of crds/, with the full objects of test/e2e and what is changed in them."""

    def __init__(self, comparison):
        self.comparison = comparison
        self.api = comparison.api

    def run(self, plane):
        plane.kubectl("apply", "--server-side", "-f", ROOT / "crds")
        for item in yaml.safe_load_all(OBJECTS.read_text()):
            for full in item:
                if full["apiVersion"].endswith("/v1beta2"):
                    self.run_kind(CrdCase.named(full, "full"))

    def run_kind(self, full):
        kind = full["kind"]
        plural = PLURALS[kind]
        stored = wait_until(
            lambda: self.api.get(f"{DEFINITIONS}/{plural}.kueue.x-k8s.io"), 30, plural
        )
        schema = schema_of(stored, "v1beta2")
        collection = CrdCase.collection(full)
        self.served(collection, full)
        messages = set(re.findall(r'"message": "([^"]+)", "rule"', json.dumps(schema)))
        messages |= {
            rule["message"] for rule in rules_of(schema)
        }
        old = self.store(collection, full)
        path = f"{collection}/full"
        for field, *probes in CASES["v1beta2", kind]:
            for value, _ in values_of(probes):
                what = f"{kind}: {field} = {shown(value)}"
                is_status = field.startswith("status")
                item = changed(old, field, value)
                part = "/status" if is_status else ""
                real = answer(
                    lambda: self.api.replace(f"{path}{part}?dryRun=All", item)
                )
                self.judge(what + " (update)", schema, messages, real, (item, old))
                if not is_status:
                    created = changed(full, field, value)
                    created.pop("status", None)
                    real = answer(
                        lambda: self.api.create(collection + "?dryRun=All", created)
                    )
                    self.judge(what, schema, messages, real, (created, None))

    def served(self, collection, full):
        def is_served():
            try:
                return self.api.create(collection + "?dryRun=All", full)
            except ApiError as error:
                if error.code in (404, 429, 503):
                    return None
                raise

        wait_until(is_served, 30, f"{collection} is served")

    def store(self, collection, full):
        item = self.api.create(collection, full)
        if "status" in full:
            item["status"] = full["status"]
            item = self.api.replace(f"{collection}/full/status", item)
        return item

    def judge(self, what, schema, messages, real, objects):
        """Of the faults that the API server found, those of rules count. Where an object breaks
        its schema, rules are not looked at, and nothing is compared.
        """
        if any(NOT_CHECKED in line for line in real):
            return
        item, old = objects
        item = filled(schema, copy.deepcopy(item))
        ours = self.comparison.probe.ask(schema, item, old)
        of_rules = [line for line in real if any(line.endswith(text) for text in messages)]
        self.comparison.compare(what, of_rules, ours)


def rules_of(schema):
    for rule in schema.get("x-kubernetes-validations", []):
        yield rule
    parts = list(schema.get("properties", {}).values()) + [schema.get("items")]
    parts.append(schema.get("additionalProperties"))
    for part in parts:
        if isinstance(part, dict):
            yield from rules_of(part)


def filled(schema, value):
    """The value with the defaults of its schema, and without nulls that have no meaning."""
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties")
        for name, part in properties.items():
            if value.get(name) is None and not part.get("nullable"):
                value.pop(name, None)
            if name not in value and "default" in part:
                value[name] = copy.deepcopy(part["default"])
        for name in value:
            part = properties.get(name, others)
            if isinstance(part, dict):
                value[name] = filled(part, value[name])
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        value = [filled(schema["items"], each) for each in value]
    return value


if __name__ == "__main__":
    main()
