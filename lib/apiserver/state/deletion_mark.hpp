// Finalizers, deletion timestamps and grace periods of objects.
#pragma once

#include "apiserver/state/deletion_options.hpp"
#include "apiserver/state/store.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

/// Marks objects as being deleted, and finds what their deletion waits for.
namespace sluice::apiserver {

/// Finalizers that the server itself sets: dependents are deleted first, dependents are orphaned,
/// and a CustomResourceDefinition waits until its objects are deleted.
inline constexpr std::string_view kForeground = "foregroundDeletion";
inline constexpr std::string_view kOrphan = "orphan";
inline constexpr std::string_view kCleanup = "customresourcecleanup.apiextensions.k8s.io";

extern const Collection namespaces_collection;
extern const Collection definitions_collection;

bool has_finalizers(const json::Value& object);
bool has_finalizer(const json::Value& object, std::string_view finalizer);
void drop_finalizer(json::Value& object, std::string_view finalizer);
/// Returns true if the object has a deletionTimestamp.
bool is_being_deleted(const json::Value& object);
/// Returns true if a pod has succeeded or failed.
bool has_ended(const json::Value& pod);
/// Returns true for namespaces and CustomResourceDefinitions: the objects inside them are deleted
/// first.
bool is_container(const Collection& collection);

/// Sets deletionTimestamp and the grace period; increments the generation of an object that was not
/// marked before.
void mark_deleted(json::Value& object, std::int64_t grace_seconds, Time now);
/// Returns the object with the marks of a pending deletion; nullopt if it can be deleted at once.
std::optional<json::Value> mark(
    json::Value object, const Collection& collection, const DeletionOptions& options, Time now
);

}  // namespace sluice::apiserver
