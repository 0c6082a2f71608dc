#pragma once

#include "json/value.hpp"
#include "sim/objects/turn.hpp"
#include "sim/objects/write.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Objects that simulated controllers make, and what they read of them.
namespace sluice::sim {

/// A pod of a template that the owner controls. `name`: where it ends in a hyphen, the API server
/// completes it.
json::Value make_owned_pod(
    const json::Value& owner, const json::Value& pod_template, std::string_view name
);
/// metadata.ownerReferences of what the owner controls.
json::Array owner_references(const json::Value& owner);
/// Writes labels or annotations (`part`) into an object's metadata.
void set_metadata(
    json::Value& object, std::string_view part, std::string_view name, std::string_view value
);

/// A name for what a template says, as it is put into labels.
std::string template_hash(const json::Value& pod_template);

std::string_view name_of(const json::Value& object);
bool is_deleted(const json::Value& object);
/// Neither ended nor deleted.
bool is_active_pod(const json::Value& pod);
bool is_ready_pod(const json::Value& pod);

/// How many pods are available: ready for as long as `spec.minReadySeconds` of their owner says.
struct Availability {
    std::int64_t count = 0;
    std::optional<Time> next;  ///< when one more will be; none: all are that are ready
};
Availability find_availability(
    const json::Value& owner, const std::vector<const json::Value*>& pods, const Turn& turn
);
/// The object of that name, or nullptr.
const json::Value* find_named(
    const std::vector<const json::Value*>& objects, std::string_view name
);

/// Creates a pod, and tells so.
Write creation(json::Value pod);
/// Deletes a pod, and tells so.
Write deletion(const json::Value& pod);
/// Deletes an object with all that it owns.
Write background_deletion(const json::Value& object);
/// Writes the status of the object that is looked at, where it differs from the one that it has.
void replace_status(const json::Value& object, json::Value status, Outcome& outcome);

}  // namespace sluice::sim
