#pragma once

#include "apiserver/types/resource_type.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>

namespace sluice::apiserver {

/// How long ago a time in an object was, as tables show it; <unknown> where there is none.
std::string age_since(std::string_view timestamp, Time now);

/// The cells of a pod.
json::Array pod_cells(const json::Value& pod, Time now);

/// The cells of an object of a built-in kind, one for each of its columns. Where nothing is worked
/// out for a kind but name and age, the others are <none>.
json::Array builtin_cells(const ResourceType& type, const json::Value& object, Time now);

}  // namespace sluice::apiserver
