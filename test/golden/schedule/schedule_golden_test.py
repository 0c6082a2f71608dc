#!/usr/bin/env python3
"""Compares what `sluice schedule` prints with the golden files here.

  schedule_golden_test.py SLUICE

NAME.out is its output, NAME.err what it reports. SLUICE_UPDATE_GOLDEN=1 rewrites both.
"""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
NOON = ["--now", "2026-01-01T12:00:00Z"]
TWO_TEAMS = ["-f", "two_teams.yaml"] + NOON
CASES = {
    "one_cycle_json": (0, TWO_TEAMS),
    "stable_table": (0, TWO_TEAMS + ["--until-stable", "-o", "table"]),
    "two_cycles_yaml": (0, TWO_TEAMS + ["--cycles", "2", "-o", "yaml"]),
    "bad_objects": (2, ["-f", "bad_objects.yaml"]),
    "bad_objects_skipped": (0, ["-f", "bad_objects.yaml", "--skip-invalid"]),
    "bad_config": (2, TWO_TEAMS + ["--config", "bad_config.yaml"]),
    "bad_now": (2, ["-f", "two_teams.yaml", "--now", "noon"]),
    "offline_example": (
        0,
        ["-f", "../../../examples/05_offline/cluster.yaml", "--now", "2026-01-01T12:00:00Z"]
        + ["--until-stable", "-o", "table"],
    ),
    "missing_file": (2, ["-f", "nowhere.yaml"]),
    "folder": (0, ["-f", "../../../examples/05_offline", "--now", "2026-01-01T12:00:00Z"]),
    "folder_without_objects": (2, ["-f", "../../golden"]),
    "waiting_table": (0, ["-f", "waiting.yaml", "--until-stable", "-o", "table"] + NOON),
    "waiting_json": (0, ["-f", "waiting.yaml"] + NOON),
    "idle_table": (0, ["-f", "idle.yaml", "--until-stable", "-o", "table"] + NOON),
    "idle_json": (0, ["-f", "idle.yaml", "--until-stable"] + NOON),
    "careless": (2, ["-f", "careless.yaml"]),
    "careless_skipped": (0, ["-f", "careless.yaml", "--skip-invalid", "-o", "table"]),
    "no_cycles": (2, TWO_TEAMS + ["--cycles", "-1"]),
}


def differs(name, ending, text):
    path = os.path.join(HERE, name + ending)
    if os.environ.get("SLUICE_UPDATE_GOLDEN"):
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return False
    with open(path, encoding="utf-8") as f:
        wanted = f.read()
    if text != wanted:
        print(f"{name}{ending}\n--- wanted\n{wanted}--- got\n{text}")
    return text != wanted


def main():
    failed = 0
    for name, (code, arguments) in CASES.items():
        done = subprocess.run(
            [os.path.abspath(sys.argv[1]), "schedule"] + arguments,
            cwd=HERE,
            capture_output=True,
            text=True,
        )
        faults = [differs(name, ".out", done.stdout), differs(name, ".err", done.stderr)]
        if done.returncode != code:
            print(f"{name}: exit code {done.returncode}, wanted {code}\n{done.stderr}")
            faults.append(True)
        failed += any(faults)
    print(f"{len(CASES) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
