#!/usr/bin/env python3
"""Compares two directories of scheduling results, case by case.

  compare.py REFERENCE CANDIDATE [--cases DIR] [--also REFERENCE2 ...] [--first 5] [--level waiting]

A result is CASE.json as `sluice schedule -o json` prints it, or as recorded from upstream.
Levels, each including the ones before:
  decisions  what is admitted in which cycle with which flavors, counts and usage; what is
             preempted, why, by which workload
  waiting    the other heads of each cycle: reason, and whether they went back to the heap; the
             queues at the end
  messages   message texts, `borrows`, quantities as printed
  order      order of the lists. A root cohort (or lone ClusterQueue) is compared by itself, because
             Kueue takes roots in arbitrary order, and heads of equal priority and timestamp are
             free (both need --cases)
--also names further runs of the reference: a case passes when it equals any of them.
Only the common cycles are compared when the reference hit its cycle limit (_meta*.jsonl says so).
Exit status 0 when every case passes at --level, else 1.
"""

import argparse
import collections
import glob
import json
import os
import re
import sys

LEVELS = ["decisions", "waiting", "messages", "order"]
SUFFIX = {
    "": 1,
    "n": 1e-9,
    "u": 1e-6,
    "m": 1e-3,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
    "E": 1e18,
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
    "Pi": 2**50,
    "Ei": 2**60,
}


def num(q):
    m = re.fullmatch(r"([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([numkMGTPE]?i?)", str(q))
    return round(float(m.group(1)) * SUFFIX[m.group(2)] * 1000) if m else q


def admission(a):
    if not isinstance(a, dict):
        return a
    a = json.loads(json.dumps(a))
    for p in a.get("podSetAssignments") or []:
        p["resourceUsage"] = {k: num(v) for k, v in (p.get("resourceUsage") or {}).items()}
        p["flavors"] = p.get("flavors") or {}
    return a


def idle(c):
    return not c.get("admitted") and not c.get("preempted")


def keyed(items, fields, conv=lambda f, v: v):
    out = {}
    for e in items or []:
        out[e["workload"]] = {f: conv(f, e.get(f)) for f in fields}
    return out


class Case:
    """What is needed from the input to know which orders are free."""

    def __init__(self, d):
        self.tags, self.root, self.tie = [], None, {}
        try:
            self.tags = json.load(open(os.path.join(d, "case.json"))).get("tags", [])
        except OSError:
            pass
        self.dir = d

    def load(self):
        if self.root is not None:
            return
        parent, cqs, self.root = {}, {}, {}
        flat = gate(os.path.join(self.dir, "config.yaml"), "PrioritySortingWithinCohort") is False
        for o in objects(os.path.join(self.dir, "objects.yaml")):
            k, n, s = o.get("kind"), o["metadata"]["name"], o.get("spec") or {}
            if k == "Cohort":
                parent[n] = s.get("parentName") or ""
            elif k == "ClusterQueue":
                cqs[n] = s.get("cohortName") or s.get("cohort") or ""
            elif k == "Workload":
                self.tie[f"{o['metadata'].get('namespace', '')}/{n}"] = (
                    0 if flat else s.get("priority") or 0,
                    stamp(o),
                )
        for cq, c in cqs.items():
            seen = set()
            while c and parent.get(c) and c not in seen:
                seen.add(c)
                c = parent[c]
            self.root[cq] = c or f"queue {cq}"


def stamp(o):
    for c in (o.get("status") or {}).get("conditions") or []:
        if (
            c["type"] == "Evicted"
            and c["status"] == "True"
            and c["reason"] in ("PodsReadyTimeout", "AdmissionCheck")
        ):
            return c["lastTransitionTime"]
    return o["metadata"].get("creationTimestamp")


def gate(path, name):
    """The value of a feature gate in a Configuration, or None."""
    try:
        m = re.search(rf'"?{name}"?\s*:\s*(true|false)', open(path).read())
    except OSError:
        return None
    return m and m.group(1) == "true"


