#pragma once

#include "apiserver/request.hpp"
#include "apiserver/state.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <optional>
#include <string_view>

namespace sluice::apiserver {

/// The refusal of a role or binding by which its writer would grant rights that are not the
/// writer's own; nothing: it may be written. Who has the verb `escalate` on roles, or `bind` on the
/// role of a binding, may. `old_object`: null for a new one. Errors: those of upstream, Forbidden,
/// and NotFound for a binding to a role that is not there.
std::optional<Error> find_escalation(
    const State& state,
    const Request& request,
    const ResourceType& type,
    const json::Value& object,
    const json::Value* old_object
);

}  // namespace sluice::apiserver
