// Answers health checks.
#pragma once

#include "apiserver/types/request.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::apiserver {

/// Answers /healthz, /livez and /readyz, with `verbose` and `exclude`, and single checks below
/// them. `parts`: the segments of the path. Returns nullopt for any other path.
std::optional<Response> answer_health(
    const std::vector<std::string>& parts, const Request& request
);

}  // namespace sluice::apiserver
