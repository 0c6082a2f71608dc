#!/usr/bin/env python3
"""Asks a real API server about rules of definitions, and compares with what is recorded.

    compare.py             the differences from recorded.json; fails when there are any
    compare.py --record    writes recorded.json anew
    compare.py --directory DIR    uses the control plane that runs there, and leaves it running

recorded.json is what recorded_test.cpp holds lib/cel against, so that no server is needed for it.
The questions are in cases.yaml and job_kinds.yaml; those about the kinds of crds/ are the ones of
test/e2e (crd_objects.yaml and the tables of values beside it).
"""

import argparse
import contextlib
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TEST = HERE.parent
sys.path[:0] = [str(TEST / "e2e"), str(TEST / "control-plane")]

import yaml  # noqa: E402
from api_client import ApiClient  # noqa: E402
from control_plane import ControlPlane  # noqa: E402

from questions import ask_kinds, ask_schemas, ask_table  # noqa: E402
from rule_server import RuleServer  # noqa: E402

RECORDED = HERE / "recorded.json"


def read(name):
    return yaml.safe_load((HERE / name).read_text())


def ask_all(server):
    return {
        "server": server.version(),
        "table": ask_table(server, read("cases.yaml")),
        "schemas": ask_schemas(server, read("cases.yaml")["schemas"] + read("job_kinds.yaml")),
        "kinds": ask_kinds(server, read("updates.yaml")),
    }


def written(answers):
    """JSON with a line for each case, so that a difference can be read."""

    def shown(value, depth):
        is_deep = isinstance(value, (dict, list)) and value and depth > 0
        if not is_deep:
            return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
        indent = "\n" + " " * (5 - depth)
        if isinstance(value, dict):
            parts = [f"{json.dumps(key)}: {shown(each, depth - 1)}" for key, each in value.items()]
            return "{" + indent + ("," + indent).join(parts) + "}"
        return "[" + indent + ("," + indent).join(shown(each, depth - 1) for each in value) + "]"

    return shown(answers, 4) + "\n"


@contextlib.contextmanager
def running_api(directory):
    """The client of the control plane in the folder, or of one for this run alone."""
    if directory is None:
        with tempfile.TemporaryDirectory() as scratch, ControlPlane(scratch) as plane:
            yield plane.api
        return
    directory = pathlib.Path(directory)
    config = yaml.safe_load((directory / "admin.kubeconfig").read_text())
    port = config["clusters"][0]["cluster"]["server"].rpartition(":")[2]
    pki = directory / "pki"
    yield ApiClient("127.0.0.1", int(port), pki / "ca.crt", pki / "admin.crt", pki / "admin.key")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--directory")
    arguments = parser.parse_args()
    with running_api(arguments.directory) as api:
        answers = ask_all(RuleServer(api))
    text = written(answers)
    if arguments.record:
        RECORDED.write_text(text)
        return
    before, now = RECORDED.read_text().splitlines(), text.splitlines()
    different = sorted(set(before) ^ set(now))
    for line in different:
        print(("- " if line in before else "+ ") + line[:2000])
    print(f"{len(now)} lines, {len(different)} differ")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
