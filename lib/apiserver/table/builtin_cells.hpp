// Cells of the tables of Kubernetes' own kinds.
#pragma once

#include "apiserver/types/resource_type.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>

namespace sluice::apiserver {

/// Returns the time since a timestamp as tables show it; <unknown> if the timestamp is empty.
std::string age_since(std::string_view timestamp, Time now);

/// Returns the cells of a pod, one for each of its columns.
json::Array pod_cells(const json::Value& pod, Time now);

/// Returns the cells of an object of a built-in kind, one for each of its columns. Kinds without
/// code and paths for their cells show name and age, and <none> for the other columns.
json::Array builtin_cells(const ResourceType& type, const json::Value& object, Time now);

}  // namespace sluice::apiserver
