#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"

#include <optional>
#include <string_view>

namespace sluice::apiserver {

/// How long ago a time in an object was, as tables show it; <unknown> where there is none.
std::string age_since(std::string_view timestamp, Time now);

/// The cells of a pod.
json::Array pod_cells(const json::Value& pod, Time now);

/// The cells of another built-in kind; none: it has only name and age.
std::optional<json::Array> builtin_cells(
    std::string_view kind, const json::Value& object, Time now
);

}  // namespace sluice::apiserver