def objects(path):
    text = open(path).read()
    docs = (
        re.split(r"^---\s*$", text, flags=re.M)
        if "\n---" in text or text.startswith("---")
        else [text]
    )
    for d in docs:
        d = d.strip()
        if not d:
            continue
        try:
            o = json.loads(d)
        except ValueError:
            import yaml

            o = yaml.safe_load(d)
        if o and o.get("kind", "").endswith("List") and "items" in o:
            yield from o["items"]
        elif o:
            yield o


def compare(a, b, case, prefix_only):
    """{level: [difference, ...]} for two results."""
    diff = {l: [] for l in LEVELS}
    ca, cb = list(a.get("cycles") or []), list(b.get("cycles") or [])
    for x, y in zip(ca, cb):
        at = f"cycle {x.get('cycle')}"

        def sets(level, key, fields, conv=lambda f, v: v):
            p, q = keyed(x.get(key), fields, conv), keyed(y.get(key), fields, conv)
            for w in sorted(p.keys() | q.keys()):
                if w not in q:
                    diff[level].append(
                        f"{at}: {key} {w} only in the reference: {json.dumps(p[w], sort_keys=True)}"
                    )
                elif w not in p:
                    diff[level].append(
                        f"{at}: {key} {w} only in the candidate: {json.dumps(q[w], sort_keys=True)}"
                    )
                else:
                    for f in fields:
                        if p[w][f] != q[w][f]:
                            diff[level].append(
                                f"{at}: {key} {w} {f}:"
                                f"\n      - {json.dumps(p[w][f], sort_keys=True)}"
                                f"\n      + {json.dumps(q[w][f], sort_keys=True)}"
                            )

        sets(
            "decisions",
            "admitted",
            ["clusterQueue", "admission"],
            lambda f, v: admission(v) if f == "admission" else v,
        )
        sets("decisions", "preempted", ["clusterQueue", "reason", "preemptor"])
        sets("waiting", "notAdmitted", ["clusterQueue", "reason", "requeued"])
        if not diff["waiting"]:
            sets("messages", "notAdmitted", ["message"])
            sets("messages", "admitted", ["borrows", "admission"])
        if any(diff.values()):
            break  # what follows is only the consequence
        for key in ("admitted", "preempted", "notAdmitted"):
            if case:
                case.load()
            groups = [collections.defaultdict(list), collections.defaultdict(list)]
            for g, c in zip(groups, (x, y)):
                for e in c.get(key) or []:
                    preemptor = e.get("preemptor") or e["workload"]
                    g[root_of(case, e, c, preemptor)].append((e["workload"], preemptor))
            for r in groups[0]:
                p, q = groups[0][r], groups[1][r]
                if p != q and not free(case, p, q):
                    diff["order"].append(
                        f"{at}: order of {key} under {r}:\n      - {[w for w, _ in p]}"
                        f"\n      + {[w for w, _ in q]}"
                    )
    n = min(len(ca), len(cb))
    if not any(diff.values()) and not prefix_only:
        for name, x in (("reference", ca[n:]), ("candidate", cb[n:])):
            for c in x:
                if not idle(c):
                    diff["decisions"].append(
                        f"cycle {c.get('cycle')}: only in the {name}: admits "
                        f"{[e['workload'] for e in c['admitted']]}, "
                        f"preempts {[e['workload'] for e in c['preempted']]}"
                    )
            # cycles without effect at the end are no difference, but for heads that leave the heap
            moved = [
                e["workload"]
                for c in x
                for e in c.get("notAdmitted") or []
                if e.get("requeued") != "active"
            ]
            if moved and name == "reference":
                diff["waiting"].append(
                    f"the reference tries {moved} in later cycles, the candidate does not"
                )
    if not any(diff.values()) and not prefix_only:
        for key in ("active", "inadmissible"):
            p, q = a.get(key) or {}, b.get(key) or {}
            for cq in sorted(p.keys() | q.keys()):
                u, v = p.get(cq) or [], q.get(cq) or []
                if sorted(u) != sorted(v):
                    diff["waiting"].append(f"end: {key} of {cq}:\n      - {u}\n      + {v}")
                elif u != v:
                    diff["order"].append(f"end: order of {key} of {cq}:\n      - {u}\n      + {v}")
    return diff


