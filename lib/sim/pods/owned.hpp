// Objects that simulated controllers create, and the state that they read of them.
#pragma once

#include "json/value.hpp"
#include "sim/objects/turn.hpp"
#include "sim/objects/write.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Objects that simulated controllers create, and the state that they read of them.
namespace sluice::sim {

/// Returns a pod of a template that the owner controls. The API server completes a `name` that ends
/// in a hyphen.
json::Value make_owned_pod(
    const json::Value& owner, const json::Value& pod_template, std::string_view name
);
/// Returns the metadata.ownerReferences of an object that the owner controls.
json::Array owner_references(const json::Value& owner);
/// Sets a label or annotation (`part`) in an object's metadata.
void set_metadata(
    json::Value& object, std::string_view part, std::string_view name, std::string_view value
);

/// Returns a hash of a template, as labels contain it.
std::string template_hash(const json::Value& pod_template);

std::string_view name_of(const json::Value& object);
/// Returns true if the object has a deletionTimestamp.
bool is_deleted(const json::Value& object);
/// Returns true if the pod has neither ended nor been deleted.
bool is_active_pod(const json::Value& pod);
/// Returns true if the pod is active and its condition Ready is True.
bool is_ready_pod(const json::Value& pod);

/// The number of available pods: ready for as long as `spec.minReadySeconds` of their owner
/// requires.
struct Availability {
    std::int64_t count = 0;
    /// When the next pod becomes available; nullopt if all ready pods are available.
    std::optional<Time> next;
};
Availability find_availability(
    const json::Value& owner, const std::vector<const json::Value*>& pods, const Turn& turn
);
/// Returns the object with that name; nullptr if it does not exist.
const json::Value* find_named(
    const std::vector<const json::Value*>& objects, std::string_view name
);

/// Returns the write that creates a pod and records it in an event.
Write creation(json::Value pod);
/// Returns the write that deletes a pod and records it in an event.
Write deletion(const json::Value& pod);
/// Returns the write that deletes an object and everything that it owns.
Write background_deletion(const json::Value& object);
/// Writes the status of the object that is reconciled, if it differs from the present one.
void replace_status(const json::Value& object, json::Value status, Outcome& outcome);

}  // namespace sluice::sim
