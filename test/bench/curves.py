#!/usr/bin/env python3
"""Draws how the engine's costs grow: curves.py [BENCHMARK_PROGRAM] writes curves.svg beside this.

Each chart is logarithmic on both axes; the grey line grows like n log n (cycles) or log n (events)
from the first point. The program is build/release/test/bench/engine_bench unless given.
"""

import json
import math
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = HERE.parent.parent / "build/release/test/bench/engine_bench"

# (title, benchmark, which argument is n, fixed other argument, growth of the grey line)
CHARTS = [
    ("cycle without change, by ClusterQueues", "BM_CycleWithoutChange", 0, None, "1"),
    ("cycle that admits a head of each, by ClusterQueues", "BM_AdmitHeads", 0, 1, "n log n"),
    ("cycle that admits 1,000 heads, by depth of cohorts", "BM_AdmitHeads", 1, 1000, "n log n"),
    ("cycle that admits one, by holders of the queue", "BM_AdmitAmongHolders", 0, None, "log n"),
    ("cycle of 100 heads that do not fit, by flavors", "BM_TryFlavors", 0, None, "n log n"),
    ("search for one victim, by candidates", "BM_PreemptOne", 0, None, "n log n"),
    ("fair sharing, a head of each, by ClusterQueues", "BM_FairCycleThatAdmits", 0, 1, "n log n"),
    ("fair sharing, all borrow, by ClusterQueues", "BM_FairCycleAmongBorrowers", 0, 1, "n log n"),
    ("fair sharing, none fits, by ClusterQueues", "BM_FairCycleThatRefuses", 0, 1, "n log n"),
    ("fair sharing, half find victims", "BM_FairCycleWithVictims", 0, 1, "n log n"),
    ("finish and hold, by ClusterQueues", "BM_FinishAndHold", 0, 1, "log n"),
    ("finish and hold, by depth of cohorts", "BM_FinishAndHold", 1, 1000, "n log n"),
    ("finish and hold, by holders of the queue", "BM_FinishAmongHolders", 0, None, "log n"),
    ("finish and hold, by flavors of the queue", "BM_FinishAmongFlavors", 0, None, "log n"),
    ("quota of a ClusterQueue changed, by flavors", "BM_ChangeQuota", 0, None, "n log n"),
    ("all ClusterQueues into one cohort", "BM_QueuesIntoOneCohort", 0, None, "n log n"),
    ("wake of all that is parked, by workloads", "BM_WakeInadmissible", 0, None, "n log n"),
    ("all pending workloads added", "BM_AddPending", 0, None, "n log n"),
]
WIDTH, HEIGHT, COLUMNS = 330, 230, 3
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 34, 30
MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


def measure(program):
    names = "|".join(sorted({chart[1] for chart in CHARTS}))
    done = subprocess.run(
        [str(program), f"--benchmark_filter=^({names})/", "--benchmark_format=json"],
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)["benchmarks"]


def points(results, benchmark, position, fixed):
    """(n, microseconds of processor time), by n."""
    found = []
    for result in results:
        parts = result["name"].split("/")
        arguments = [int(part) for part in parts[1:] if part.isdigit()]
        if parts[0] != benchmark:
            continue
        if fixed is not None and arguments[1 - position] != fixed:
            continue
        scale = MICROSECONDS[result["time_unit"]]
        found.append((arguments[position], result["cpu_time"] * scale))
    return sorted(found)


def growth(kind, n):
    logarithm = math.log2(n) + 1
    return {"1": 1.0, "log n": logarithm, "n log n": n * logarithm}[kind]


def text_of(microseconds):
    for unit, size in (("s", 1e6), ("ms", 1e3), ("µs", 1.0)):
        if microseconds >= size:
            return f"{microseconds / size:g} {unit}"
    return f"{microseconds * 1e3:g} ns"


def chart(title, data, kind, x, y):
    first_n, first_cost = data[0]
    bound = [(n, first_cost * growth(kind, n) / growth(kind, first_n)) for n, _ in data]
    costs = [cost for _, cost in data + bound]
    low, high = math.floor(math.log10(min(costs))), math.ceil(math.log10(max(costs)))
    left, right = math.log10(data[0][0]), math.log10(data[-1][0])

    def place(point):
        across = (math.log10(point[0]) - left) / ((right - left) or 1)
        up = (math.log10(point[1]) - low) / ((high - low) or 1)
        return (
            x + LEFT + across * (WIDTH - LEFT - RIGHT),
            y + HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM),
        )

    def line(series, style):
        where = " ".join(f"{a:.1f},{b:.1f}" for a, b in map(place, series))
        return f'<polyline points="{where}" fill="none" {style}/>'

    out = [f'<text x="{x + 8}" y="{y + 18}" font-weight="bold">{title}</text>']
    for power in range(low, high + 1):
        _, at = place((data[0][0], 10.0**power))
        out.append(
            f'<line x1="{x + LEFT}" x2="{x + WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" '
            'stroke="#ddd"/>'
            f'<text x="{x + LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">'
            f"{text_of(10.0**power)}</text>"
        )
    for n, cost in data:
        a, b = place((n, cost))
        out.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="#0b63a5"/>')
        if n in (data[0][0], data[-1][0]):
            anchor = "end" if n == data[-1][0] else "start"
            out.append(
                f'<text x="{a:.1f}" y="{y + HEIGHT - 12}" text-anchor="{anchor}">{n:,}</text>'
            )
    out.append(line(bound, 'stroke="#999" stroke-dasharray="4 3"'))
    out.append(line(data, 'stroke="#0b63a5" stroke-width="2"'))
    out.append(
        f'<text x="{x + WIDTH - RIGHT}" y="{y + TOP - 2}" text-anchor="end" fill="#777">'
        f"grey: {kind}</text>"
    )
    return "\n".join(out)


def main():
    results = measure(sys.argv[1] if len(sys.argv) > 1 else PROGRAM)
    rows = math.ceil(len(CHARTS) / COLUMNS)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * COLUMNS}" '
        f'height="{HEIGHT * rows}" font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for number, (title, benchmark, position, fixed, kind) in enumerate(CHARTS):
        data = points(results, benchmark, position, fixed)
        column, row = number % COLUMNS, number // COLUMNS
        out.append(chart(title, data, kind, column * WIDTH, row * HEIGHT))
    out.append("</svg>\n")
    (HERE / "curves.svg").write_text("\n".join(out), encoding="utf-8")


if __name__ == "__main__":
    main()
