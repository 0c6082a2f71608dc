"""Cases like those of crd_cases.py for v1beta1: its limits are looser and some fields differ."""

from crd_cases import (
    BOOL,
    GONE,
    KEY,
    LABEL,
    OPTIONAL,
    QUANTITY,
    REQUIRED,
    STOP_POLICY,
    STRINGS,
    SUBDOMAIN,
    TIME,
    TOLERATIONS,
    Probe,
    condition_cases,
    condition_of,
    counter_cases,
    enum,
    group,
    integer,
    items,
    limit_cases,
    name,
    quota_cases,
    resources,
    text,
    topology,
    unique,
    usage_cases,
)
from crd_workload_cases import PRIORITY_REF, check_state, eviction, pod_set

TEXT = text()  # of any length
CONDITIONS = [
    *condition_cases(None),
    ("status.conditions", Probe([[condition_of(n) for n in range(17)]])),
]
SHARE = [
    ("status.fairSharing.weightedShare", REQUIRED, integer(None, 2**63 - 1)),
    (
        "status.fairSharing.admissionFairSharingStatus.consumedResources",
        REQUIRED,
        Probe([{}, {"cpu": 1}], [{"cpu": "x"}]),
    ),
    ("status.fairSharing.admissionFairSharingStatus.lastUpdate", REQUIRED, TIME),
]


def borrowing(limit):
    """The spec of a ClusterQueue without cohort."""
    flavor = {"name": "f", "resources": [{"name": "cpu", "nominalQuota": 1} | limit]}
    return {"resourceGroups": [{"coveredResources": ["cpu"], "flavors": [flavor]}]}


PENDING = "status.pendingWorkloadsStatus"

CLUSTER_QUEUE = (
    quota_cases("spec")
    + limit_cases("spec")
    + CONDITIONS
    + usage_cases("flavorsReservation", True)
    + usage_cases("flavorsUsage", True)
    + counter_cases()
    + SHARE
    + [
        ("spec.cohort", SUBDOMAIN, Probe([], [GONE])),  # there is a borrowing limit
        (
            "spec",
            Probe([borrowing({}), borrowing({"lendingLimit": 1})]),
            Probe([], [borrowing({"borrowingLimit": 1}), borrowing({"borrowingLimit": 0})]),
        ),
        ("spec.cohortName", Probe([], ["cohort"])),  # a field of the new version
        ("spec.concurrentAdmissionPolicy", Probe([], [{}])),  # another
        ("spec.queueingStrategy", enum("StrictFIFO", "BestEffortFIFO")),
        ("spec.flavorFungibility.whenCanBorrow", enum("Borrow", "MayStopSearch", "TryNextFlavor")),
        (
            "spec.flavorFungibility.whenCanPreempt",
            enum("Preempt", "MayStopSearch", "TryNextFlavor"),
        ),
        (
            "spec.flavorFungibility",
            Probe(
                [
                    {
                        "preference": "PreemptionOverBorrowing",
                        "whenCanBorrow": "TryNextFlavor",
                        "whenCanPreempt": "TryNextFlavor",
                    }
                ],
                [
                    {"preference": "Bogus", "whenCanBorrow": "TryNextFlavor"},
                    {"preference": "PreemptionOverBorrowing"},
                ],
            ),
        ),
        (
            "spec.preemption",
            Probe(
                [{"borrowWithinCohort": {"policy": "Never"}}],
                [{"borrowWithinCohort": {"policy": "LowerPriority"}}],
            ),
        ),
        ("spec.preemption.borrowWithinCohort.maxPriorityThreshold", OPTIONAL, integer()),
        ("spec.admissionChecks", OPTIONAL, Probe([[], ["c"] * 70, ["x" * 316]], [["x" * 317]])),
        ("spec.admissionChecksStrategy.admissionChecks", OPTIONAL, Probe([[], [name(0)] * 70])),
        ("spec.admissionChecksStrategy.admissionChecks[0].name", REQUIRED, text(0, 316)),
        (
            "spec.admissionChecksStrategy.admissionChecks[0].onFlavors",
            OPTIONAL,
            Probe([["f"] * 65], [["F"], [""], ["f" * 254]]),
        ),
        ("spec.admissionScope.admissionMode", REQUIRED, TEXT),
        ("spec.stopPolicy", STOP_POLICY),
        (f"{PENDING}.lastChangeTime", REQUIRED, TIME),
        (f"{PENDING}.clusterQueuePendingWorkload", OPTIONAL, Probe([[]])),
        (f"{PENDING}.clusterQueuePendingWorkload[0].name", REQUIRED, TEXT),
        (f"{PENDING}.clusterQueuePendingWorkload[0].namespace", REQUIRED, TEXT),
    ]
)

COHORT = (
    quota_cases("spec")
    + [
        ("spec.resourceGroups", Probe([[group() for _ in range(16)]])),
        ("spec.parentName", OPTIONAL, SUBDOMAIN),
    ]
    + SHARE
)


def taint(n):
    return {"key": f"k{n}", "effect": "Any"}


