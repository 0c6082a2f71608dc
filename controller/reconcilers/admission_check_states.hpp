#pragma once

#include "api/kueue/workload.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::controller {

/// The checks of the Workload that are in the state, by name. Lifetime: that of the Workload.
std::vector<const api::AdmissionCheckState*> checks_in(
    const api::Workload& workload, std::string_view state
);

/// Example: AdmissionChecks in Retry state: "a" (no capacity); "b"
std::string checks_sentence(
    const std::vector<const api::AdmissionCheckState*>& checks, std::string_view state
);

}  // namespace sluice::controller
