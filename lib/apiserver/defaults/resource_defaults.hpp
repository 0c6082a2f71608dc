// Defaults of kinds of networking, storage, devices, flow control and admission.
#pragma once

#include "json/value.hpp"

#include <string_view>

namespace sluice::apiserver {

/// Fills in the defaults of kinds of networking, storage, devices, flow control and admission.
/// Returns true if the kind is one of these.
bool apply_resource_defaults(std::string_view group, std::string_view kind, json::Value& object);

}  // namespace sluice::apiserver
