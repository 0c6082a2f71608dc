#pragma once

#include "apiserver/state/store.hpp"
#include "controller/commands/cluster/virtual_cluster.hpp"
#include "json/value.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sluice::whole_system {

inline constexpr const char* kPodsPath = "/api/v1/namespaces/team/pods";
inline constexpr const char* kKueuePath = "/apis/kueue.x-k8s.io/v1beta2/";

/// Requests as kubectl makes them. Each returns the status of the answer.
class UserClient {
  public:
    using Writes = std::function<void(std::string name)>;

    /// Calls `writes` with the name of the object before each request and with "" after it.
    /// Lifetime: the cluster outlives it.
    explicit UserClient(commands::VirtualCluster& cluster, Writes writes = {})
        : cluster_(cluster), writes_(std::move(writes)) {}

    /// Makes the following requests in the name of this user, with the rights of the user's roles,
    /// instead of the administrator's.
    void set_user(std::string user) { user_ = std::move(user); }

    int send(std::string method, std::string path, const json::Value* body);
    int create(const std::string& path, const json::Value& object);
    /// A merge patch, in which ' stands for ".
    int merge(const std::string& path, const std::string& text);
    int patch(const std::string& path, const json::Value& merge_patch);
    int remove(const std::string& path, const std::string& propagation = "Background");
    /// Returns the names of all objects of a collection.
    std::vector<std::string> names(const apiserver::Collection& collection) const;

  private:
    commands::VirtualCluster& cluster_;
    Writes writes_;
    std::string user_;
};

}  // namespace sluice::whole_system
