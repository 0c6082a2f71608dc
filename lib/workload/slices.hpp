#pragma once

#include "api/workload.hpp"

#include <string>

namespace sluice::workload {

/// The slice of an elastic job that the workload is to take the place of, as "namespace/name"
/// (annotation workload-slice-replacement-for); "": none.
std::string replaced_slice(const api::Workload& workload);

}  // namespace sluice::workload
