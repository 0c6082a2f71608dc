#pragma once

#include "base/prng.hpp"
#include "controller/commands/cluster/virtual_cluster.hpp"
#include "json/value.hpp"
#include "whole_system/user_client.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::whole_system {

/// Somebody with the ClusterRole `edit` and Kueue's user roles in namespace `team`, who wants more
/// than the quota. Each action is a request that these roles allow, by a seed: no status, no
/// binding, nothing outside the namespace. A refusal is the point of some, and no problem.
class HostileTenant {
  public:
    /// Lifetime: all outlive it.
    HostileTenant(
        commands::VirtualCluster& cluster, const std::vector<std::string>& queues, Prng& prng
    )
        : cluster_(cluster), client_(cluster), queues_(queues), prng_(prng) {
        client_.set_user("tenant");
    }

    /// Does something and returns what it was.
    std::string act();
    /// Takes the tenant's own finalizers off, which hold a deletion back as they should.
    void drop_own_finalizers();
    std::uint64_t objects() const { return objects_; }

  private:
    /// A kind that the tenant may write.
    struct Kind {
        apiserver::Collection collection;
        std::string path;
    };
    struct Target {
        const Kind* kind = nullptr;
        std::string name;
        json::Value object;
        std::string path() const { return kind->path + "/" + name; }
    };
    static const std::vector<Kind>& kinds();

    std::string create();
    json::Value job();
    json::Value job_set();
    json::Value pytorch_job();
    json::Value pod();
    json::Value deployment();
    json::Value stateful_set();
    json::Value workload();
    std::string create_group();
    std::string edit();
    std::string scale();
    std::string resize();
    std::string remove();

    json::Value spec_patch(const Target& target);
    json::Value metadata_patch();
    /// Makes labels, annotations and, now and then, an owner for a new object.
    std::string metadata();
    std::string labels(int max);
    std::string annotations(int max);
    std::string owners();
    std::string finalizers();
    std::string value_of(char what);
    std::string pod_spec();
    std::string pod_template();
    std::string any_metadatum(bool is_label, bool may_remove);

    std::optional<Target> any_target();
    std::optional<Target> any_of(const Kind& kind);
    const std::string& any_queue() { return queues_[prng_.below(queues_.size())]; }

    commands::VirtualCluster& cluster_;
    UserClient client_;
    const std::vector<std::string>& queues_;
    Prng& prng_;
    std::uint64_t objects_ = 0;
};

}  // namespace sluice::whole_system
