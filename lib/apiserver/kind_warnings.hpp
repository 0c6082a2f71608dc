#pragma once

#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// Adds what a client is to be warned of an object that is valid: fields and annotations of
/// Ingresses and StatefulSets that mean less than they seem to.
void add_kind_warnings(
    std::string_view kind, const json::Value& object, std::vector<std::string>& warnings
);

}  // namespace sluice::apiserver
