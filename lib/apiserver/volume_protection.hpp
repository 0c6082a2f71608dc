#pragma once

#include "apiserver/resource_type.hpp"
#include "apiserver/state.hpp"
#include "json/value.hpp"

#include <string_view>
#include <vector>

/// Claims to volumes and volumes that are in use stay until they are not: each has a finalizer from
/// its beginning, which goes when it is deleted and nothing uses it.
namespace sluice::apiserver {

/// The finalizer of the collection's objects; "": they have none.
std::string_view find_protection(const Collection& collection);

/// Gives a new claim or volume its finalizer.
void protect_volume(const ResourceType& type, json::Value& object);

/// Whether a pod that has a node uses the claim, or whether a claim has the volume.
bool is_volume_in_use(
    const State& state,
    const Collection& collection,
    const ObjectName& name,
    const json::Value& object
);

/// The claims that a pod names among its volumes.
std::vector<State::Key> find_claims_of(const json::Value& pod);

}  // namespace sluice::apiserver
