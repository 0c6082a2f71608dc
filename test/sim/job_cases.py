"""The Jobs that are compared: their specs, and what happens to them step by step."""

import dataclasses

HOLD = "example.com/hold"


@dataclasses.dataclass
class Case:
    name: str
    job: dict
    steps: list
    node: str = ""  # one of its own, which the case may lose
    story: str = ""  # what is not to be seen in its source


def merge(base, patch):
    merged = dict(base)
    for key, value in patch.items():
        known = merged.get(key)
        if isinstance(value, dict) and isinstance(known, dict):
            merged[key] = merge(known, value)
        else:
            merged[key] = value
    return merged


def make_job(name, spec):
    template = {
        "spec": {
            "restartPolicy": "Never",
            "containers": [
                {"name": "c", "image": "i", "resources": {"requests": {"cpu": "10m"}}}
            ],
        }
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": merge({"template": template}, spec),
    }


def step(method, *arguments, **options):
    return lambda world: getattr(world, method)(*arguments, **options)


def end(index=None, code=0, count=1):
    return step("end", index=index, code=code, count=count)


def change(**spec):
    return step("change", {"spec": spec})


def wait(seconds):
    return step("wait", seconds)


def case(case_name, spec, *steps, node="", job_name="j"):
    return Case(case_name, make_job(job_name, spec), [step("create"), *steps], node)


INDEXED = {"completionMode": "Indexed"}
SLOW = {"template": {"metadata": {"annotations": {"sluice.dev/stop-seconds": "6"}}}}


NOWHERE = {"template": {"spec": {"nodeSelector": {"no": "such"}}}}


def only_on(node):
    return {
        "spec": {
            "nodeSelector": {"case": node},
            "tolerations": [{"key": "case", "value": node, "effect": "NoSchedule"}],
        }
    }


def on_exit_codes(action, *values, operator="In", **options):
    return {"action": action, "onExitCodes": {"operator": operator, "values": [*values]} | options}


ON_DISRUPTION = [{"type": "DisruptionTarget", "status": "True"}]

COMPLETIONS = [
    case("one", {}, end()),
    case(
        "parallel", {"completions": 5, "parallelism": 2}, end(), end(count=2), end(), end()
    ),
    case("more-parallel-than-completions", {"completions": 2, "parallelism": 5}, end(count=2)),
    case("work-queue", {"parallelism": 3}, end(), end(count=2)),
    case("work-queue-failing", {"parallelism": 3}, end(), end(code=1), end()),
    case("work-queue-failing-first", {"parallelism": 2}, end(code=1), wait(11), end(count=2)),
    case("no-completions", {"completions": 0, "parallelism": 1}),
    case("no-parallelism", {"completions": 2, "parallelism": 0}, change(parallelism=1), end()),
    case("indexed", INDEXED | {"completions": 3, "parallelism": 3}, end(1), end(0), end(2)),
    case(
        "indexed-failing",
        INDEXED | {"completions": 5, "parallelism": 2},
        end(1, code=1), wait(11), end(0), end(1), end(2), end(4), end(3),
    ),  # fmt: skip
    case("indexed-none", INDEXED | {"completions": 0, "parallelism": 1}),
    case("long-name", INDEXED | {"completions": 1}, end(0), job_name=61 * "j"),
    case(
        "own-metadata",
        INDEXED
        | {
            "completions": 1,
            "template": {
                "metadata": {
                    "labels": {"app": "a"},
                    "annotations": {"note": "b"},
                    "finalizers": [HOLD],
                },
                "spec": {
                    "restartPolicy": "Never",
                    "subdomain": "s",
                    "initContainers": [{"name": "i", "image": "i"}],
                    "containers": [
                        {"name": "c", "image": "i", "env": [{"name": "A", "value": "B"}]},
                        {
                            "name": "d",
                            "image": "i",
                            "env": [{"name": "JOB_COMPLETION_INDEX", "value": "own"}],
                        },
                    ],
                },
            },
        },
        end(0), step("delete", propagationPolicy="Background"), step("release", HOLD),
    ),  # fmt: skip
]

