// Formats of strings in OpenAPI schemas, as the API server checks them.
#pragma once

#include <string_view>

namespace sluice::apiserver {

/// Returns true if the text has a format that the API server checks in custom resources (date-time,
/// ipv4, uuid, …), or if the format is unknown.
bool has_format(std::string_view format, std::string_view text);

}  // namespace sluice::apiserver
