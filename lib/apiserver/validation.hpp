#pragma once

#include "apiserver/cause.hpp"
#include "apiserver/core.hpp"
#include "json/value.hpp"

#include <vector>

namespace sluice::apiserver {

/// What is refused of an object: its metadata, and what its kind or CRD says of the rest, rules in
/// CEL included. With an old object: of an update.
std::vector<Cause> find_faults(
    const Core& core,
    const Scope& scope,
    const json::Value& object,
    const json::Value* old_object = nullptr
);

}  // namespace sluice::apiserver
