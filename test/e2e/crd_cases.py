"""What the schemas must refuse and what they must not, as tables.

A case changes one field of the full object of its kind (crd_objects.yaml). The probes below say for
a type of field which values are good and which are bad, always including both sides of a limit.
"""

from dataclasses import dataclass, field

GONE = object()  # the field is removed


@dataclass
class Probe:
    good: list = field(default_factory=list)
    bad: list = field(default_factory=list)


def text(least=0, most=None):
    probe = Probe(["x" * max(least, 1)], [7])
    if most is not None:
        probe.good.append("x" * most)
        probe.bad.append("x" * (most + 1))
    if least > 0:
        probe.bad.append("x" * (least - 1))
    else:
        probe.good.append("")
    return probe


def integer(least=None, most=2**31 - 1):
    low = -(2**31) if least is None else least
    return Probe([low, most], ["x", 1.5, most + 1] + ([low - 1] if least is not None else []))


def enum(*values):
    return Probe(list(values), ["Bogus", values[0].lower() if values[0] else " "])


def items(make, least=0, most=None):
    """Lists of make(0), make(1), …, which differ."""
    probe = Probe([[make(n) for n in range(max(least, 1))]])
    if most is not None:
        probe.good.append([make(n) for n in range(most)])
        probe.bad.append([make(n) for n in range(most + 1)])
    if least:
        probe.bad.append([make(n) for n in range(least - 1)])
    else:
        probe.good.append([])
    return probe


def unique(make):
    """A set, or a map list whose keys make() sets."""
    return Probe([], [[make(0), make(0)]])


REQUIRED = Probe([], [GONE])
OPTIONAL = Probe([GONE], [])
BOOL = Probe([True, False], ["true", 1])
TIME = Probe(["2026-01-01T00:00:00Z"], ["yesterday", 5])
QUANTITY = Probe([1, "1", "100m", "1.5Gi", "-1", "2e3", ".5"], ["", "x", "1 Gi", "1KiB", True])
SUBDOMAIN = Probe(
    ["a", "a-b.c-1", "a" * 253], ["", "A", "-a", "a_b", "a..b", "a-", "a/b", "a" * 254]
)
LABEL = Probe(["a", "a-1", "a" * 63], ["", "A", "a.b", "a_", "a" * 64])
KEY = Probe(["tier", "example.com/Tier_1.x"], ["", "/tier", "a b", "example.com/", "-a"])
CONDITION_REASON = Probe(["A", "Ab_1:x,y", "x" * 1024], ["", "1A", "a-b", "A:", "x" * 1025])
STRINGS = Probe([{"a": "b"}, {}], [{"a": 1}, ["a"]])


def name(n):
    return {"name": f"n{n}"}


def resources(n):
    return {"name": f"n{n}", "resources": [{"name": "cpu"}]}


def quota(n):
    return {"name": f"r{n}", "nominalQuota": 1}


def group(covered=("cpu",), flavors=1):
    each = [{"name": resource, "nominalQuota": 1} for resource in covered]
    return {
        "coveredResources": list(covered),
        "flavors": [{"name": f"f{n}", "resources": each} for n in range(flavors)],
    }


def many(count):
    return [f"r{n}" for n in range(count)]


GROUPS = Probe(
    [[group(many(64))], [group(flavors=64)], [group() for _ in range(16)]],
    [
        [group(many(65))],
        [group(flavors=65)],
        [group([])],
        [group(flavors=0)],
        [group() for _ in range(17)],
        [group() | {"coveredResources": ["cpu", "memory"]}],  # CEL: one resource too few
        [group() | {"flavors": group(flavors=2)["flavors"][:1] * 2}],  # one flavor twice
        [{"coveredResources": ["cpu"]}],
        [{"flavors": []}],
        [group(["cpu", "cpu"])],  # one resource twice in a flavor
    ],
)


def condition_of(n):
    return {
        "type": f"Type{n}",
        "status": "True",
        "reason": "Reason",
        "message": "",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }


def condition_cases(most=16):
    return [
        ("status.conditions", items(condition_of, 0, most), unique(condition_of)),
        ("status.conditions[0].type", REQUIRED, KEY, text(1, 316)),
        ("status.conditions[0].status", REQUIRED, enum("True", "False", "Unknown")),
        ("status.conditions[0].reason", REQUIRED, CONDITION_REASON),
        ("status.conditions[0].message", REQUIRED, text(0, 32768)),
        ("status.conditions[0].lastTransitionTime", REQUIRED, TIME),
        ("status.conditions[0].observedGeneration", OPTIONAL, integer(0, 2**63 - 1)),
    ]


def quota_cases(prefix):
    flavor = f"{prefix}.resourceGroups[0].flavors[0]"
    return [
        (f"{prefix}.resourceGroups", OPTIONAL, GROUPS),
        (f"{prefix}.resourceGroups[0].coveredResources", REQUIRED),
        (f"{flavor}.name", REQUIRED, SUBDOMAIN),
        (f"{flavor}.resources", REQUIRED),
        (f"{flavor}.resources[0].name", REQUIRED, text()),
        (f"{flavor}.resources[0].nominalQuota", REQUIRED, QUANTITY),
        (f"{prefix}.fairSharing.weight", OPTIONAL, QUANTITY),
    ]


def limit_cases(prefix):
    resource = f"{prefix}.resourceGroups[0].flavors[0].resources[0]"
    return [(f"{resource}.{limit}Limit", OPTIONAL, QUANTITY) for limit in ("borrowing", "lending")]


def usage_cases(field_name, borrowed):
    resource = f"status.{field_name}[0].resources[0]"
    cases = [
        (f"status.{field_name}", items(resources, 0, 64), unique(resources)),
        (f"status.{field_name}[0].name", REQUIRED, SUBDOMAIN),
        (f"status.{field_name}[0].resources", REQUIRED, items(name, 0, 64), unique(name)),
        (f"{resource}.name", REQUIRED, text()),
        (f"{resource}.total", OPTIONAL, QUANTITY),
    ]
    return cases + ([(f"{resource}.borrowed", OPTIONAL, QUANTITY)] if borrowed else [])


def counter_cases():
    counters = ("pendingWorkloads", "reservingWorkloads", "admittedWorkloads")
    return [(f"status.{each}", OPTIONAL, integer()) for each in counters] + [
        ("status.fairSharing.weightedShare", REQUIRED, integer(None, 2**63 - 1))
    ]


STOP_POLICY = enum("None", "Hold", "HoldAndDrain")