FAILURES = [
    case("backoff-none", {"backoffLimit": 0, "completions": 3, "parallelism": 3}, end(code=1)),
    case(
        "backoff",
        {"backoffLimit": 2},
        end(code=1), wait(11), end(code=1), wait(21), end(code=1),
    ),  # fmt: skip
    case(
        "backoff-reset",
        {"backoffLimit": 3, "completions": 3, "parallelism": 1},
        end(code=1), wait(11), end(), end(code=1), wait(11), end(), end(),
    ),  # fmt: skip
    case("on-failure", {
        "backoffLimit": 2, "template": {"spec": {"restartPolicy": "OnFailure"}},
    }, step("restart", 1), step("restart", 2)),  # fmt: skip
    case(
        "per-index",
        INDEXED | {"completions": 3, "parallelism": 3, "backoffLimitPerIndex": 1},
        end(0, code=1), wait(11), end(0, code=1), end(1), end(2),
    ),  # fmt: skip
    case(
        "per-index-recovered",
        INDEXED | {"completions": 2, "parallelism": 2, "backoffLimitPerIndex": 2},
        end(0, code=1), wait(11), end(0, code=1), end(1), wait(21), end(0),
    ),  # fmt: skip
    case(
        "max-failed-indexes",
        INDEXED
        | {
            "completions": 4,
            "parallelism": 4,
            "backoffLimitPerIndex": 0,
            "maxFailedIndexes": 1,
        },
        end(0, code=1), end(1), end(2, code=1),
    ),  # fmt: skip
    case(
        "policy-fail-job",
        {
            "completions": 2,
            "parallelism": 2,
            "podFailurePolicy": {"rules": [on_exit_codes("FailJob", 42)]},
        },
        end(code=42),
    ),
    case(
        "policy-fail-job-named",
        {
            "podFailurePolicy": {
                "rules": [
                    on_exit_codes("Count", 1, 2),
                    on_exit_codes("FailJob", 0, operator="NotIn", containerName="c"),
                ]
            },
        },
        end(code=2), wait(11), end(code=3),
    ),  # fmt: skip
    case(
        "policy-ignore",
        {"backoffLimit": 0, "podFailurePolicy": {"rules": [on_exit_codes("Ignore", 7)]}},
        end(code=7), wait(11), end(code=8),
    ),  # fmt: skip
    case(
        "policy-fail-index",
        INDEXED
        | {
            "completions": 3,
            "parallelism": 3,
            "backoffLimitPerIndex": 2,
            "podFailurePolicy": {"rules": [on_exit_codes("FailIndex", 9)]},
        },
        end(1, code=9), end(0), end(2),
    ),  # fmt: skip
    case(
        "policy-disruption",
        {
            "backoffLimit": 0,
            "podFailurePolicy": {
                "rules": [{"action": "Ignore", "onPodConditions": ON_DISRUPTION}]
            },
        },
        step("disrupt"), wait(11), end(),
    ),  # fmt: skip
    case(
        "policy-ignore-index",
        INDEXED
        | {
            "completions": 2,
            "parallelism": 2,
            "backoffLimitPerIndex": 1,
            "podFailurePolicy": {
                "rules": [{"action": "Ignore", "onPodConditions": ON_DISRUPTION}]
            },
        },
        step("disrupt", 0), wait(11), end(0), end(1),
    ),  # fmt: skip
    case("deadline", {"activeDeadlineSeconds": 6, "completions": 2, "parallelism": 2}, wait(7)),
    case(
        "deadline-suspended",
        {"activeDeadlineSeconds": 6, "suspend": True},
        wait(7), change(suspend=False), wait(6),
    ),  # fmt: skip
    case("deadline-slow", SLOW | {"activeDeadlineSeconds": 4}, wait(1), wait(6)),
]

