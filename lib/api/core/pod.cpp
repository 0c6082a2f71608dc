#include "api/core/pod.hpp"

namespace sluice::api {

const TypeInfo& ResourceClaimRef::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ResourceClaimRef::name>("name", "R"),
                field<&ResourceClaimRef::request>("request"),
            },
    };
    return kInfo;
}

const TypeInfo& ResourceRequirements::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ResourceRequirements::limits>("limits"),
                field<&ResourceRequirements::requests>("requests"),
                field<&ResourceRequirements::claims>("claims"),
            },
    };
    return kInfo;
}

const TypeInfo& ContainerPort::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ContainerPort::name>("name"),
                field<&ContainerPort::container_port>("containerPort", "R"),
                field<&ContainerPort::host_port>("hostPort"),
                field<&ContainerPort::host_ip>("hostIP"),
                field<&ContainerPort::protocol>("protocol"),
            },
    };
    return kInfo;
}

const TypeInfo& Container::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Container::name>("name", "R"),
                field<&Container::image>("image"),
                field<&Container::resources>("resources"),
                field<&Container::restart_policy>("restartPolicy"),
                field<&Container::ports>("ports"),
            },
    };
    return kInfo;
}

const TypeInfo& NodeSelectorRequirement::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&NodeSelectorRequirement::key>("key", "R"),
                field<&NodeSelectorRequirement::operator_>("operator", "R"),
                field<&NodeSelectorRequirement::values>("values"),
            },
    };
    return kInfo;
}

const TypeInfo& NodeSelectorTerm::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&NodeSelectorTerm::match_expressions>("matchExpressions"),
                field<&NodeSelectorTerm::match_fields>("matchFields"),
            },
    };
    return kInfo;
}

const TypeInfo& NodeSelector::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&NodeSelector::node_selector_terms>("nodeSelectorTerms", "R"),
            },
    };
    return kInfo;
}

const TypeInfo& PreferredSchedulingTerm::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PreferredSchedulingTerm::weight>("weight", "R"),
                field<&PreferredSchedulingTerm::preference>("preference", "R"),
            },
    };
    return kInfo;
}

const TypeInfo& NodeAffinity::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&NodeAffinity::required_during_scheduling_ignored_during_execution>(
                    "requiredDuringSchedulingIgnoredDuringExecution"
                ),
                field<&NodeAffinity::preferred_during_scheduling_ignored_during_execution>(
                    "preferredDuringSchedulingIgnoredDuringExecution"
                ),
            },
    };
    return kInfo;
}

const TypeInfo& Affinity::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Affinity::node_affinity>("nodeAffinity"),
                field<&Affinity::pod_affinity>("podAffinity"),
                field<&Affinity::pod_anti_affinity>("podAntiAffinity"),
            },
    };
    return kInfo;
}

const TypeInfo& PodSchedulingGate::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PodSchedulingGate::name>("name", "R"),
            },
    };
    return kInfo;
}

const TypeInfo& PodResourceClaim::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PodResourceClaim::name>("name", "R"),
                field<&PodResourceClaim::resource_claim_name>("resourceClaimName"),
                field<&PodResourceClaim::resource_claim_template_name>("resourceClaimTemplateName"),
            },
    };
    return kInfo;
}

const TypeInfo& TopologySpreadConstraint::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&TopologySpreadConstraint::max_skew>("maxSkew", "R"),
                field<&TopologySpreadConstraint::topology_key>("topologyKey", "R"),
                field<&TopologySpreadConstraint::when_unsatisfiable>("whenUnsatisfiable", "R"),
                field<&TopologySpreadConstraint::label_selector>("labelSelector"),
                field<&TopologySpreadConstraint::min_domains>("minDomains"),
                field<&TopologySpreadConstraint::node_affinity_policy>("nodeAffinityPolicy"),
                field<&TopologySpreadConstraint::node_taints_policy>("nodeTaintsPolicy"),
                field<&TopologySpreadConstraint::match_label_keys>("matchLabelKeys"),
            },
    };
    return kInfo;
}

const TypeInfo& PodSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PodSpec::init_containers>("initContainers"),
                field<&PodSpec::containers>("containers", "R"),
                field<&PodSpec::resources>("resources"),
                field<&PodSpec::node_selector>("nodeSelector"),
                field<&PodSpec::affinity>("affinity"),
                field<&PodSpec::tolerations>("tolerations"),
                field<&PodSpec::overhead>("overhead"),
                field<&PodSpec::runtime_class_name>("runtimeClassName"),
                field<&PodSpec::priority_class_name>("priorityClassName"),
                field<&PodSpec::priority>("priority"),
                field<&PodSpec::node_name>("nodeName"),
                field<&PodSpec::scheduler_name>("schedulerName"),
                field<&PodSpec::restart_policy>("restartPolicy"),
                field<&PodSpec::scheduling_gates>("schedulingGates"),
                field<&PodSpec::resource_claims>("resourceClaims"),
                field<&PodSpec::topology_spread_constraints>("topologySpreadConstraints"),
                field<&PodSpec::termination_grace_period_seconds>("terminationGracePeriodSeconds"),
            },
    };
    return kInfo;
}

bool operator==(const PodTemplateSpec& a, const PodTemplateSpec& b) {
    if (!a.raw.empty() && !b.raw.empty()) {
        return a.raw == b.raw;
    }
    return a.metadata == b.metadata && a.spec == b.spec;
}

const TypeInfo& PodTemplateSpec::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PodTemplateSpec::metadata>("metadata"),
                field<&PodTemplateSpec::spec>("spec"),
            },
        .raw = [](void* o) { return &static_cast<PodTemplateSpec*>(o)->raw; },
        .const_raw = [](const void* o) { return &static_cast<const PodTemplateSpec*>(o)->raw; },
        .schema_file = "pod_template",
    };
    return kInfo;
}

const TypeInfo& ObjectCondition::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ObjectCondition::type_>("type", "R"),
                field<&ObjectCondition::status>("status", "R"),
                field<&ObjectCondition::last_probe_time>("lastProbeTime"),
                field<&ObjectCondition::last_transition_time>("lastTransitionTime"),
                field<&ObjectCondition::reason>("reason"),
                field<&ObjectCondition::message>("message"),
            },
    };
    return kInfo;
}

const TypeInfo& ContainerStateTerminated::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ContainerStateTerminated::exit_code>("exitCode", "R"),
                field<&ContainerStateTerminated::reason>("reason"),
                field<&ContainerStateTerminated::message>("message"),
            },
    };
    return kInfo;
}

const TypeInfo& ContainerState::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ContainerState::terminated>("terminated"),
            },
    };
    return kInfo;
}

const TypeInfo& ContainerStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&ContainerStatus::name>("name", "R"),
                field<&ContainerStatus::state>("state"),
            },
    };
    return kInfo;
}

const TypeInfo& PodStatus::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&PodStatus::phase>("phase"),
                field<&PodStatus::reason>("reason"),
                field<&PodStatus::message>("message"),
                field<&PodStatus::conditions>("conditions"),
                field<&PodStatus::container_statuses>("containerStatuses"),
                field<&PodStatus::start_time>("startTime"),
            },
    };
    return kInfo;
}

const TypeInfo& Pod::type() {
    static const TypeInfo kInfo{
        .fields =
            {
                field<&Pod::metadata>("metadata"),
                field<&Pod::spec>("spec"),
                field<&Pod::status>("status"),
            },
        .kind = kKind,
        .api_version = "v1",
    };
    return kInfo;
}

}  // namespace sluice::api