CLUSTER_QUEUE = (
    quota_cases("spec")
    + limit_cases("spec")
    + condition_cases()
    + usage_cases("flavorsReservation", True)
    + usage_cases("flavorsUsage", True)
    + counter_cases()
    + [
        ("spec", OPTIONAL),
        ("spec.cohortName", SUBDOMAIN, Probe([], [GONE])),  # there is a borrowing limit
        ("spec.queueingStrategy", enum("StrictFIFO", "BestEffortFIFO")),
        ("spec.namespaceSelector.matchLabels", OPTIONAL, STRINGS),
        ("spec.namespaceSelector.matchExpressions[0].key", REQUIRED, text()),
        ("spec.namespaceSelector.matchExpressions[0].operator", REQUIRED, text()),
        ("spec.flavorFungibility.whenCanBorrow", Probe(["TryNextFlavor"], ["Borrow", ""])),
        ("spec.flavorFungibility.whenCanPreempt", Probe(["TryNextFlavor"], ["Preempt", ""])),
        (
            "spec.flavorFungibility.preference",
            enum("BorrowingOverPreemption", "PreemptionOverBorrowing"),
        ),
        # The preference says between which of two next flavors, so both must be considered.
        (
            "spec.flavorFungibility",
            Probe(
                [{"whenCanBorrow": "MayStopSearch", "whenCanPreempt": "MayStopSearch"}, {}],
                [
                    {"preference": "BorrowingOverPreemption"},
                    {
                        "preference": "BorrowingOverPreemption",
                        "whenCanBorrow": "TryNextFlavor",
                        "whenCanPreempt": "MayStopSearch",
                    },
                ],
            ),
        ),
        ("spec.preemption.reclaimWithinCohort", enum("Any", "LowerPriority")),
        ("spec.preemption.borrowWithinCohort.policy", enum("Never", "LowerPriority")),
        ("spec.preemption.borrowWithinCohort.maxPriorityThreshold", OPTIONAL, integer()),
        (
            "spec.preemption.withinClusterQueue",
            enum("Never", "LowerPriority", "LowerOrNewerEqualPriority"),
        ),
        (
            "spec.preemption",
            Probe(
                [{"reclaimWithinCohort": "Never"}, {"borrowWithinCohort": {"policy": "Never"}}],
                [{"borrowWithinCohort": {"policy": "LowerPriority"}}],
            ),
        ),
        (
            "spec.admissionChecksStrategy.admissionChecks",
            REQUIRED,
            items(name, 1, 64),
            unique(name),
        ),
        ("spec.admissionChecksStrategy.admissionChecks[0].name", REQUIRED, text(1, 316)),
        (
            "spec.admissionChecksStrategy.admissionChecks[0].onFlavors",
            items("f{}".format, 0, 64),
            unique("f{}".format),
        ),
        ("spec.admissionChecksStrategy.admissionChecks[0].onFlavors[0]", SUBDOMAIN),
        ("spec.stopPolicy", STOP_POLICY),
        (
            "spec.admissionScope.admissionMode",
            REQUIRED,
            enum("UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing"),
        ),
        ("spec.concurrentAdmissionPolicy.migration", REQUIRED),
        (
            "spec.concurrentAdmissionPolicy.migration.mode",
            REQUIRED,
            enum("TryPreferredFlavors", "RetainFirstAdmission"),
        ),
        (
            "spec.concurrentAdmissionPolicy.migration.constraints.lastAcceptableFlavorName",
            OPTIONAL,
            SUBDOMAIN,
        ),
    ]
)

COHORT = (
    quota_cases("spec")
    + limit_cases("spec")
    + [
        ("spec", OPTIONAL),
        ("spec.parentName", OPTIONAL, SUBDOMAIN),
        ("status.fairSharing.weightedShare", REQUIRED, integer(None, 2**63 - 1)),
    ]
)

LOCAL_QUEUE = (
    condition_cases()
    + usage_cases("flavorsReservation", False)
    + usage_cases("flavorsUsage", False)
    + counter_cases()
    + [
        ("spec.clusterQueue", OPTIONAL, SUBDOMAIN),
        ("spec.stopPolicy", STOP_POLICY),
        ("spec.fairSharing.weight", OPTIONAL, QUANTITY),
        (
            "status.fairSharing.admissionFairSharingStatus.consumedResources",
            REQUIRED,
            Probe([{}, {"cpu": 1}], [{"cpu": "x"}]),
        ),
        ("status.fairSharing.admissionFairSharingStatus.lastUpdate", REQUIRED, TIME),
    ]
)


def toleration(n=0, **changes):
    plain = {"key": f"k{n}", "operator": "Exists"} | changes
    return {key: value for key, value in plain.items() if value is not None}


TOLERATIONS = Probe(
    [
        [toleration(n) for n in range(8)],
        [toleration(key=None)],
        [toleration(operator="Equal", value="v")],
        [toleration(operator=None, value="v", effect="PreferNoSchedule")],
        [toleration(effect="NoExecute", tolerationSeconds=5)],
    ],
    [
        [toleration(n) for n in range(9)],
        [toleration(key=None, operator="Equal", value="v")],
        [toleration(effect="NoSchedule", tolerationSeconds=5)],
        [toleration(operator="In")],
        [toleration(value="v")],
        [toleration(effect="Bogus")],
    ],
)

