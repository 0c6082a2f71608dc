#pragma once

#include "base/clock.hpp"
#include "controller/reconcile/reconcile.hpp"
#include "json/value.hpp"

namespace sluice::controller {

/// Whether the object, as the server has it now, is what the write wanted, so that an earlier
/// attempt whose answer was lost did it. Create: the object has all that was to be created and was
/// made at or after `first_attempt` (wall time, which may differ from the server's by ten seconds);
/// patches: applying the patch again would change nothing; apply: each applied field is there, and
/// the field manager owns no other; delete: the object is another one by uid, or is being deleted.
bool has_landed(const Write& write, const json::Value& object, Time first_attempt);

/// Whether the object shows the admission or eviction that the write of its status makes, whatever
/// was added since. False for writes that make neither.
bool shows_decision(const Write& write, const json::Value& object);

}  // namespace sluice::controller
