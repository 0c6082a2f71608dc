#pragma once

#include "apiserver/core.hpp"

#include <optional>
#include <string_view>

namespace sluice::apiserver {

/// Serves /api, /apis, /apis/GROUP, /apis/GROUP/VERSION and /api/v1; none: there is no such path or
/// group.
std::optional<Response> serve_discovery(const Core& core, const Request& request, std::string_view path);

}  // namespace sluice::apiserver