SUCCESS = [
    case(
        "success-indexes",
        INDEXED
        | {
            "completions": 3,
            "parallelism": 3,
            "successPolicy": {"rules": [{"succeededIndexes": "0-1"}]},
        },
        end(2), end(0), end(1),
    ),  # fmt: skip
    case(
        "success-count",
        INDEXED
        | {
            "completions": 4,
            "parallelism": 4,
            "successPolicy": {
                "rules": [
                    {"succeededIndexes": "3"},
                    {"succeededIndexes": "0-2", "succeededCount": 2},
                ]
            },
        },
        end(0), end(2),
    ),  # fmt: skip
    case(
        "success-slow",
        SLOW
        | INDEXED
        | {
            "completions": 3,
            "parallelism": 3,
            "successPolicy": {"rules": [{"succeededCount": 1}]},
        },
        end(1), wait(6),
    ),  # fmt: skip
    case("ttl", {"ttlSecondsAfterFinished": 6}, end(), wait(5)),
    case("ttl-failed", {"ttlSecondsAfterFinished": 0, "backoffLimit": 0}, end(code=1)),
]

CHANGES = [
    case(
        "suspend",
        {"suspend": True, "completions": 2, "parallelism": 2},
        change(suspend=False), end(), change(suspend=True), change(suspend=False), end(),
    ),  # fmt: skip
    case(
        "suspend-indexed",
        INDEXED | {"completions": 3, "parallelism": 3},
        end(1), change(suspend=True), change(suspend=False), end(0), end(2),
    ),  # fmt: skip
    case(
        "suspend-slow",
        SLOW | {"completions": 2, "parallelism": 2},
        change(suspend=True), wait(5), change(suspend=False), end(count=2),
    ),  # fmt: skip
    case(
        "suspend-failed-only",
        SLOW | {"parallelism": 2, "completions": 2, "podReplacementPolicy": "Failed"},
        change(suspend=True), change(suspend=False), wait(4), end(count=2),
    ),  # fmt: skip
    case(
        "scale",
        {"completions": 6, "parallelism": 2},
        change(parallelism=4), change(parallelism=1), change(parallelism=0),
        change(parallelism=6), end(count=6),
    ),  # fmt: skip
    case(
        "scale-indexed",
        INDEXED | {"completions": 4, "parallelism": 4},
        change(parallelism=0), change(parallelism=3), end(0), end(1), end(2), end(3),
    ),  # fmt: skip
    case(
        "elastic",
        INDEXED | {"completions": 2, "parallelism": 2},
        end(1), change(completions=4, parallelism=4), end(3),
        change(completions=2, parallelism=2), end(0),
    ),  # fmt: skip
    case("managed-by", {"managedBy": "example.com/other"}, change(parallelism=2)),
    case(
        "manual-selector",
        {
            "manualSelector": True,
            "selector": {"matchLabels": {"mine": "yes"}},
            "template": {"metadata": {"labels": {"mine": "yes"}}},
        },
        end(),
    ),
]

