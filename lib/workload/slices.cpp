#include "workload/slices.hpp"

#include "api/kueue_names.hpp"

namespace sluice::workload {

std::string replaced_slice(const api::Workload& workload) {
    const auto* slice =
        workload.metadata.find_annotation(api::annotation::kWorkloadSliceReplacementFor);
    return slice == nullptr ? "" : *slice;
}

}  // namespace sluice::workload
