"""More cases like those of crd_cases.py: for Workloads."""

from crd_cases import (
    BOOL,
    GONE,
    LABEL,
    OPTIONAL,
    REQUIRED,
    STRINGS,
    SUBDOMAIN,
    TIME,
    TOLERATIONS,
    Probe,
    condition_cases,
    enum,
    integer,
    items,
    name,
    text,
    unique,
)

TEMPLATE = {"spec": {"containers": [{"name": "c"}]}}


def pod_set(n):
    return {"name": f"s{n}", "template": TEMPLATE}


POD_SETS = Probe([], [[pod_set(0) | {"count": 1, "minCount": 2}]])
TOPOLOGY_REQUEST = "spec.podSets[0].topologyRequest"
POD = "spec.podSets[0].template"

POD_SET_CASES = [
    ("spec.podSets", OPTIONAL, items(pod_set, 1, 18), unique(pod_set), POD_SETS),
    ("spec.podSets[0].name", OPTIONAL, LABEL),
    ("spec.podSets[0].count", Probe([2], [1, "x"])),  # the full object's minCount is 2
    ("spec.podSets", Probe([[pod_set(0) | {"count": 0}]], [[pod_set(0) | {"count": -1}]])),
    ("spec.podSets[0].minCount", OPTIONAL, Probe([1, 3], [0, 4, "x"])),
    (POD, REQUIRED),
    (f"{POD}.metadata", OPTIONAL),
    (f"{POD}.metadata.labels", STRINGS),
    (f"{POD}.metadata.generateName", Probe([], ["x"])),  # not one of the five fields
    (f"{POD}.spec", OPTIONAL),
    (f"{POD}.spec.containers", REQUIRED, unique(name)),
    (f"{POD}.spec.containers[0].name", REQUIRED),
    (f"{POD}.spec.containers[0].resources.requests", Probe([{"cpu": 1}], [{"cpu": "x"}])),
    (f"{POD}.spec.restartPolicy", Probe(["Never", "Whatever"], [1])),  # no enum in a template
    (f"{POD}.spec.bogus", Probe([], ["x"])),
    (f"{TOPOLOGY_REQUEST}.required", text(0, 63)),
    (f"{TOPOLOGY_REQUEST}.preferred", text(0, 63)),
    (f"{TOPOLOGY_REQUEST}.unconstrained", BOOL),
    (f"{TOPOLOGY_REQUEST}.podIndexLabel", text(0, 317)),
    (f"{TOPOLOGY_REQUEST}.subGroupIndexLabel", text(0, 317)),
    (f"{TOPOLOGY_REQUEST}.subGroupCount", integer(0)),
    (f"{TOPOLOGY_REQUEST}.podSetGroupName", text(0, 256)),
    (f"{TOPOLOGY_REQUEST}.podSetSliceRequiredTopology", text(0, 63)),
    (f"{TOPOLOGY_REQUEST}.podSetSliceSize", integer(1)),
    (
        f"{TOPOLOGY_REQUEST}.podsetSliceRequiredTopologyConstraints",
        items(lambda n: {"topology": f"t{n}", "size": 1}, 0, 3),
    ),
    (f"{TOPOLOGY_REQUEST}.podsetSliceRequiredTopologyConstraints[0].size", REQUIRED, integer(1)),
    (
        f"{TOPOLOGY_REQUEST}.podsetSliceRequiredTopologyConstraints[0].topology",
        REQUIRED,
        text(1, 63),
    ),
]

