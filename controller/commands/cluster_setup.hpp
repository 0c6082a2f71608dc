#pragma once

#include "apiserver/request.hpp"
#include "apiserver/resource_type.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string_view>
#include <vector>

namespace sluice::commands {

/// The namespace of Sluice's own objects in an embedded cluster.
inline constexpr const char* kEmbeddedNamespace = "kueue-system";

/// What a cluster has before a user comes: definitions, namespace, webhook configurations.
/// Errors: none that a user could mend.
Result<std::vector<json::Value>> setup_objects();

/// A Configuration of a controller that queues every kind of jobs and serves nothing; kinds that
/// the cluster has no definition of may come later.
json::Value make_configuration();
/// The feature gates that it needs.
inline constexpr const char* kEmbeddedFeatureGates =
    "SparkApplicationIntegration=true,VisibilityOnDemand=false";

/// The object itself, or the items of a List.
std::vector<json::Value> items_of(json::Value document);

/// The request that `kubectl apply --server-side --force-conflicts` makes of an object, in the
/// namespace `default` unless it names one. Errors: Invalid for a kind that is not there, or
/// without a name.
Result<apiserver::Request> make_apply_request(
    const apiserver::ResourceTable& types, const json::Value& object, std::string_view manager
);

/// What the API server's answer says. Errors: Invalid with the message of its Status.
Result<void> read_answer(const apiserver::Response& response);

}  // namespace sluice::commands
