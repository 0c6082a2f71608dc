#pragma once

#include "apiserver/state/deletion_options.hpp"
#include "apiserver/state/state.hpp"
#include "base/clock.hpp"

namespace sluice::apiserver {

/// Marks an object and goes on as far as nothing waits: what it contains and its dependents go, or
/// are orphaned, and then it goes itself. Nothing where it is not there.
void begin_deletion(
    State& state,
    const Collection& collection,
    const ObjectName& name,
    const DeletionOptions& options,
    Time now
);

/// What follows from a write: an object whose last finalizer is gone goes, a definition serves its
/// kinds, dependents of what went go too, and an owner that waited for the object may go on.
/// `before`: the object as it was; null: there was none.
void after_write(
    State& state, const ResourceType& type, const ObjectName& name, const Snapshot& before, Time now
);

}  // namespace sluice::apiserver
