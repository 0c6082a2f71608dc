#!/usr/bin/env python3
"""Proves what the command line says about itself, and that what is wrong with it is told clearly.

  program_test.py SLUICE VERSION
"""

import json
import os
import subprocess
import sys
import tempfile

SUBCOMMANDS = "the subcommands are controller, schedule, version; see sluice --help"
KUBECONFIG = {
    "apiVersion": "v1",
    "kind": "Config",
    "current-context": "c",
    "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
    "users": [{"name": "c", "user": {"token": "t"}}],
    "contexts": [{"name": "c", "context": {"cluster": "c", "user": "c"}}],
}
UNSUPPORTED = {
    "apiVersion": "config.kueue.x-k8s.io/v1beta2",
    "kind": "Configuration",
    "webhook": {"host": "127.0.0.1"},
    "pprofBindAddress": ":8083",
}
START = ["controller", "--kubeconfig", "kubeconfig.json"]

# (promise, arguments, exit code, [parts of what is printed])
ROWS = [
    ("--version prints the version of the build", ["--version"], 0, ["sluice VERSION\n"]),
    ("so does the subcommand", ["version"], 0, ["sluice VERSION\n"]),
    ("help lists the subcommands", ["--help"], 0, ["controller", "schedule", "version"]),
    ("no subcommand is told", [], 2, ["error: a subcommand is needed; " + SUBCOMMANDS]),
    (
        "an unknown subcommand is named",
        ["controler", "--log-level", "debug"],
        2,
        ['error: "controler" is no subcommand of sluice; ' + SUBCOMMANDS],
    ),
    (
        "an option before the subcommand is named",
        ["--log-level", "debug"],
        2,
        ['error: "--log-level" is no option of sluice; ' + SUBCOMMANDS],
    ),
    ("an unknown option of a subcommand is named", ["controller", "--bogus"], 2, ["--bogus"]),
    (
        "the help of the controller has each flag's default",
        ["controller", "--help"],
        0,
        [
            "(default: Kueue's own) --kubeconfig",
            "(default: as a pod, by its service account) --controllers",
            "(default: *)",
            "a lease of its own, leaderElection.resourceName, and the right to it --feature-gates",
            "(default: Kueue's own) --log-level",
            "(default: info)",
        ],
    ),
    (
        "a setting that is not supported is told with its file",
        START + ["--config", "unsupported.json"],
        2,
        ["unsupported.json: not supported by this version: pprofBindAddress"],
    ),
    (
        "a feature gate that there is not is told with its flag",
        START + ["--feature-gates", "Bogus=true"],
        2,
        ["--feature-gates: ", "Bogus"],
    ),
]


def faults(sluice, folder, arguments, code, parts):
    done = subprocess.run(
        [sluice, *arguments], cwd=folder, capture_output=True, text=True, timeout=60
    )
    printed = done.stdout + done.stderr
    if done.returncode != code:
        yield f"exit code {done.returncode}, wanted {code}"
    for part in parts:
        # Help is laid out in columns.
        if " ".join(part.split()) not in " ".join(printed.split()):
            yield f"not printed: {part}\n--- got\n{printed}"
    if code != 0 and len(done.stderr.splitlines()) != 1 and "--bogus" not in arguments:
        yield f"more than one line of error\n--- got\n{printed}"


def main():
    sluice, version = os.path.abspath(sys.argv[1]), sys.argv[2]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("kubeconfig", KUBECONFIG), ("unsupported", UNSUPPORTED)):
            with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as f:
                json.dump(content, f)
        for promise, arguments, code, parts in ROWS:
            wanted = [part.replace("VERSION", version) for part in parts]
            found = list(faults(sluice, folder, arguments, code, wanted))
            for fault in found:
                print(f"{promise}: {fault}")
            failed += bool(found)
    print(f"{len(ROWS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
