#pragma once

#include "apiserver/core.hpp"
#include "apiserver/flow.hpp"
#include "json/value.hpp"

#include <functional>
#include <memory>
#include <optional>

/// Creates and updates: admission, validation and storage of one object.
namespace sluice::apiserver {

/// An object as a write left it, in the version of the request.
struct Written {
    json::Value object;
    bool is_created = false;
};

/// Creates the object. Requires: it is decoded and its namespace is that of the scope.
/// Errors: what admission, validation and the store have against it.
Flow<Result<Written>> create_object(Core* core, Scope* scope, json::Value object);

/// What an update makes of the present object (nullptr: there is none), in the version of the
/// request, defaults filled in. Asked again where the object changed meanwhile.
using Change = std::function<Result<json::Value>(const json::Value* present)>;

struct UpdateOptions {
    bool may_create = false;         ///< where there is none, the change makes one
    bool owns_managed_fields = false;  ///< the change has brought managedFields up to date itself
};
/// Updates the object that the scope names. Errors: 404, 409 where its resourceVersion is not the
/// present one, what admission and validation have against it.
Flow<Result<Written>> update_object(
    Core* core, Scope* scope, Change change, UpdateOptions options = {}
);

/// Stores an object that was changed by the server itself, past admission and validation; without
/// finalizers it goes if it was to be deleted.
void store_directly(Core& core, const ResourcePtr& resource, json::Value object);

/// What of the other parts of the server follows a write: CRDs are established, namespaces and
/// owners looked after.
void after_write(Core& core, const Resource& resource, const StoredPtr& object, bool is_deleted);

}  // namespace sluice::apiserver
