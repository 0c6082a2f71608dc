#include "apiserver/rules/builtin_validation.hpp"

#include "apiserver/rules/kind_validation.hpp"
#include "apiserver/rules/pod_validation.hpp"
#include "apiserver/rules/policy_validation.hpp"
#include "apiserver/rules/quota_validation.hpp"
#include "apiserver/rules/webhook_validation.hpp"
#include "apiserver/rules/workload_validation.hpp"

#include <algorithm>
#include <array>

namespace sluice::apiserver {
namespace {

using json::Value;

/// The checks of a kind. A check that is nullptr finds nothing.
struct KindChecks {
    std::string_view group;
    std::string_view kind;
    void (*check)(Causes& causes, const Value& object);
    void (*check_update)(Causes& causes, const Value& object, const Value& old_object);
};

void check_pod(Causes& causes, const Value& pod) {
    check_pod_spec(causes, "spec", member_or_null(pod, "spec"));
}

/// Refuses ephemeral containers in a new pod: they are added later, to debug a running pod.
void check_new_pod(Causes& causes, const Value& pod) {
    if (pod.find_path({"spec", "ephemeralContainers"}) != nullptr) {
        causes.push_back(
            api::FieldError::forbidden("spec.ephemeralContainers", "cannot be set on create")
        );
    }
}

constexpr std::string_view kAdmission = "admissionregistration.k8s.io";
constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

constexpr std::array<KindChecks, 25> kKindChecks{{
    {"", "ConfigMap", check_config_map, check_config_map_update},
    {"", "Event", check_event, nullptr},
    {"", "LimitRange", check_limit_range, nullptr},
    {"", "Node", check_node, nullptr},
    {"", "Pod", check_pod, check_pod_update},
    {"", "ResourceQuota", check_resource_quota, check_resource_quota_update},
    {"", "Secret", check_secret, check_secret_update},
    {kAdmission, "MutatingAdmissionPolicy", check_mutating_policy, nullptr},
    {kAdmission, "MutatingAdmissionPolicyBinding", check_mutating_binding, nullptr},
    {kAdmission, "MutatingWebhookConfiguration", check_webhooks, nullptr},
    {kAdmission, "ValidatingAdmissionPolicy", check_validating_policy, nullptr},
    {kAdmission, "ValidatingAdmissionPolicyBinding", check_validating_binding, nullptr},
    {kAdmission, "ValidatingWebhookConfiguration", check_webhooks, nullptr},
    {"apps", "Deployment", check_deployment, check_selector_update},
    {"apps", "ReplicaSet", check_replica_set, check_selector_update},
    {"apps", "StatefulSet", check_stateful_set, check_stateful_set_update},
    {"batch", "CronJob", check_cron_job, nullptr},
    {"batch", "Job", check_job, check_job_update},
    {"coordination.k8s.io", "Lease", check_lease, nullptr},
    {"node.k8s.io", "RuntimeClass", check_runtime_class, check_runtime_class_update},
    {kRbacGroup, "ClusterRole", check_role, nullptr},
    {kRbacGroup, "ClusterRoleBinding", check_role_binding, check_role_binding_update},
    {kRbacGroup, "Role", check_role, nullptr},
    {kRbacGroup, "RoleBinding", check_role_binding, check_role_binding_update},
    {"scheduling.k8s.io", "PriorityClass", check_priority_class, check_priority_class_update},
}};

const KindChecks* checks_of(std::string_view group, std::string_view kind) {
    const auto* found =
        std::find_if(kKindChecks.begin(), kKindChecks.end(), [&](const auto& checks) {
            return checks.group == group && checks.kind == kind;
        });
    return found == kKindChecks.end() ? nullptr : found;
}

}  // namespace

std::vector<Cause> validate_builtin(
    std::string_view group, std::string_view kind, const Value& object
) {
    Causes causes;
    const KindChecks* checks = checks_of(group, kind);
    if (checks != nullptr && checks->check != nullptr) {
        checks->check(causes, object);
    }
    if (group.empty() && kind == "Pod") {
        check_new_pod(causes, object);
    }
    return causes;
}

std::vector<Cause> validate_builtin_update(
    std::string_view group,
    std::string_view kind,
    std::string_view subresource,
    const Value& object,
    const Value& old_object
) {
    Causes causes;
    const KindChecks* checks = checks_of(group, kind);
    const bool is_part = !subresource.empty() && subresource != "finalize";
    if (checks == nullptr || is_part) {
        return causes;
    }
    if (checks->check != nullptr) {
        checks->check(causes, object);
        if (!causes.empty()) {
            Causes known;
            checks->check(known, old_object);
            drop_known(causes, known);
        }
    }
    if (checks->check_update != nullptr) {
        checks->check_update(causes, object, old_object);
    }
    return causes;
}

}  // namespace sluice::apiserver
