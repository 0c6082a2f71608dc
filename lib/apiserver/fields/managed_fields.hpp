// Field ownership (metadata.managedFields) and server-side apply.
#pragma once

#include "apiserver/schema/schema.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Tracks which manager owns which fields of an object, and implements server-side apply.
namespace sluice::apiserver {

/// The other versions in which a kind is served: the entries of managers may be in any of them. A
/// kind that is served in one version needs no ServedVersions.
struct ServedVersions {
    /// Returns the schema of an apiVersion such as kueue.x-k8s.io/v1beta1; nullptr if the version
    /// is not served.
    std::function<std::shared_ptr<const Schema>(std::string_view api_version)> schema;
    /// Converts the object into that apiVersion.
    std::function<Result<json::Value>(const json::Value& object, std::string_view api_version)>
        convert;
};

/// Fields that a request cannot set: its manager does not become their owner. Paths are dotted, as
/// in metadata.ownerReferences.
struct ResetFields {
    std::vector<std::string> excluded;
    /// If not empty, only fields below one of these paths are owned.
    std::vector<std::string> only;
};

/// The manager, version and time of a write.
struct WriteContext {
    std::string manager;      ///< fieldManager, or the part of the User-Agent before '/'
    std::string api_version;  ///< apiVersion of the request: v1, batch/v1
    std::string subresource;  ///< empty for the object itself
    std::string now;          ///< RFC 3339, such as 2026-11-25T06:37:54Z
    ResetFields reset;
    const ServedVersions* versions = nullptr;
    std::string kind{};  ///< the kind that a configuration must have; "" allows any
};

/// Returns the object after a server-side apply: `live` (nullptr if the object does not exist yet)
/// merged with `config`, without the fields that this manager applied before and omits now, with
/// managedFields brought up to date. All objects are in the version of the request. The caller
/// fills in defaults, validates and stores the object. If the object then equals the live one
/// except for times (see keep_times()), nothing is written.
/// Errors: Conflict (409) with a Status whose causes name fields and managers, unless `force`;
/// Invalid (400) and Internal (500) with a Status in the words of the API server.
Result<json::Value> apply(
    const json::Value* live,
    const json::Value& config,
    const Schema& schema,
    const WriteContext& context,
    bool force
);

/// Brings metadata.managedFields of `after` up to date for a create (`before` is nullptr), an
/// update or a patch that turned `before` into `after`. Both objects are in the version of the
/// request, with defaults filled in, before admission changes them. managedFields that the request
/// itself sets are treated as the API server treats them.
void update_managed_fields(
    const json::Value* before, json::Value& after, const Schema& schema, const WriteContext& context
);

/// If `after` differs from `before` only in resourceVersion and in times of managedFields, sets
/// `after` to `before` and returns true: the write changes nothing.
bool keep_times(const json::Value& before, json::Value& after);

/// Returns the fields that a write of a kind or its subresource cannot set.
/// `is_custom_with_status`: the kind is a custom resource with the subresource `status`.
ResetFields reset_fields_of(
    std::string_view group,
    std::string_view kind,
    std::string_view subresource,
    bool is_custom_with_status
);

}  // namespace sluice::apiserver
