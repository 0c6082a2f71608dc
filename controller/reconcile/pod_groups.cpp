#include "controller/reconcile/pod_groups.hpp"

#include "api/core/apps.hpp"
#include "api/core/pod.hpp"
#include "api/kueue/kueue_names.hpp"

#include <algorithm>
#include <string>

namespace sluice::controller {

namespace {

constexpr std::string_view kGroupPrefix = "group/";

}  // namespace

bool is_of_pod_group(const api::ObjectMeta& workload) {
    const std::string* marked = workload.find_annotation(api::annotation::kIsGroupWorkload);
    // A tenant can write the annotation, so it is not enough: a single pod controls its Workload.
    return marked != nullptr && *marked == "true" && workload.controller_owner() == nullptr;
}

bool is_of_serving_object(const api::ObjectMeta& workload) {
    return std::ranges::any_of(workload.owner_references, [](const api::OwnerReference& owner) {
        const std::string_view group = kube::group_of(owner.api_version);
        return (group == api::StatefulSet::kGroup && owner.kind == api::StatefulSet::kKind) ||
               (group == "leaderworkerset.x-k8s.io" && owner.kind == "LeaderWorkerSet");
    });
}

bool has_job(const api::ObjectMeta& workload) {
    return workload.controller_owner() != nullptr || is_of_pod_group(workload);
}

ObjectKey pod_group_key(std::string_view ns, std::string_view group) {
    return {kind_of<api::Pod>(), std::string(ns), std::string(kGroupPrefix) + std::string(group)};
}

std::string_view group_in_name(std::string_view name) {
    return name.starts_with(kGroupPrefix) ? name.substr(kGroupPrefix.size()) : std::string_view();
}

}  // namespace sluice::controller
