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

/// The account of examples/deploy, in whose name the controller of an embedded cluster acts: it has
/// the rights of production, and the webhooks are not asked about its writes.
inline constexpr const char* kEmbeddedAccount =
    "system:serviceaccount:kueue-system:sluice-controller-manager";

/// Returns the objects of a cluster before a user comes: definitions, the controller's namespace,
/// account and rights, webhook configurations, the policy on tenants' writes. With
/// `manageJobsWithoutQueueName` in the configuration the webhooks are those that the chart renders
/// for it. Errors: none that a user could mend.
Result<std::vector<json::Value>> setup_objects(const json::Value& configuration);

/// A Configuration of a controller that queues every kind of jobs and serves nothing; kinds that
/// the cluster has no definition of may come later.
json::Value make_configuration();
/// That of the user's file ("": none) with what an embedded cluster needs, and with the feature
/// gates of a command line (`Name=true,Other=false`). Errors: Invalid for a file that cannot be
/// read, for gates that cannot, and for gates in both.
Result<json::Value> read_configuration(const std::string& file, const std::string& feature_gates);

/// The object with the annotation that `kubectl apply` compares a later manifest with; without it
/// where the object is large.
json::Value with_last_applied(const apiserver::ResourceTable& types, json::Value object);

/// The request that `kubectl apply --server-side --force-conflicts` makes of an object or, where it
/// has a generateName instead of a name, `kubectl create`; in the namespace `default` unless it
/// names one. Errors: Invalid for a kind that is not there, or without any name.
Result<apiserver::Request> make_apply_request(
    const apiserver::ResourceTable& types, const json::Value& object, std::string_view manager
);

/// How people name the object: `namespace/name`, or the name alone of a kind of cluster scope.
std::string full_name(const apiserver::ResourceTable& types, const json::Value& object);

/// What the API server's answer says. Errors: Invalid with the message of its Status.
Result<void> read_answer(const apiserver::Response& response);

}  // namespace sluice::commands
