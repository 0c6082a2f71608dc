#pragma once

#include "apiserver/schema/schema.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Who owns which fields of an object (metadata.managedFields), and server-side apply.
namespace sluice::apiserver {

/// The other versions in which a kind is served: managers may have written in any of them. Kinds
/// of one version need none.
struct ServedVersions {
    /// The schema of an apiVersion such as kueue.x-k8s.io/v1beta1; nullptr: it is not served.
    std::function<std::shared_ptr<const Schema>(std::string_view api_version)> schema;
    /// The object in that apiVersion.
    std::function<Result<json::Value>(const json::Value& object, std::string_view api_version)>
        convert;
};

/// Which fields a request cannot set, whatever it says: nobody comes to own them by it. A path is
/// dotted, as in metadata.ownerReferences.
struct ResetFields {
    std::vector<std::string> excluded;
    /// Where this is not empty, only fields below one of these are owned.
    std::vector<std::string> only;
};

/// Who writes what, when.
struct WriteContext {
    std::string manager;      ///< fieldManager, or what stands before '/' in the User-Agent
    std::string api_version;  ///< of the request: v1, batch/v1
    std::string subresource;  ///< empty: the object itself
    std::string now;          ///< 2026-11-25T06:37:54Z
    ResetFields reset;
    const ServedVersions* versions = nullptr;
    std::string kind{};  ///< that a configuration must be of; "": any
};

/// The object after a server-side apply: `live` (nullptr: there is none yet) merged with `config`,
/// without what this manager applied before and leaves out now, with managedFields brought up to
/// date. Both are in the version of the request. The caller defaults, validates and stores it; if
/// it then equals the live object but for times (see keep_times()), nothing is written.
/// Errors: Conflict (409) with a Status whose causes name fields and managers, unless `force`;
/// Invalid (400) and Internal (500) with a Status in the words of the API server.
Result<json::Value> apply(
    const json::Value* live,
    const json::Value& config,
    const Schema& schema,
    const WriteContext& context,
    bool force
);

/// Brings metadata.managedFields of `after` up to date for a create (`before` is nullptr), update
/// or patch that turned `before` into `after`; both in the version of the request, defaults filled
/// in, before admission changes it. managedFields that the request itself set are taken as the API
/// server takes them.
void update_managed_fields(
    const json::Value* before, json::Value& after, const Schema& schema, const WriteContext& context
);

/// Where `after` differs from `before` in nothing but times of managedFields and resourceVersion,
/// gives it those of `before`; whether it did, that is whether the write changes nothing.
bool keep_times(const json::Value& before, json::Value& after);

/// Which fields a write of a kind or its subresource cannot set: those of a built-in kind, else of
/// a custom resource that has the subresource `status`.
ResetFields reset_fields_of(
    std::string_view group,
    std::string_view kind,
    std::string_view subresource,
    bool is_custom_with_status
);

}  // namespace sluice::apiserver
