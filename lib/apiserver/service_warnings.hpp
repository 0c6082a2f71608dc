#pragma once

#include "json/value.hpp"

#include <string>
#include <vector>

namespace sluice::apiserver {

/// Adds what the API server warns of in a Service: fields that are ignored or deprecated, and
/// addresses that are not in canonical form.
void add_service_warnings(const json::Value& service, std::vector<std::string>& warnings);

}  // namespace sluice::apiserver
