"""What must hold at every moment of a recorded history, whatever a test did in it.

  * Quota is never exceeded: each time a Workload reserves quota, its ClusterQueue is within its
  nominal
    quota plus borrowing limit, and its cohort within what its members own and lend.
  * Nothing is admitted twice: while a Workload holds quota its assignment does not change, and no
  two
    Workloads of one Job hold quota at the same time.
  * Nothing runs unadmitted: a Job is started only while its Workload is admitted.
  * Quota is not freed early: when a Workload gives up its reservation, is finished or goes, its Job
    has ended or is gone, or is suspended and reports no active pod.

Cohorts are taken as flat (ClusterQueues that name the same cohort); the tests make no Cohort
objects.
"""

import re
from collections import defaultdict
from fractions import Fraction

SUFFIXES = {"": 1, "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000)}
SUFFIXES |= {suffix: 1000**power for power, suffix in enumerate(("k", "M", "G", "T", "P", "E"), 1)}
SUFFIXES |= {suffix + "i": 1024**power for power, suffix in enumerate("KMGTPE", 1)}
QUANTITY = re.compile(r"([+-]?[0-9.]+)(Ki|[numkMGTPE]i?|[eE][+-]?[0-9]+)?")


def parse_quantity(text):
    match = QUANTITY.fullmatch(str(text))
    if not match:
        raise ValueError(f"no quantity: {text!r}")
    number, suffix = Fraction(match[1]), match[2] or ""
    if suffix[:1] in ("e", "E") and len(suffix) > 1:
        return number * Fraction(10) ** int(suffix[1:])
    return number * SUFFIXES[suffix]


def condition(item, kind):
    """The condition of that type, or an empty one."""
    for entry in item.get("status", {}).get("conditions") or []:
        if entry["type"] == kind:
            return entry
    return {}


def is_true(item, kind):
    return condition(item, kind).get("status") == "True"


def holds_quota(workload):
    # Kueue stops counting a deactivated Workload at once, before its pods are gone.
    is_active = workload["spec"].get("active", True)
    return is_true(workload, "QuotaReserved") and not is_true(workload, "Finished") and is_active


def owner_of(item):
    for reference in item["metadata"].get("ownerReferences", []):
        if reference.get("controller"):
            return reference["uid"]
    return None


def assignment(workload):
    """The part of status.admission that must not change while it stands."""
    admission = workload["status"].get("admission", {})
    sets = admission.get("podSetAssignments", [])
    return admission.get("clusterQueue"), [
        (each["name"], each.get("count"), each.get("flavors")) for each in sets
    ]


def usage_of(workload):
    """(flavor, resource) -> amount that the Workload's admission charges.

    Pods that have ended and are not needed again (status.reclaimablePods) are no longer charged.
    """
    status = workload["status"]
    reclaimable = {each["name"]: each["count"] for each in status.get("reclaimablePods") or []}
    usage = defaultdict(Fraction)
    for pod_set in status.get("admission", {}).get("podSetAssignments", []):
        count = pod_set.get("count", 0)
        ended = min(reclaimable.get(pod_set["name"], 0), count)
        share = Fraction(count - ended, count) if count else Fraction(1)
        for resource, flavor in pod_set.get("flavors", {}).items():
            amount = pod_set.get("resourceUsage", {}).get(resource, 0)
            usage[flavor, resource] += parse_quantity(amount) * share
    return usage


class Quota:
    """One resource of one flavor in a ClusterQueue."""

    def __init__(self, resource):
        self.nominal = parse_quantity(resource["nominalQuota"])
        borrowing = optional_quantity(resource.get("borrowingLimit"))
        self.limit = None if borrowing is None else self.nominal + borrowing
        lending = optional_quantity(resource.get("lendingLimit"))
        # What no other queue may use; without a lending limit everything can be lent.
        self.guaranteed = (
            Fraction(0) if lending is None else max(Fraction(0), self.nominal - lending)
        )


def optional_quantity(text):
    return None if text is None else parse_quantity(text)


def quotas_of(queue):
    return {
        (flavor["name"], resource["name"]): Quota(resource)
        for group in queue["spec"].get("resourceGroups", [])
        for flavor in group["flavors"]
        for resource in flavor["resources"]
    }


class Checker:
    """Replays changes in order and collects what was broken."""

    def __init__(self):
        self.violations = []
        self.state = defaultdict(dict)

    def replay(self, changes):
        for change in changes:
            before = self.state[change.collection].get(change.key)
            after = None if change.kind == "DELETED" else change.object
            if after is None:
                self.state[change.collection].pop(change.key, None)
            else:
                self.state[change.collection][change.key] = after
            if change.collection == "workloads" and after is not None:
                self.on_workload(change, before, after)
            elif change.collection == "workloads":
                self.on_end(change, before)
            elif change.collection == "jobs" and after is not None:
                self.on_job(change, before, after)
        return self.violations

    def report(self, change, text):
        name = "/".join(part for part in change.key if part)
        self.violations.append(f"at version {change.version}, {change.collection} {name}: {text}")

    def on_workload(self, change, before, after):
        had = before is not None and is_true(before, "QuotaReserved")
        has = is_true(after, "QuotaReserved")
        if has and not had:
            self.check_quota(change, after)
            self.check_alone(change, after)
        if has and had:
            if assignment(before) != assignment(after):
                text = f"assignment changed from {assignment(before)} to {assignment(after)}"
                self.report(change, "admitted twice: " + text)
            elif reserved_at(before) != reserved_at(after):
                self.report(change, "admitted twice: reserved again without having been released")
        if is_true(after, "Admitted") and not has:
            self.report(change, "Admitted without QuotaReserved")
        if had and not has and is_true(before, "Admitted"):
            self.check_stopped(change, after)
        elif has and is_true(after, "Finished"):
            self.on_end(change, before)

    def on_end(self, change, before):
        """A Workload is finished or gone, which `before` may have been already."""
        if before is not None and is_true(before, "Admitted") and holds_quota(before):
            self.check_stopped(change, before)

    def on_job(self, change, before, after):
        if "kueue.x-k8s.io/queue-name" not in after["metadata"].get("labels", {}):
            return
        was_suspended = before is None or before["spec"].get("suspend", False)
        if not was_suspended or after["spec"].get("suspend", False) or has_ended(after):
            return
        uid = after["metadata"]["uid"]
        if not any(
            owner_of(each) == uid and is_true(each, "Admitted") for each in self.workloads()
        ):
            self.report(change, "started while no Workload of it was admitted")

    def workloads(self):
        return self.state["workloads"].values()

    def check_quota(self, change, workload):
        name = workload["status"].get("admission", {}).get("clusterQueue")
        queue = self.state["clusterqueues"].get(("", name))
        if queue is None:
            self.report(change, f"reserved quota in ClusterQueue {name!r}, which does not exist")
            return
        cohort = queue["spec"].get("cohortName")
        members = [
            each
            for each in self.state["clusterqueues"].values()
            if each is queue or (cohort and each["spec"].get("cohortName") == cohort)
        ]
        quotas = {each["metadata"]["name"]: quotas_of(each) for each in members}
        usage = {each: defaultdict(Fraction) for each in quotas}
        for each in self.workloads():
            charged = each.get("status", {}).get("admission", {}).get("clusterQueue")
            if charged in usage and holds_quota(each):
                for pair, amount in usage_of(each).items():
                    usage[charged][pair] += amount
        for pair, amount in usage[name].items():
            self.check_pair(change, name, pair, amount, quotas, usage)

    def check_pair(self, change, name, pair, amount, quotas, usage):
        quota = quotas[name].get(pair)
        what = f"{pair[1]} of flavor {pair[0]}"
        if quota is None:
            self.report(change, f"ClusterQueue {name} has no quota for {what}")
            return
        is_alone = len(quotas) == 1
        limit = quota.nominal if is_alone else quota.limit
        if limit is not None and amount > limit:
            text = f"uses {float(amount):g} {what}, its limit is {float(limit):g}"
            self.report(change, f"quota exceeded: ClusterQueue {name} {text}")
        if not is_alone:
            self.check_cohort(change, name, pair, quotas, usage)

    def check_cohort(self, change, name, pair, quotas, usage):
        what = f"{pair[1]} of flavor {pair[0]}"
        lent = sum(
            each[pair].nominal - each[pair].guaranteed for each in quotas.values() if pair in each
        )
        taken = sum(
            max(Fraction(0), usage[other][pair] - each[pair].guaranteed)
            for other, each in quotas.items()
            if pair in each
        )
        if taken > lent:
            text = f"members take {float(taken):g} {what} of {float(lent):g}"
            self.report(change, f"quota exceeded: in the cohort of ClusterQueue {name} {text}")

    def check_alone(self, change, workload):
        owner = owner_of(workload)
        for other in self.workloads():
            is_other = other["metadata"]["uid"] != workload["metadata"]["uid"]
            if owner and is_other and owner_of(other) == owner and holds_quota(other):
                name = other["metadata"]["name"]
                self.report(change, f"admitted twice: Workload {name} of the same Job holds quota")

    def check_stopped(self, change, workload):
        owner = owner_of(workload)
        for job in self.state["jobs"].values():
            if job["metadata"]["uid"] != owner or has_ended(job):
                continue
            if not job["spec"].get("suspend", False):
                self.report(change, "quota freed while its Job was not suspended")
            elif job.get("status", {}).get("active", 0) > 0:
                self.report(change, f"quota freed under {job['status']['active']} active pods")


def reserved_at(workload):
    return condition(workload, "QuotaReserved").get("lastTransitionTime")


def has_ended(job):
    return is_true(job, "Complete") or is_true(job, "Failed")


def find_violations(changes):
    """What the history broke, as sentences; empty if nothing."""
    return Checker().replay(changes)
