// Objects and configuration that an embedded cluster starts with, and requests that apply objects.
#pragma once

#include "apiserver/types/request.hpp"
#include "apiserver/types/resource_type.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::commands {

/// The namespace of Sluice's own objects in an embedded cluster.
inline constexpr const char* kEmbeddedNamespace = "kueue-system";

/// The service account from examples/deploy that the controller of an embedded cluster uses. It has
/// the same rights as in production, and its writes bypass the webhooks.
inline constexpr const char* kEmbeddedAccount =
    "system:serviceaccount:kueue-system:sluice-controller-manager";

/// Returns the objects that exist before the user creates any: CRDs, the controller's namespace,
/// service account and rights, webhook configurations, and the policy on tenants' writes. If the
/// configuration sets `manageJobsWithoutQueueName`, the webhooks are the ones that the chart
/// renders for it. Errors: a built-in manifest is not valid YAML, which a user cannot fix.
Result<std::vector<json::Value>> setup_objects(const json::Value& configuration);

/// Returns the Configuration of a controller that queues all kinds of jobs and serves no health,
/// metrics or visibility endpoint. A kind whose CRD is missing is queued once the CRD exists.
json::Value make_configuration();
/// Returns the Configuration in the user's file (an empty one if `file` is empty), with the values
/// that an embedded cluster needs and the feature gates of a command line
/// (`Name=true,Other=false`). Errors: Invalid, naming the file or `--feature-gates`, if `sluice
/// controller` would not start with them, or if both set gates.
Result<json::Value> read_configuration(const std::string& file, const std::string& feature_gates);

/// Returns the object with the annotation that `kubectl apply` compares a later manifest with;
/// without the annotation if the object is too large for it.
json::Value with_last_applied(const apiserver::ResourceTable& types, json::Value object);

/// Returns the request that `kubectl apply --server-side --force-conflicts` sends for an object or,
/// if the object has a generateName instead of a name, the request of `kubectl create`. An object
/// without a namespace goes into `default`. Errors: Invalid if the server does not know the kind,
/// or if the object has neither a name nor a generateName.
Result<apiserver::Request> make_apply_request(
    const apiserver::ResourceTable& types, const json::Value& object, std::string_view manager
);

/// Returns `namespace/name`, or only the name if the kind is cluster-scoped.
std::string full_name(const apiserver::ResourceTable& types, const json::Value& object);

/// Returns success or failure of a response. Errors: Invalid, with the message of the Status in the
/// response.
Result<void> read_answer(const apiserver::Response& response);

}  // namespace sluice::commands
