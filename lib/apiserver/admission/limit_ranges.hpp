#pragma once

#include "apiserver/state/state.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Gives a new pod's containers the requests and limits that the LimitRanges of its namespace name
/// for those that have none.
void apply_limit_ranges(const State& state, json::Value& pod);

/// Whether the pod or claim keeps within the LimitRanges of its namespace. Errors: Forbidden.
Result<void> check_limit_ranges(
    const State& state, const ResourceType& type, const json::Value& object
);

}  // namespace sluice::apiserver
