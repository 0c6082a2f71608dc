#pragma once

#include "apiserver/core.hpp"
#include "apiserver/flow.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::apiserver {

/// metav1.DeleteOptions.
struct DeleteOptions {
    std::optional<std::int64_t> grace_period_seconds;
    std::string uid;               ///< precondition, when not empty
    std::string resource_version;  ///< likewise
    std::string propagation;       ///< Orphan, Background, Foreground; empty: that of the kind
    bool is_dry_run = false;
};

/// Reads the options of a body, or where there is none those of the query. Errors: 400, 422.
Result<DeleteOptions> read_delete_options(const Core& core, Scope& scope);

/// What became of an object that was to be deleted.
struct Deletion {
    bool is_gone = false;  ///< else it waits for finalizers or its grace period
    StoredPtr object;      ///< its last state
};

/// Deletes an object or marks it as to be deleted, past admission.
Result<Deletion> delete_stored(
    Core& core, const ResourcePtr& resource, const StoredPtr& object, const DeleteOptions& options
);

/// Serves DELETE of an object, with admission.
Flow<Result<Deletion>> delete_object(Core* core, Scope* scope, DeleteOptions options);

}  // namespace sluice::apiserver
