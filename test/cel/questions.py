"""The questions to a real API server, and its answers in the form of recorded.json."""

import copy
import gzip
import json
import pathlib
import re

import yaml
from crd_case import CASES, OBJECTS, PLURALS, changed, shown, values_of

from rule_server import RULES

TEST = pathlib.Path(__file__).resolve().parents[1]
CHUNK = 40
NOT_CHECKED = "some validation rules were not checked"


def ask_table(server, cases):
    """Each rule at one schema: refused, or judged on each object and on each update."""
    schema = cases["schema"]
    rules = [{"rule": rule if isinstance(rule, dict) else {"rule": rule}}
             for rule in cases["rules"]]  # fmt: skip
    for each in rules:
        each["causes"] = server.judge_schema(at_spec(with_rule(schema, each["rule"])))
    accepted = [each for each in rules if not each["causes"]]
    # A definition has a limit for the costs of all its rules.
    for start in range(0, len(accepted), CHUNK):
        judge_rules(server, cases, accepted[start : start + CHUNK])
    for each in cases["beyond"]:
        rule = {"rule": each["rule"]}
        assert not server.judge_schema(at_spec(with_rule(schema, rule))), f"{rule} is refused"
    return {
        "schema": schema,
        "objects": cases["objects"],
        "updates": cases["updates"],
        "beyond": cases["beyond"],
        "rules": rules,
    }


def judge_rules(server, cases, rules):
    """The verdicts of rules, each at a property of its own."""
    properties = {
        f"r{index}": with_rule(cases["schema"], each["rule"]) for index, each in enumerate(rules)
    }

    def everywhere(value):
        return {"spec": dict.fromkeys(properties, value)}

    schema = at_spec({"type": "object", "properties": properties})
    kind, stored = server.kind(schema, [everywhere(old) for old, _ in cases["updates"]])
    created = [kind.judge(everywhere(value)) for value in cases["objects"]]
    updated = [
        kind.judge_update(old, everywhere(new))
        for old, (_, new) in zip(stored, cases["updates"], strict=True)
    ]
    for name, each in zip(properties, rules, strict=True):
        each["objects"] = [of_property(causes, name) for causes in created]
        each["updates"] = [of_property(causes, name) for causes in updated]


def with_rule(schema, rule):
    return schema | {RULES: [rule]}


def at_spec(schema):
    return {"type": "object", "properties": {"spec": schema}}


def of_property(causes, name):
    """The causes at that property, as if it were spec itself."""
    place = re.compile(rf"spec\.{name}\b")
    return [[place.sub("spec", cause[0], count=1), *cause[1:]] for cause in causes
            if place.match(cause[0])]  # fmt: skip


def ask_schemas(server, cases):
    """Schemas of their own: why they are refused, or what objects and updates break."""
    answers = []
    for case in cases:
        schema = case["schema"] if "schema" in case else published(case["definition"])
        if not case.get("is_whole", "definition" in case):
            schema = at_spec(schema)
        answer = {"name": case.get("name") or case["definition"], "schema": schema}
        answer["causes"] = server.judge_schema(schema)
        answers.append(answer)
        if not answer["causes"]:
            judge_objects(server, case, answer)
    return answers


def judge_objects(server, case, answer):
    is_whole = "definition" in case or case.get("is_whole", False)

    def as_object(value):
        return value if is_whole else {"spec": value}

    objects = [as_object(each) for each in case.get("objects", [])]
    updates = [[as_object(old), as_object(new)] for old, new in case.get("updates", [])]
    kind, stored = server.kind(answer["schema"], [old for old, _ in updates])
    schema = answer["schema"]
    answer["objects"] = [
        {"object": named(filled(schema, each), "new"), "causes": kind.judge(each)}
        for each in objects
    ]
    answer["updates"] = [
        {
            "old": named(filled(schema, old), f"o{number}"),
            "new": named(filled(schema, new), f"o{number}"),
            "causes": kind.judge_update(stored[number], new),
        }
        for number, (old, new) in enumerate(updates)
    ]


def named(item, name):
    """The object with what the server knows of it besides."""
    metadata = {"name": name} | item.get("metadata", {})
    return {"apiVersion": "v1", "kind": "Thing"} | item | {"metadata": metadata}


def published(name):
    """The schema that a project publishes, without what its rules do not speak of."""
    path = TEST / f"e2e/definitions/{name}.json.gz"
    versions = json.loads(gzip.decompress(path.read_bytes()))["spec"]["versions"]
    schema = versions[-1]["schema"]["openAPIV3Schema"]
    words = {"name"} | set(re.findall(r"\w+", " ".join(each["rule"] for each in rules_of(schema))))
    return shortened(schema, words)


def parts_of(schema):
    yield from schema.get("properties", {}).values()
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield schema[key]


def rules_of(schema):
    yield from schema.get(RULES, [])
    for part in parts_of(schema):
        yield from rules_of(part)


