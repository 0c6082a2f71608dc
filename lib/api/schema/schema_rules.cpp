#include "api/schema/schema_rules.hpp"

#include <array>

namespace sluice::api {
namespace {

// clang-format off
constexpr std::array<SchemaRule, 39> kRules{{
    // C1
    {"self.slices.all(x, size(x.valuesPerLevel) == size(self.levels))",
     "valuesPerLevel must have the same length as the number of levels in this "
     "TopologyAssignment"},
    // C2
    {"!has(self.podCounts.individual) || size(self.podCounts.individual) == self.domainCount",
     "podCounts.individual must have length equal to domainCount"},
    // C3
    {"self.valuesPerLevel.all(x, !has(x.individual) || size(x.individual.roots) == "
     "self.domainCount)",
     "valuesPerLevel.individual, if set, must have roots of length equal to domainCount of this "
     "TopologyAssignmentSlice"},
    // C4
    {"[has(self.universal),has(self.individual)].filter(x,x==true).size() == 1",
     "exactly one of the fields in [universal individual] must be set"},
    // C5
    {"has(self.universal) != has(self.individual)",
     "exactly one of the fields in [universal individual] must be set"},
    // C6
    {"self.all(x, !has(x.key) ? x.operator == 'Exists' : true)",
     "operator must be Exists when 'key' is empty, which means 'match all values and all keys'"},
    // C7
    {"self.all(x, has(x.tolerationSeconds) ? x.effect == 'NoExecute' : true)",
     "effect must be 'NoExecute' when 'tolerationSeconds' is set"},
    // C8
    {"self.all(x, !has(x.operator) || x.operator in ['Equal', 'Exists'])",
     "supported toleration values: 'Equal'(default), 'Exists'"},
    // C9
    {"self.all(x, has(x.operator) && x.operator == 'Exists' ? !has(x.value) : true)",
     "a value must be empty when 'operator' is 'Exists'"},
    // C10
    {"self.all(x, !has(x.effect) || x.effect in ['NoSchedule', 'PreferNoSchedule', 'NoExecute'])",
     "supported taint effect values: 'NoSchedule', 'PreferNoSchedule', 'NoExecute'"},
    // C11
    {"self.flavors.all(x, size(x.resources) == size(self.coveredResources))",
     "flavors must have the same number of resources as the coveredResources"},
    // C12
    {"!has(self.cohortName) && has(self.resourceGroups) ? self.resourceGroups.all(rg, "
     "rg.flavors.all(f, f.resources.all(r, !has(r.borrowingLimit)))) : true",
     "borrowingLimit must be nil when cohort is empty"},
    // C13
    {"!has(self.cohort) && has(self.resourceGroups) ? self.resourceGroups.all(rg, "
     "rg.flavors.all(f, f.resources.all(r, !has(r.borrowingLimit)))) : true",
     "borrowingLimit must be nil when cohort is empty"},
    // C14
    {"!has(self.preference) || (self.whenCanBorrow == 'TryNextFlavor' && self.whenCanPreempt == "
     "'TryNextFlavor')",
     "preference can only be set when both whenCanBorrow and whenCanPreempt are TryNextFlavor"},
    // C15
    {"!(self.reclaimWithinCohort == 'Never' && has(self.borrowWithinCohort) &&  "
     "self.borrowWithinCohort.policy != 'Never')",
     "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"},
    // C16
    {"self == oldSelf",
     "field is immutable"},
    // C17
    {"has(self.status) && has(self.status.conditions) && self.status.conditions.exists(c, "
     "c.type == 'QuotaReserved' && c.status == 'True') && has(self.status.admission) ? "
     "size(self.spec.podSets) == size(self.status.admission.podSetAssignments) : true",
     "podSetAssignments must have the same number of podSets as the spec"},
    // C18
    {"(has(oldSelf.status) && has(oldSelf.status.conditions) && "
     "oldSelf.status.conditions.exists(c, c.type == 'QuotaReserved' && c.status == 'True')) ? "
     "(!has(oldSelf.spec.priorityClassRef) && !has(self.spec.priorityClassRef)) || "
     "(has(oldSelf.spec.priorityClassRef) && has(self.spec.priorityClassRef)) : true",
     "priorityClassRef is immutable while workload quota reserved"},
    // C19
    {"(has(oldSelf.status) && has(oldSelf.status.conditions) && "
     "oldSelf.status.conditions.exists(c, c.type == 'QuotaReserved' && c.status == 'True') && "
     "has(oldSelf.spec.priorityClassRef) && has(self.spec.priorityClassRef)) ? "
     "oldSelf.spec.priorityClassRef.group == self.spec.priorityClassRef.group : true",
     "priorityClassRef.group is immutable while workload quota reserved"},
    // C20
    {"(has(oldSelf.status) && has(oldSelf.status.conditions) && "
     "oldSelf.status.conditions.exists(c, c.type == 'QuotaReserved' && c.status == 'True') && "
     "has(oldSelf.spec.priorityClassRef) && has(self.spec.priorityClassRef)) ? "
     "oldSelf.spec.priorityClassRef.kind == self.spec.priorityClassRef.kind : true",
     "priorityClassRef.kind is immutable while workload quota reserved"},
    // C21
    {"(has(oldSelf.status) && has(oldSelf.status.conditions) && "
     "oldSelf.status.conditions.exists(c, c.type == 'QuotaReserved' && c.status == 'True') && "
     "has(oldSelf.spec.priorityClassRef) && has(self.spec.priorityClassRef) && "
     "self.spec.priorityClassRef.group == 'scheduling.k8s.io' && "
     "self.spec.priorityClassRef.kind == 'PriorityClass') ? oldSelf.spec.priorityClassRef.name "
     "== self.spec.priorityClassRef.name : true",
     "priorityClassRef.name is immutable for scheduling.k8s.io/priorityclass while workload "
     "quota reserved"},
    // C22
    {"((has(oldSelf.status) && has(oldSelf.status.conditions) && "
     "oldSelf.status.conditions.exists(c, c.type == 'QuotaReserved' && c.status == 'True')) && "
     "(has(self.status) && has(self.status.conditions) && self.status.conditions.exists(c, "
     "c.type == 'QuotaReserved' && c.status == 'True'))) ? ((has(oldSelf.spec.queueName) == "
     "has(self.spec.queueName)) && (!has(oldSelf.spec.queueName) || oldSelf.spec.queueName == "
     "self.spec.queueName)) : true",
     "queueName is immutable while workload quota reserved"},
    // C23
    {"((has(oldSelf.status) && has(oldSelf.status.conditions) && "
     "oldSelf.status.conditions.exists(c, c.type == 'Admitted' && c.status == 'True')) && "
     "(has(self.status) && has(self.status.conditions) && self.status.conditions.exists(c, "
     "c.type == 'Admitted' && c.status == "
     "'True')))?((has(oldSelf.spec.maximumExecutionTimeSeconds)?"
     "oldSelf.spec.maximumExecutionTimeSeconds:0) "
     "==  "
     "(has(self.spec.maximumExecutionTimeSeconds)?self.spec.maximumExecutionTimeSeconds:0)):true",
     "maximumExecutionTimeSeconds is immutable while workload quota reserved"},
    // C24
    {"(has(oldSelf.status) && has(oldSelf.status.conditions) && "
     "oldSelf.status.conditions.exists(c, c.type == 'QuotaReserved' && c.status == 'True') && "
     "has(oldSelf.spec.priorityClassSource) && has(self.spec.priorityClassSource)) ? "
     "(oldSelf.spec.priorityClassSource == self.spec.priorityClassSource) : true",
     "priorityClassSource is immutable while workload quota reserved"},
    // C25
    {"(has(oldSelf.status) && has(oldSelf.status.conditions) && "
     "oldSelf.status.conditions.exists(c, c.type == 'QuotaReserved' && c.status == 'True') && "
     "has(oldSelf.spec.priorityClassSource) && has(self.spec.priorityClassSource) && "
     "(self.spec.priorityClassSource != 'kueue.x-k8s.io/workloadpriorityclass') && "
     "has(oldSelf.spec.priorityClassName) && has(self.spec.priorityClassName)) ? "
     "(oldSelf.spec.priorityClassName == self.spec.priorityClassName) : true",
     "priorityClassName is immutable while workload quota reserved and priorityClassSource is "
     "not equal to kueue.x-k8s.io/workloadpriorityclass"},
    // C26
    {"!has(self.priorityClassRef) || has(self.priority)",
     "priority should not be nil when priorityClassRef is set"},
    // C27
    {"has(self.priorityClassName) ? has(self.priority) : true",
     "priority should not be nil when priorityClassName is set"},
    // C28
    {"has(self.minCount) ? self.minCount <= self.count : true",
     "minCount should be positive and less or equal to count"},
    // C29
    {"(self.group == 'scheduling.k8s.io') ? self.kind == 'PriorityClass' : true",
     "only the PriorityClass kind is allowed for the scheduling.k8s.io group"},
    // C30
    {"(self.group == 'kueue.x-k8s.io') ? self.kind == 'WorkloadPriorityClass' : true",
     "only the WorkloadPriorityClass kind is allowed for the kueue.x-k8s.io group"},
    // C31
    {"!has(oldSelf.clusterName) || !has(self.clusterName) || oldSelf.clusterName == "
     "self.clusterName",
     "clusterName is immutable once set"},
    // C32
    {"!has(self.clusterName) || (!has(self.nominatedClusterNames) || "
     "(has(self.nominatedClusterNames) && size(self.nominatedClusterNames) == 0))",
     "clusterName and nominatedClusterNames are mutually exclusive"},
    // C33
    {"!has(self.topologyName) || self.nodeLabels.size() >= 1",
     "at least one nodeLabel is required when topology is set"},
    // C34
    {"!has(oldSelf.topologyName) || (has(self.topologyName) && self.topologyName == "
     "oldSelf.topologyName)",
     "topologyName is immutable when topologyName is set"},
    // C35
    {"self.all(x, x.effect in ['NoSchedule', 'PreferNoSchedule', 'NoExecute'])",
     "supported taint effect values: 'NoSchedule', 'PreferNoSchedule', 'NoExecute'"},
    // C36
    {"self == oldSelf || (self[size(self) - 1].nodeLabel == 'kubernetes.io/hostname' && "
     "oldSelf[size(oldSelf) - 1].nodeLabel == 'kubernetes.io/hostname')",
     "levels are mutable only when kubernetes.io/hostname is the lowest level both before and "
     "after the change"},
    // C37
    {"size(self.filter(i, size(self.filter(j, j == i)) > 1)) == 0",
     "must be unique"},
    // C38
    {"size(self.filter(i, i.nodeLabel == 'kubernetes.io/hostname')) == 0 || self[size(self) - "
     "1].nodeLabel == 'kubernetes.io/hostname'",
     "the kubernetes.io/hostname label can only be used at the lowest level of topology"},
    // C39
    {"[has(self.kubeConfig),has(self.clusterProfileRef)].filter(x,x==true).size() == 1",
     "exactly one of the fields in [kubeConfig clusterProfileRef] must be set"},
}};
// clang-format on

}  // namespace

const SchemaRule& schema_rule(int number) {
    return kRules.at(static_cast<std::size_t>(number) - 1);
}

}  // namespace sluice::api