RESOURCE_FLAVOR = [
    ("spec", OPTIONAL),
    # The full object has a topology, and with one there must be a label.
    (
        "spec.nodeLabels",
        Probe(
            [{f"k{n}": "v" for n in range(8)}],
            [{f"k{n}": "v" for n in range(9)}, {"a": 1}, {}, GONE],
        ),
    ),
    ("spec.nodeTaints", items(lambda n: {"key": f"k{n}", "effect": "NoSchedule"}, 0, 8)),
    ("spec.nodeTaints[0].key", REQUIRED, text()),
    ("spec.nodeTaints[0].value", OPTIONAL, text()),
    ("spec.nodeTaints[0].effect", REQUIRED, enum("NoSchedule", "PreferNoSchedule", "NoExecute")),
    ("spec.nodeTaints[0].timeAdded", OPTIONAL, TIME),
    ("spec.tolerations", OPTIONAL, TOLERATIONS),
    ("spec.topologyName", OPTIONAL, SUBDOMAIN),
]
HOSTNAME = {"nodeLabel": "kubernetes.io/hostname"}


def level(n):
    return {"nodeLabel": f"example.com/l{n}"}


def topology(duplicate):
    return [
        ("spec.levels", REQUIRED, items(level, 1, 16), duplicate),
        ("spec.levels", Probe([[level(0), HOSTNAME], [HOSTNAME]], [[HOSTNAME, level(0)]])),
        ("spec.levels[0].nodeLabel", REQUIRED, KEY, text(1, 316)),
    ]


TOPOLOGY = topology(Probe([], [[level(0), level(0)]]))

KIND_NAME = Probe(["Job", "job-x"], ["", "1job", "a_b", "x" * 64])

ADMISSION_CHECK = condition_cases() + [
    ("spec.controllerName", REQUIRED, text(1, 253)),
    ("spec.parameters", OPTIONAL),
    ("spec.parameters.apiGroup", REQUIRED, SUBDOMAIN),
    ("spec.parameters.kind", REQUIRED, KIND_NAME),
    ("spec.parameters.name", REQUIRED, LABEL),
]

PRIORITY_CLASS = [("value", REQUIRED, integer()), ("description", OPTIONAL, text(0, 2048))]

MULTIKUEUE_CONFIG = [
    ("spec.clusters", REQUIRED, items("c{}".format, 1, 20), unique("c{}".format)),
    ("spec.clusters[0]", text(0, 256)),
    ("spec.quotaManagement", OPTIONAL, enum("Manual", "Automated")),
]

MULTIKUEUE_CLUSTER = condition_cases() + [
    ("spec.clusterSource", REQUIRED),
    (
        "spec.clusterSource",
        Probe(
            [{"clusterProfileRef": {"name": "p"}}, {"kubeConfig": {"location": "secret"}}],
            [{}, {"clusterProfileRef": {"name": "p"}, "kubeConfig": {"location": "s"}}],
        ),
    ),
    ("spec.clusterSource.kubeConfig.location", REQUIRED, text(1, 256)),
    ("spec.clusterSource.kubeConfig.locationType", enum("Secret", "Path")),
]


def update(n):
    return {"key": f"k{n}", "valueFromProvisioningClassDetail": "d"}


PROVISIONING = [
    ("spec.provisioningClassName", REQUIRED, SUBDOMAIN),
    (
        "spec.parameters",
        Probe(
            [{f"k{n}": "v" for n in range(100)}, {"k": "x" * 255}],
            [{f"k{n}": "v" for n in range(101)}, {"k": "x" * 256}],
        ),
    ),
    ("spec.managedResources", items("r{}".format, 0, 100), unique("r{}".format)),
    ("spec.retryStrategy.backoffLimitCount", OPTIONAL, integer()),
    ("spec.retryStrategy.backoffBaseSeconds", OPTIONAL, integer()),
    ("spec.retryStrategy.backoffMaxSeconds", OPTIONAL, integer()),
    (
        "spec.podSetMergePolicy",
        enum("IdenticalPodTemplates", "IdenticalWorkloadSchedulingRequirements"),
    ),
    ("spec.podSetUpdates.nodeSelector", items(update, 0, 8), unique(update)),
    ("spec.podSetUpdates.nodeSelector[0].key", REQUIRED, KEY, text(1, 317)),
    (
        "spec.podSetUpdates.nodeSelector[0].valueFromProvisioningClassDetail",
        REQUIRED,
        text(1, 32768),
    ),
]