PRIORITY_REF = {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": "p"}

SPEC_CASES = [
    ("spec", OPTIONAL),
    ("spec.active", BOOL),
    ("spec.queueName", OPTIONAL, SUBDOMAIN),
    ("spec.priority", integer(), Probe([], [GONE])),  # a class is named, so there is a value
    (
        "spec.priorityClassRef",
        OPTIONAL,
        Probe(
            [PRIORITY_REF],
            [
                PRIORITY_REF | {"kind": "WorkloadPriorityClass"},
                PRIORITY_REF | {"group": "kueue.x-k8s.io"},
                PRIORITY_REF | {"group": "example.com"},
                PRIORITY_REF | {"kind": "Bogus"},
                {"name": "p"},
            ],
        ),
    ),
    ("spec.priorityClassRef.name", REQUIRED, SUBDOMAIN),
    ("spec.maximumExecutionTimeSeconds", OPTIONAL, integer(1)),
    ("spec.preemptionGates", items(name, 0, 8), unique(name)),
    ("spec.preemptionGates[0].name", REQUIRED, text(1, 63)),
]

ASSIGNMENT = "status.admission.podSetAssignments[0]"
SLICE = f"{ASSIGNMENT}.topologyAssignment.slices[0]"


def check_state(n):
    return {
        "name": f"c{n}",
        "state": "Ready",
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }


def gate_state(n):
    return name(n) | {"position": "Open", "lastTransitionTime": "2026-01-01T00:00:00Z"}


def eviction(n):
    return {"reason": f"R{n}", "underlyingCause": "", "count": 1}


ADMISSION_CASES = [
    ("status.admission.clusterQueue", OPTIONAL, SUBDOMAIN),
    ("status.admission.podSetAssignments", items(name, 0, 18), unique(name)),
    (f"{ASSIGNMENT}.name", OPTIONAL, LABEL),
    (f"{ASSIGNMENT}.count", OPTIONAL, integer(0)),
    (f"{ASSIGNMENT}.flavors", Probe([{"cpu": "f"}, {}], [{"cpu": ""}, {"cpu": "F"}, {"cpu": 1}])),
    (f"{ASSIGNMENT}.resourceUsage", Probe([{"cpu": 1}, {}], [{"cpu": "x"}])),
    (f"{ASSIGNMENT}.delayedTopologyRequest", enum("Pending", "Ready")),
    (f"{ASSIGNMENT}.topologyAssignment.levels", REQUIRED, items("l{}".format, 2, 2)),
    (f"{ASSIGNMENT}.topologyAssignment.levels[0]", text(0, 317)),
    (f"{ASSIGNMENT}.topologyAssignment.slices", REQUIRED, Probe([[]])),
    (f"{SLICE}.domainCount", REQUIRED, Probe([2], [1, 3, 0, "x"])),  # two roots, two counts
    (
        f"{SLICE}.podCounts",
        REQUIRED,
        Probe(
            [{"universal": 1}, {"individual": [1, 1]}],
            [{}, {"universal": 1, "individual": [1, 1]}, {"individual": [1]}, {"universal": 0}],
        ),
    ),
    (f"{SLICE}.podCounts.individual[0]", integer(1)),
    (f"{SLICE}.valuesPerLevel[0]", Probe([{"universal": "x" * 63}], [{"universal": "x" * 64}])),
    (
        f"{SLICE}.valuesPerLevel[0]",
        Probe([], [{}, {"universal": "x", "individual": {"roots": ["a", "b"]}}]),
    ),
    (f"{SLICE}.valuesPerLevel", REQUIRED, Probe([], [[{"universal": "x"}], []])),  # two levels
    (f"{SLICE}.valuesPerLevel[1].individual.roots", REQUIRED, Probe([["a", "b"]], [["a"], []])),
    (f"{SLICE}.valuesPerLevel[1].individual.prefix", text(0, 63)),
    (f"{SLICE}.valuesPerLevel[1].individual.suffix", text(0, 63)),
]

STATUS_CASES = condition_cases() + [
    ("status.requeueState.count", OPTIONAL, integer(0)),
    ("status.requeueState.requeueAt", OPTIONAL, TIME),
    ("status.reclaimablePods", items(lambda n: name(n) | {"count": 1}, 0, 18)),
    ("status.reclaimablePods", unique(lambda n: name(n) | {"count": 1})),
    ("status.reclaimablePods[0].name", REQUIRED, LABEL),
    ("status.reclaimablePods[0].count", REQUIRED, integer(0)),
    ("status.resourceRequests", items(name, 0, 18), unique(name)),
    ("status.resourceRequests[0].name", REQUIRED, LABEL),
    ("status.resourceRequests[0].resources", OPTIONAL, Probe([{"cpu": 1}], [{"cpu": "x"}])),
    ("status.accumulatedPastExecutionTimeSeconds", OPTIONAL, integer()),
    ("status.schedulingStats.evictions", items(eviction, 0, 256), unique(eviction)),
    ("status.schedulingStats.evictions[0].count", REQUIRED, integer(0)),
    ("status.schedulingStats.evictions[0].reason", REQUIRED, text(0, 316)),
    ("status.schedulingStats.evictions[0].underlyingCause", REQUIRED, text(0, 316)),
    ("status.nominatedClusterNames", items("w{}".format, 0, 20)),
    ("status.nominatedClusterNames[0]", text(0, 256)),
    ("status.clusterName", Probe([], ["worker"])),  # not beside nominated ones
    ("status.preemptionGates", items(gate_state, 0, 8), unique(gate_state)),
    ("status.preemptionGates[0].name", REQUIRED, text(1, 63)),
    ("status.preemptionGates[0].position", REQUIRED, enum("Closed", "Open")),
    ("status.preemptionGates[0].lastTransitionTime", REQUIRED, TIME),
    ("status.unhealthyNodes", items(name, 0, 8), unique(name)),
    ("status.unhealthyNodes[0].name", REQUIRED, text(0, 63)),
    ("status.admissionChecks", items(check_state, 0, 8), unique(check_state)),
    ("status.admissionChecks[0].name", REQUIRED, text(1, 316)),
    ("status.admissionChecks[0].state", REQUIRED, enum("Pending", "Ready", "Retry", "Rejected")),
    ("status.admissionChecks[0].message", REQUIRED, text(0, 32768)),
    ("status.admissionChecks[0].lastTransitionTime", REQUIRED, TIME),
    ("status.admissionChecks[0].requeueAfterSeconds", OPTIONAL, integer(0)),
    ("status.admissionChecks[0].retryCount", OPTIONAL, integer(0)),
    ("status.admissionChecks[0].podSetUpdates", items(name, 0, 18)),
    ("status.admissionChecks[0].podSetUpdates[0].name", REQUIRED, LABEL),
    ("status.admissionChecks[0].podSetUpdates[0].labels", STRINGS),
    ("status.admissionChecks[0].podSetUpdates[0].nodeSelector", STRINGS),
    ("status.admissionChecks[0].podSetUpdates[0].tolerations", OPTIONAL, TOLERATIONS),
]

WORKLOAD = SPEC_CASES + POD_SET_CASES + ADMISSION_CASES + STATUS_CASES