def shortened(schema, words):
    """The schema without properties that no rule names and that have no rules in them."""
    result = dict(schema)
    words = words | set(schema.get("x-kubernetes-list-map-keys", []))
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            result[key] = shortened(schema[key], words)
    if "properties" in schema:
        result["properties"] = {
            name: shortened(part, words)
            for name, part in schema["properties"].items()
            if name in words or any(rules_of(part))
        }
        if not result["properties"]:
            result["x-kubernetes-preserve-unknown-fields"] = True
    if "required" in schema:
        result["required"] = [each for each in schema["required"] if each in result["properties"]]
    return result


def ask_kinds(server, updates):
    """The kinds of crds/: their full objects, with one field changed at a time."""
    documents = yaml.safe_load(OBJECTS.read_text())
    fulls = {(item["apiVersion"].rpartition("/")[2], item["kind"]): item for item in documents}
    answers = []
    for (version, kind), full in fulls.items():
        schema, path = schema_of(kind, version)
        if not any(rules_of(schema)):
            continue
        body = {key: each for key, each in full.items() if key not in ("apiVersion", "kind")}
        body = filled(schema, copy.deepcopy(body))
        own = [each for each in updates if each["kind"] == kind and version in each["versions"]]
        answer = {"kind": kind, "version": version, "file": path.name, "full": named(body, "new")}
        answer["cases"] = judge_kind(server, schema, body, CASES[version, kind])
        answer["updates"] = judge_updates(server, schema, own)
        answers.append(answer)
    return answers


def schema_of(kind, version):
    path = TEST.parent / f"crds/kueue.x-k8s.io_{PLURALS[kind]}.yaml"
    versions = yaml.safe_load(path.read_text())["spec"]["versions"]
    found = next(each for each in versions if each["name"] == version)
    return found["schema"]["openAPIV3Schema"], path


def judge_kind(server, schema, full, table):
    """Of what the API server found, the faults of rules. Where an object breaks its schema, rules
    are not looked at, and there is no case.
    """
    kind, stored = server.kind(schema, [full], "status" in full)
    messages = {rule["message"] for rule in rules_of(schema)}
    cases = []
    for field, *probes in table:
        is_status = field.startswith("status")
        for value, _ in values_of(probes):
            item = changed(full, field, value)
            if not is_status:
                item.pop("status", None)
            causes = (
                kind.judge_update(stored[0], item, True) if is_status else kind.judge(item)
            )
            if any(NOT_CHECKED in cause[2] for cause in causes):
                continue
            of_rules = [each for each in causes if any(each[2].endswith(text) for text in messages)]
            if not of_rules and (causes or len(shown(value)) >= 60):
                continue
            item = filled(schema, item)
            cases.append({
                "name": f"{field} = {shown(value)}",
                "is_update": is_status,
                "change": difference(full, item),
                "causes": of_rules,
            })  # fmt: skip
    return cases


def judge_updates(server, schema, updates):
    olds = [filled(schema, copy.deepcopy(each["old"])) for each in updates]
    kind, stored = server.kind(schema, olds, "status" in schema["properties"])
    answers = []
    for number, (each, old) in enumerate(zip(updates, olds, strict=True)):
        new = copy.deepcopy(old)
        for path, value in each["change"].items():
            new = set_at(new, path.split("."), value)
        is_status = any(path.startswith("status") for path in each["change"])
        causes = kind.judge_update(stored[number], new, is_status)
        new = filled(schema, new)
        answers.append({
            "name": each["name"],
            "old": named(old, f"o{number}"),
            "new": named(new, f"o{number}"),
            "causes": causes,
        })  # fmt: skip
    return answers


def set_at(item, path, value):
    """The object with the value at the path; null removes it."""
    step, *rest = path
    step = int(step) if isinstance(item, list) else step
    if rest:
        if isinstance(item, dict):
            item.setdefault(step, {})
        item[step] = set_at(item[step], rest, value)
    elif value is None:
        del item[step]
    else:
        item[step] = value
    return item


def filled(schema, value, is_root=True):
    """The value with the defaults of its schema, without nulls that have no meaning and without
    what the schema does not know.
    """
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties")
        keeps = schema.get("x-kubernetes-preserve-unknown-fields") or others
        value = {
            name: each
            for name, each in value.items()
            if not (each is None and name in properties and not properties[name].get("nullable"))
            and (name in properties or keeps or (is_root and name == "metadata"))
        }
        for name, part in properties.items():
            if name not in value and "default" in part:
                value[name] = copy.deepcopy(part["default"])
        for name in value:
            part = properties.get(name, others)
            if isinstance(part, dict) and not (is_root and name == "metadata"):
                value[name] = filled(part, value[name], False)
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        value = [filled(schema["items"], each, False) for each in value]
    return value


def difference(before, after, path=""):
    """The JSON patch from one object to the other."""
    if before == after:
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        patch = []
        for key in sorted(before.keys() | after.keys()):
            place = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
            if key not in after:
                patch.append({"op": "remove", "path": place})
            elif key not in before:
                patch.append({"op": "add", "path": place, "value": after[key]})
            else:
                patch += difference(before[key], after[key], place)
        return patch
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return [step for index, (old, new) in pairs
                for step in difference(old, new, f"{path}/{index}")]  # fmt: skip
    return [{"op": "replace", "path": path, "value": after}]
