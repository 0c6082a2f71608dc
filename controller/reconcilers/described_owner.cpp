#include "controller/reconcilers/described_owner.hpp"

#include "api/kueue/sluice_names.hpp"

#include <fmt/format.h>

namespace sluice::controller {

bool lacks_description(
    const api::Workload& workload,
    const Stores& stores,
    const std::set<Kind>* job_kinds,
    const std::set<Kind>* withdrawn
) {
    const api::ObjectMeta& metadata = workload.metadata;
    const api::OwnerReference* owner = metadata.controller_owner();
    if (owner == nullptr || metadata.find_annotation(api::annotation::kDescribedKind) == nullptr) {
        return false;
    }
    const auto kind = stores.find_kind(kube::group_of(owner->api_version), owner->kind);
    const bool is_managed = kind && job_kinds != nullptr && job_kinds->contains(*kind);
    return !is_managed || (withdrawn != nullptr && withdrawn->contains(*kind));
}

std::optional<workload::Waiting> find_missing_description(
    const api::Workload& workload,
    const Stores& stores,
    const std::set<Kind>* job_kinds,
    const std::set<Kind>* withdrawn
) {
    if (!lacks_description(workload, stores, job_kinds, withdrawn)) {
        return std::nullopt;
    }
    return workload::Waiting{
        api::reason::kJobKindNotDescribed,
        fmt::format(
            "No description of {} is in force, so its job could not be started",
            *workload.metadata.find_annotation(api::annotation::kDescribedKind)
        )
    };
}

}  // namespace sluice::controller
