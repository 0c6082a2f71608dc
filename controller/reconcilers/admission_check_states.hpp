// Finds a Workload's admission checks by state, and lists them in a message.
#pragma once

#include "api/kueue/workload.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::controller {

/// Returns the Workload's checks that are in the state, sorted by name. Lifetime: that of the
/// Workload.
std::vector<const api::AdmissionCheckState*> checks_in(
    const api::Workload& workload, std::string_view state
);

/// Returns a text that lists the checks. Example: AdmissionChecks in Retry state: "a" (no
/// capacity); "b"
std::string checks_sentence(
    const std::vector<const api::AdmissionCheckState*>& checks, std::string_view state
);

}  // namespace sluice::controller
