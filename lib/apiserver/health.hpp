#pragma once

#include "apiserver/types/request.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sluice::apiserver {

/// The answer to /healthz, /livez and /readyz, with `verbose` and `exclude`, and to a single check
/// below them. `parts`: of the path. Nothing: it is another path.
std::optional<Response> answer_health(
    const std::vector<std::string>& parts, const Request& request
);

}  // namespace sluice::apiserver
