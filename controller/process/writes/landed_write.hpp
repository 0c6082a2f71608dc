// Decides whether a write without a known response has taken effect.
#pragma once

#include "base/clock.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "json/value.hpp"

namespace sluice::controller {

/// Returns true if the server's object is what the write wanted, so that an earlier attempt, whose
/// response was lost, has done it. Create: the object contains everything that was to be created
/// and is not older than `first_attempt` (wall time, which may differ from the server's by ten
/// seconds). Patches: applying the patch again would change nothing. Apply: each applied field is
/// present, and the field manager owns no other field. Delete: the object has another uid or is
/// being deleted.
bool has_landed(const Write& write, const json::Value& object, Time first_attempt);

/// Returns true if the object shows the admission or eviction of the status in the write, even if
/// other changes followed. False for writes without either.
bool shows_decision(const Write& write, const json::Value& object);

}  // namespace sluice::controller