LOCAL_QUEUE = (
    CONDITIONS
    + usage_cases("flavorsReservation", False)
    + usage_cases("flavorUsage", False)
    + counter_cases()
    + SHARE
    + [
        ("spec.clusterQueue", OPTIONAL, SUBDOMAIN),
        ("spec.stopPolicy", STOP_POLICY),
        ("spec.fairSharing.weight", OPTIONAL, QUANTITY),
        ("status.flavorsUsage", Probe([], [[resources(0)]])),  # a field of the new version
        ("status.flavors", OPTIONAL, items(name, 0, 64), unique(name)),
        ("status.flavors[0].name", REQUIRED, SUBDOMAIN),
        ("status.flavors[0].resources", OPTIONAL, items("r{}".format, 0, 64)),
        ("status.flavors[0].resources", unique("r{}".format)),
        (
            "status.flavors[0].nodeLabels",
            STRINGS,
            Probe([{f"k{n}": "v" for n in range(8)}], [{f"k{n}": "v" for n in range(9)}]),
        ),
        ("status.flavors[0].nodeTaints", items(taint, 0, 8)),
        ("status.flavors[0].nodeTaints[0].key", REQUIRED, TEXT),
        ("status.flavors[0].nodeTaints[0].effect", REQUIRED, TEXT),  # of any value here
        ("status.flavors[0].nodeTaints[0].value", OPTIONAL, TEXT),
        ("status.flavors[0].nodeTaints[0].timeAdded", OPTIONAL, TIME),
        ("status.flavors[0].topology.name", REQUIRED, SUBDOMAIN),
        ("status.flavors[0].topology.levels", REQUIRED, items("l{}".format, 1, 16)),
    ]
)

REQUEST = "spec.podSets[0].topologyRequest"

SPEC_CASES = [
    ("spec.podSets", REQUIRED, items(lambda n: pod_set(n) | {"count": 1}, 1, 18)),
    ("spec.podSets", unique(lambda n: pod_set(n) | {"count": 1})),
    ("spec.podSets[0].name", OPTIONAL, LABEL),
    ("spec.podSets[0].count", Probe([2], [1, -1, "x"])),
    ("spec.podSets[0].minCount", OPTIONAL, Probe([1, 3], [0, 4])),
    (f"{REQUEST}.required", TEXT),
    (f"{REQUEST}.preferred", TEXT),
    (f"{REQUEST}.unconstrained", BOOL),
    (f"{REQUEST}.podIndexLabel", TEXT),
    (f"{REQUEST}.subGroupIndexLabel", TEXT),
    (f"{REQUEST}.subGroupCount", integer()),
    (f"{REQUEST}.podSetGroupName", TEXT),
    (f"{REQUEST}.podSetSliceRequiredTopology", TEXT),
    (f"{REQUEST}.podSetSliceSize", integer(1)),
    (f"{REQUEST}.podsetSliceRequiredTopologyConstraints", Probe([], [[]])),  # of the new version
    ("spec.active", BOOL),
    ("spec.queueName", OPTIONAL, SUBDOMAIN),
    ("spec.maximumExecutionTimeSeconds", OPTIONAL, integer(1)),
    ("spec.priority", integer(), Probe([], [GONE])),
    ("spec.priorityClassName", OPTIONAL, SUBDOMAIN),
    (
        "spec.priorityClassSource",
        OPTIONAL,
        Probe(["", "scheduling.k8s.io/priorityclass"], ["Bogus", "kueue.x-k8s.io"]),
    ),
    ("spec.priorityClassRef", Probe([], [PRIORITY_REF])),
    ("spec.preemptionGates", Probe([], [[]])),  # of the new version
]

ASSIGNMENT = "status.admission.podSetAssignments[0]"
TOPOLOGY_ASSIGNMENT = f"{ASSIGNMENT}.topologyAssignment"

ADMISSION_CASES = [
    ("status.admission.clusterQueue", REQUIRED, SUBDOMAIN),
    ("status.admission.podSetAssignments", REQUIRED, items(name, 0, 18), unique(name)),
    (f"{ASSIGNMENT}.name", OPTIONAL, LABEL),
    (f"{ASSIGNMENT}.count", OPTIONAL, integer(0)),
    (f"{ASSIGNMENT}.flavors", Probe([{"cpu": "f"}, {}], [{"cpu": ""}, {"cpu": "F"}, {"cpu": 1}])),
    (f"{ASSIGNMENT}.resourceUsage", Probe([{"cpu": 1}, {}], [{"cpu": "x"}])),
    (f"{ASSIGNMENT}.delayedTopologyRequest", TEXT),
    (f"{TOPOLOGY_ASSIGNMENT}.levels", REQUIRED, items("l{}".format, 1, 16)),
    (f"{TOPOLOGY_ASSIGNMENT}.levels[0]", TEXT),
    (f"{TOPOLOGY_ASSIGNMENT}.domains", REQUIRED, Probe([[]])),
    (f"{TOPOLOGY_ASSIGNMENT}.domains[0].count", REQUIRED, integer(1)),
    (f"{TOPOLOGY_ASSIGNMENT}.domains[0].values", REQUIRED, items("v{}".format, 1, 16)),
    (f"{TOPOLOGY_ASSIGNMENT}.slices", Probe([], [[]])),  # of the new version
]

