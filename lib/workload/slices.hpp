#pragma once

#include "api/workload.hpp"

#include <string>
#include <string_view>

namespace sluice::workload {

/// Reason of condition Finished of a slice whose place another took.
inline constexpr std::string_view kSliceReplaced = "WorkloadSliceReplaced";

/// The slice of an elastic job that the workload is to take the place of, as "namespace/name"
/// (annotation workload-slice-replacement-for); "": none.
std::string replaced_slice(const api::Workload& workload);

}  // namespace sluice::workload
