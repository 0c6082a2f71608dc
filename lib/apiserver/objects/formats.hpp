#pragma once

#include <string_view>

namespace sluice::apiserver {

/// Whether a text is of a format that the API server checks in custom resources (date-time, ipv4,
/// uuid, …). True for a format that it does not know.
bool has_format(std::string_view format, std::string_view text);

}  // namespace sluice::apiserver
