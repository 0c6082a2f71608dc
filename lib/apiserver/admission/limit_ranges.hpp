// Applies LimitRanges to new pods and claims.
#pragma once

#include "apiserver/state/state.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// Sets the requests and limits that the containers of a new pod lack to the defaults of the
/// LimitRanges in its namespace.
void apply_limit_ranges(const State& state, json::Value& pod);

/// Requires that the pod or claim keeps within the LimitRanges of its namespace. Errors: Forbidden.
Result<void> check_limit_ranges(
    const State& state, const ResourceType& type, const json::Value& object
);

}  // namespace sluice::apiserver
