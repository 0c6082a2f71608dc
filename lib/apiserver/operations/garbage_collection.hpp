// Deletes objects together with what they contain and own; finalizers and propagation policies.
#pragma once

#include "apiserver/state/deletion_options.hpp"
#include "apiserver/state/state.hpp"
#include "base/clock.hpp"

namespace sluice::apiserver {

/// Marks an object as being deleted and continues until the deletion has to wait: deletes the
/// objects inside it, deletes or orphans its dependents, and then deletes the object. Does nothing
/// if the object does not exist.
void begin_deletion(
    State& state,
    const Collection& collection,
    const ObjectName& name,
    const DeletionOptions& options,
    Time now
);

/// Handles the consequences of a write: deletes an object whose last finalizer was removed, serves
/// the kinds of a definition, deletes an object without remaining owners, and continues the
/// deletion of an owner that waited for the object. `before`: the object before the write; nullptr
/// for a new object.
void after_write(
    State& state, const ResourceType& type, const ObjectName& name, const Snapshot& before, Time now
);

}  // namespace sluice::apiserver