STATUS_CASES = CONDITIONS + [
    ("status.requeueState.count", OPTIONAL, integer(0)),
    ("status.requeueState.requeueAt", OPTIONAL, TIME),
    ("status.reclaimablePods", items(lambda n: name(n) | {"count": 1}, 0, 18)),
    ("status.reclaimablePods", unique(lambda n: name(n) | {"count": 1})),
    ("status.reclaimablePods[0].name", REQUIRED, LABEL),
    ("status.reclaimablePods[0].count", REQUIRED, integer(0)),
    ("status.resourceRequests", items(name, 0, 18), unique(name)),
    ("status.resourceRequests[0].name", REQUIRED, LABEL),
    ("status.resourceRequests[0].resources", OPTIONAL, Probe([{"cpu": 1}], [{"cpu": "x"}])),
    ("status.accumulatedPastExexcutionTimeSeconds", OPTIONAL, integer()),  # its name has a slip
    ("status.accumulatedPastExecutionTimeSeconds", Probe([], [1])),
    ("status.schedulingStats.evictions", Probe([[eviction(n) for n in range(257)]])),
    ("status.schedulingStats.evictions", unique(eviction)),
    ("status.schedulingStats.evictions[0].count", REQUIRED, integer(0)),
    ("status.schedulingStats.evictions[0].reason", REQUIRED, text(0, 316)),
    ("status.schedulingStats.evictions[0].underlyingCause", REQUIRED, text(0, 316)),
    ("status.nominatedClusterNames", items("w{}".format, 0, 20)),
    ("status.nominatedClusterNames[0]", TEXT),
    ("status.clusterName", Probe([], ["worker"])),  # not beside nominated ones
    ("status.preemptionGates", Probe([], [[]])),  # of the new version
    ("status.unhealthyNodes", Probe([[name(n) for n in range(9)], [name(0), name(0)]])),
    ("status.unhealthyNodes[0].name", REQUIRED, TEXT),
    ("status.admissionChecks", items(check_state, 0, 8), unique(check_state)),
    ("status.admissionChecks[0].name", REQUIRED, text(0, 316)),
    ("status.admissionChecks[0].state", REQUIRED, enum("Pending", "Ready", "Retry", "Rejected")),
    ("status.admissionChecks[0].message", REQUIRED, text(0, 32768)),
    ("status.admissionChecks[0].lastTransitionTime", REQUIRED, TIME),
    ("status.admissionChecks[0].requeueAfterSeconds", OPTIONAL, integer(0)),
    ("status.admissionChecks[0].retryCount", OPTIONAL, integer(0)),
    ("status.admissionChecks[0].podSetUpdates", items(name, 0, 18)),
    ("status.admissionChecks[0].podSetUpdates[0].name", REQUIRED, LABEL),
    ("status.admissionChecks[0].podSetUpdates[0].annotations", STRINGS),
    ("status.admissionChecks[0].podSetUpdates[0].labels", STRINGS),
    ("status.admissionChecks[0].podSetUpdates[0].nodeSelector", STRINGS),
    ("status.admissionChecks[0].podSetUpdates[0].tolerations", OPTIONAL, TOLERATIONS),
]

WORKLOAD = SPEC_CASES + ADMISSION_CASES + STATUS_CASES

ADMISSION_CHECK = CONDITIONS + [
    ("spec.controllerName", REQUIRED, TEXT),
    ("spec.retryDelayMinutes", OPTIONAL, integer(None, 2**63 - 1)),
    ("spec.parameters.apiGroup", REQUIRED, SUBDOMAIN),
    ("spec.parameters.name", REQUIRED, LABEL),
]

# Duplicates are forbidden for the host name only by the order that it must have.
TOPOLOGY = topology(Probe())

MULTIKUEUE_CONFIG = [
    ("spec.clusters", REQUIRED, items("c{}".format, 1, 20), unique("c{}".format)),
    ("spec.clusters[0]", TEXT),
    ("spec.quotaManagement", Probe([], ["Manual"])),
]

MULTIKUEUE_CLUSTER = CONDITIONS + [
    ("spec.kubeConfig", REQUIRED),
    ("spec.kubeConfig.location", REQUIRED, TEXT),
    ("spec.kubeConfig.locationType", OPTIONAL, enum("Secret", "Path")),
    ("spec.clusterProfileRef", Probe([{"name": "p"}], [{}, {"name": ""}, {"name": "x" * 257}])),
    ("spec.clusterSource", Probe([], [{"kubeConfig": {"location": "s"}}])),  # of the new version
]

PRIORITY_CLASS = [("value", REQUIRED, integer()), ("description", TEXT)]
PROVISIONING = [
    ("spec.provisioningClassName", REQUIRED, SUBDOMAIN),
    ("spec.podSetUpdates.nodeSelector[0].key", REQUIRED, KEY),
]
FLAVOR = [("spec.tolerations", OPTIONAL, TOLERATIONS), ("spec.topologyName", SUBDOMAIN)]
