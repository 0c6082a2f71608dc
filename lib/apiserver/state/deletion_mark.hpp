#pragma once

#include "apiserver/state/deletion_options.hpp"
#include "apiserver/state/store.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

/// How an object says that it is to go, and what it waits for.
namespace sluice::apiserver {

/// Finalizers of the server itself: dependents go first, dependents stay, and what stands on a
/// definition until its objects are gone.
inline constexpr std::string_view kForeground = "foregroundDeletion";
inline constexpr std::string_view kOrphan = "orphan";
inline constexpr std::string_view kCleanup = "customresourcecleanup.apiextensions.k8s.io";

extern const Collection namespaces_collection;
extern const Collection definitions_collection;

bool has_finalizers(const json::Value& object);
bool has_finalizer(const json::Value& object, std::string_view finalizer);
void drop_finalizer(json::Value& object, std::string_view finalizer);
/// Whether it has a deletionTimestamp.
bool is_being_deleted(const json::Value& object);
/// Whether a pod has succeeded or failed.
bool has_ended(const json::Value& pod);
/// Whether objects of the collection have others in them, which go first.
bool is_container(const Collection& collection);

/// Sets deletionTimestamp and the grace period.
void mark_deleted(json::Value& object, std::int64_t grace_seconds, Time now);
/// The object as it waits for its end; nothing: it goes at once.
std::optional<json::Value> mark(
    json::Value object, const Collection& collection, const DeletionOptions& options, Time now
);

}  // namespace sluice::apiserver
