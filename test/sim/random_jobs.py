"""Jobs and steps that are drawn: what nobody thought of."""

import random

from job_cases import INDEXED, ON_DISRUPTION, SLOW, Case
from job_cases import change, make_job, merge, on_exit_codes, step

CODES = (0, 0, 0, 1, 1, 42, 7)
KINDS = (4 * ("end",)) + ("suspend", "resume", "delete", "disrupt", "grow", "shrink", "wait")


def draw_spec(draw):
    spec = {"parallelism": draw.randint(1, 4), "backoffLimit": draw.choice((0, 1, 2, 6))}
    if draw.random() < 0.8:
        spec["completions"] = draw.randint(1, 5)
    if "completions" in spec and draw.random() < 0.6:
        spec |= INDEXED
        if draw.random() < 0.5:
            spec["backoffLimitPerIndex"] = draw.randint(0, 2)
            del spec["backoffLimit"]
            if draw.random() < 0.5:
                spec["maxFailedIndexes"] = draw.randint(0, spec["completions"])
        if draw.random() < 0.4:
            count = draw.randint(1, spec["completions"])
            spec["successPolicy"] = {"rules": [{"succeededCount": count}]}
    if draw.random() < 0.4:
        rules = [
            {"action": "Ignore", "onPodConditions": ON_DISRUPTION},
            on_exit_codes("Ignore", 7),
            on_exit_codes(draw.choice(("FailJob", "Count")), 42),
        ]
        if "backoffLimitPerIndex" in spec:
            rules.append(on_exit_codes("FailIndex", 1))
        draw.shuffle(rules)
        spec["podFailurePolicy"] = {"rules": rules[: draw.randint(1, len(rules))]}
    elif draw.random() < 0.3:
        spec["podReplacementPolicy"] = draw.choice(("Failed", "TerminatingOrFailed"))
    if draw.random() < 0.2:
        spec["suspend"] = True
    return merge(spec, SLOW) if draw.random() < 0.3 else spec


def draw_step(draw, spec):
    """With what it is called, for whoever reads a difference."""
    kind = draw.choice(KINDS)
    if kind == "end":
        code = draw.choice(CODES)
        return f"end {code}", step("end_first", code)
    if kind in ("suspend", "resume"):
        return kind, change(suspend=kind == "suspend")
    if kind == "delete":
        return kind, step("delete_first")
    if kind == "disrupt":
        return kind, step("disrupt_first")
    if kind == "grow":
        size = draw.randint(2, 5)
        return f"parallelism {size}", change(parallelism=size)
    # Which of several pods of an Indexed Job goes is chance, unless all go.
    if kind == "shrink":
        size = 0 if "completionMode" in spec else draw.randint(0, 2)
        return f"parallelism {size}", change(parallelism=size)
    return kind, step("wait", 12)


def random_cases(seed, count):
    draw = random.Random(seed)
    cases = []
    for number in range(count):
        spec = draw_spec(draw)
        steps = [draw_step(draw, spec) for _ in range(7)]
        names = ["create"] + [name for name, _ in steps]
        made = Case(
            f"random-{seed}-{number}",
            make_job("j", spec),
            [step("create")] + [each for _, each in steps],
        )
        made.story = f"{spec}: {', '.join(names)}"
        cases.append(made)
    return cases