def root_of(case, e, c, workload):
    if not case:
        return "all"
    cq = e["clusterQueue"]
    for o in (c.get("notAdmitted") or []) + (c.get("admitted") or []):
        if o["workload"] == workload:
            cq = o["clusterQueue"]
    return case.root.get(cq, cq)


def free(case, p, q):
    """Same order but for heads that tie."""
    if not case or sorted(p) != sorted(q):
        return False
    for x, y in zip(p, q):
        if x != y and (x[1] == y[1] or case.tie.get(x[1], x) != case.tie.get(y[1], y)):
            return False
    return True


def results(d):
    return {os.path.basename(f)[:-5]: f for f in glob.glob(os.path.join(d, "*.json"))}


def limited(d):
    out = set()
    for f in glob.glob(os.path.join(d, "_meta*.jsonl")):
        for line in open(f):
            m = json.loads(line)
            if m.get("end") == "limit":
                out.add(m["case"])
    return out


def passed(diff, level):
    return not any(diff[l] for l in LEVELS[: LEVELS.index(level) + 1])


def report(rows, first, level, missing):
    per = collections.defaultdict(lambda: collections.Counter())
    for name, tags, diff in rows:
        for t in ["(all)"] + list(tags):
            per[t]["n"] += 1
            for l in LEVELS:
                per[t][l] += passed(diff, l)
    width = max([len(t) for t in per] + [10])
    print(f"{'tag':{width}} {'cases':>6} " + " ".join(f"{l:>10}" for l in LEVELS))
    for t in sorted(per, key=lambda t: (t != "(all)", t)):
        c = per[t]
        print(f"{t:{width}} {c['n']:6} " + " ".join(f"{100 * c[l] / c['n']:9.2f}%" for l in LEVELS))
    if missing:
        print(f"\nno candidate result for {len(missing)} cases: {' '.join(missing[:10])}")
    shown = 0
    for name, tags, diff in rows:
        if passed(diff, level):
            continue
        if shown >= first:
            break
        shown += 1
        print(f"\n{name}  [{' '.join(tags)}]")
        for l in LEVELS[: LEVELS.index(level) + 1]:
            for d in diff[l][:6]:
                print(f"  {l}: {d}")
    return bool(missing) or any(not passed(d, level) for _, _, d in rows)


def main():
    ap = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    ap.add_argument("a")
    ap.add_argument("b")
    ap.add_argument("--cases")
    ap.add_argument("--also", nargs="*", default=[])
    ap.add_argument("--first", type=int, default=5)
    ap.add_argument("--level", choices=LEVELS, default="waiting")
    a = ap.parse_args()
    refs = [results(d) for d in [a.a] + a.also]
    lim = set().union(*[limited(d) for d in [a.a] + a.also])
    cand = results(a.b)
    rows, missing = [], []
    for name in sorted(refs[0]):
        case = Case(os.path.join(a.cases, name)) if a.cases else None
        if name not in cand:
            missing.append(name)
            continue
        b = json.load(open(cand[name]))
        best = None
        for r in refs:
            if name in r:
                d = compare(json.load(open(r[name])), b, case, name in lim)
                rank = [len(d[l]) == 0 for l in LEVELS]
                if best is None or rank > [len(best[l]) == 0 for l in LEVELS]:
                    best = d
        rows.append((name, case.tags if case else [], best))
    sys.exit(int(report(rows, a.first, a.level, missing)))


if __name__ == "__main__":
    main()
