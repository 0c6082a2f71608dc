#include "workload/slices.hpp"

#include <string_view>

namespace sluice::workload {
namespace {

constexpr std::string_view kReplacementFor = "kueue.x-k8s.io/workload-slice-replacement-for";

}  // namespace

std::string replaced_slice(const api::Workload& workload) {
    const auto* slice = workload.metadata.find_annotation(kReplacementFor);
    return slice == nullptr ? "" : *slice;
}

}  // namespace sluice::workload