DELETIONS = [
    case(
        f"delete-{policy.lower()}",
        {"completions": 3, "parallelism": 2},
        end(), step("delete", propagationPolicy=policy),
    )
    for policy in ("Foreground", "Background", "Orphan")
] + [
    case("delete-default", {"parallelism": 2, "completions": 2}, end(), step("delete")),
    case("delete-slow", SLOW, step("delete", propagationPolicy="Foreground"), wait(5)),
    case("delete-finished", {}, end(), step("delete", propagationPolicy="Background")),
    case("pod-deleted", {"completions": 2, "parallelism": 2}, step("delete_pod"), wait(10), end()),
    case(
        "pod-deleted-indexed",
        INDEXED | {"completions": 2, "parallelism": 2},
        step("delete_pod", 0), wait(10), end(0), end(1),
    ),
    case(
        "pod-deleted-slowly",
        SLOW | {"completions": 2, "parallelism": 2},
        step("delete_pod"), wait(10), end(count=2),
    ),
    case(
        "pod-deleted-failed-only",
        SLOW | {"completions": 2, "parallelism": 2, "podReplacementPolicy": "Failed"},
        step("delete_pod"), wait(14), end(count=2),
    ),
    case("ended-pod-deleted", {"completions": 2}, end(), step("delete_ended_pod"), end()),
    case(
        "pod-held",
        {"template": {"metadata": {"finalizers": [HOLD]}}},
        step("delete_pod"), wait(10), step("release", HOLD), end(),
    ),
    case(
        "node-gone",
        {"template": only_on("gone-1")},
        step("lose_node"), wait(10),
        node="gone-1",
    ),
    case(
        "node-gone-ignored",
        {
            "backoffLimit": 0,
            "podFailurePolicy": {
                "rules": [{"action": "Ignore", "onPodConditions": ON_DISRUPTION}]
            },
            "template": only_on("gone-2"),
        },
        step("lose_node"), wait(10),
        node="gone-2",
    ),
]  # fmt: skip

MIXED = [
    case("backoff-slow", SLOW | {"backoffLimit": 0, "completions": 3, "parallelism": 3},
         end(code=1), wait(5)),
    case("policy-fail-job-slow",
         SLOW | {"completions": 2, "parallelism": 2,
                 "podFailurePolicy": {"rules": [on_exit_codes("FailJob", 42)]}},
         end(code=42), wait(5)),
    case("suspend-indexed-slow", SLOW | INDEXED | {"completions": 3, "parallelism": 2},
         end(0), change(suspend=True), wait(5), change(suspend=False), end(1), end(2)),
    case("waiting", NOWHERE | {"completions": 2, "parallelism": 2},
         step("delete_waiting_pod"), wait(10), change(suspend=True), change(suspend=False)),
    case("waiting-deadline", NOWHERE | {"activeDeadlineSeconds": 5}, wait(6)),
    case("per-index-in-turn",
         INDEXED | {"completions": 3, "parallelism": 1, "backoffLimitPerIndex": 0},
         end(0, code=1), end(1), end(2)),
    case("success-after-failure",
         INDEXED | {"completions": 3, "parallelism": 3, "backoffLimit": 1,
                    "successPolicy": {"rules": [{"succeededCount": 2}]}},
         end(0, code=1), wait(11), end(1), end(2)),
    case("many-indexes", INDEXED | {"completions": 14, "parallelism": 14},
         end(3), end(4), end(5), end(12), end(0), change(parallelism=0), change(parallelism=14),
         end(count=9)),
    case("many", {"completions": 40, "parallelism": 40}, end(count=25), end(count=15)),
    case("work-queue-suspended", {"parallelism": 3},
         change(suspend=True), change(suspend=False), end(), change(suspend=True),
         change(suspend=False)),
    case("on-failure-none",
         {"backoffLimit": 0, "template": {"spec": {"restartPolicy": "OnFailure"}}},
         step("restart", 1)),
    case("deadline-in-backoff", {"activeDeadlineSeconds": 8}, end(code=1), wait(8)),
    case("grown-while-suspended", {"suspend": True, "completions": 4, "parallelism": 1},
         change(parallelism=3), change(suspend=False), end(count=3), end()),
    case("suspended-after-failure", {"backoffLimit": 1, "completions": 2, "parallelism": 2},
         end(code=1), change(suspend=True), change(suspend=False), wait(11), end(code=1)),
    case("template-changed-while-suspended", {"suspend": True},
         change(template={"metadata": {"labels": {"new": "label"}},
                          "spec": {"nodeSelector": {"kubernetes.io/os": "linux"}}}),
         step("wait", 1)),
    case("failed-only", {"podReplacementPolicy": "Failed", "completions": 2, "parallelism": 2},
         end(code=1), wait(11), end(count=2)),
]  # fmt: skip

CASES = COMPLETIONS + FAILURES + SUCCESS + CHANGES + DELETIONS + MIXED
