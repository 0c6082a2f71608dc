#pragma once

#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::apiserver {

/// The values that a JSONPath of a printer column or selectable field finds: `.spec.replicas`,
/// `.status.conditions[?(@.type=="Ready")].status`, `.items[0]`, `.list[*].name`,
/// `.metadata.labels['a\.b']`. What it does not understand finds nothing.
std::vector<const json::Value*> find_json_path(const json::Value& root, std::string_view path);

/// The first of these as text; "" when there is none.
std::string json_path_text(const json::Value& root, std::string_view path);

}  // namespace sluice::apiserver
