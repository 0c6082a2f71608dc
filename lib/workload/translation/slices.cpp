#include "workload/translation/slices.hpp"

#include "api/kueue/kueue_names.hpp"
#include "workload/translation/queueable.hpp"

namespace sluice::workload {

std::string replaced_slice(const api::Workload& workload) {
    const auto* slice =
        workload.metadata.find_annotation(api::annotation::kWorkloadSliceReplacementFor);
    return slice == nullptr ? "" : *slice;
}

std::string job_of_slice(const api::Workload& workload) {
    const auto* elastic = workload.metadata.find_annotation(api::annotation::kElasticJob);
    const api::OwnerReference* owner = workload.metadata.controller_owner();
    return elastic != nullptr && *elastic == "true" && owner != nullptr ? owner->uid : "";
}

bool may_replace(const api::Workload& replacement, const api::Workload& slice) {
    const api::ObjectMeta& metadata = slice.metadata;
    if (replaced_slice(replacement) != metadata.namespace_ + "/" + metadata.name ||
        replacement.metadata.namespace_ != metadata.namespace_ ||
        replacement.metadata.name == metadata.name) {
        return false;
    }
    const bool is_unowned = !may_have_pods(metadata);
    if (is_unowned || !may_have_pods(replacement.metadata)) {
        return is_unowned && !may_have_pods(replacement.metadata);
    }
    const std::string job = job_of_slice(slice);
    return !job.empty() && job == job_of_slice(replacement);
}

}  // namespace sluice::workload
