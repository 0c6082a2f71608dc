#pragma once

#include "apiserver/core.hpp"

#include <optional>
#include <string_view>

namespace sluice::apiserver {

/// Serves /openapi/v3, its documents and /openapi/v2; none: there is no such document.
std::optional<Response> serve_open_api(
    const Core& core, const Request& request, std::string_view path
);

}  // namespace sluice::apiserver
