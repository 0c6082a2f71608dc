#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/cohort.hpp"
#include "api/kueue/workload.hpp"
#include "api/meta/quantity.hpp"
#include "apiserver/state/store.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::whole_system {

/// Flavor and resource.
using FlavorResource = std::pair<std::string, std::string>;
using Amounts = std::map<FlavorResource, api::Quantity>;

/// What a Workload holds of its ClusterQueue's quota, by its own status; none: nothing.
struct Holding {
    std::string cluster_queue;
    Amounts amounts;

    friend bool operator==(const Holding&, const Holding&) = default;
};
std::optional<Holding> holding_of(const api::Workload& workload);

/// Whose quota there is, by name.
struct Quotas {
    std::map<std::string, api::ClusterQueue> queues;
    std::map<std::string, api::Cohort> cohorts;
};

/// An account of quota that shares nothing with the engine: it is kept from what the API server
/// stores, and computes what KEP-79 says of cohorts that have a parent: nobody's usage beyond what
/// it does not lend may exceed what its cohort has, at each level.
class QuotaLedger {
  public:
    void put(const api::ClusterQueue& queue) { quotas_.queues[queue.metadata.name] = queue; }
    void put(const api::Cohort& cohort) { quotas_.cohorts[cohort.metadata.name] = cohort; }
    void remove_queue(const std::string& name) { quotas_.queues.erase(name); }
    void remove_cohort(const std::string& name) { quotas_.cohorts.erase(name); }
    /// none: it holds nothing any more.
    void hold(const apiserver::ObjectName& workload, std::optional<Holding> holding);

    const api::ClusterQueue* find_queue(const std::string& name) const;
    const api::Cohort* find_cohort(const std::string& name) const;
    const Quotas& quotas() const { return quotas_; }
    /// The same holdings under other quotas.
    QuotaLedger with(Quotas quotas) const;
    const std::map<apiserver::ObjectName, Holding>& holdings() const { return holdings_; }

    /// What is used beyond its limit where the holding counts, or "".
    std::string find_excess(const Holding& holding) const;
    /// Whether so much more would exceed no limit.
    bool has_room(const Holding& more) const;
    /// Whether it would if nobody held anything.
    bool could_have_room(const Holding& more) const;

  private:
    /// A ClusterQueue or Cohort, for one flavor and resource.
    struct Node {
        std::string name;
        std::string parent;
        api::Quantity nominal;
        std::optional<api::Quantity> borrowing_limit{};
        std::optional<api::Quantity> lending_limit{};
    };
    struct Level {
        std::string name;
        api::Quantity used;
        api::Quantity limit;
    };

    static Node make_node(
        std::string name,
        std::string parent,
        const std::vector<api::ResourceGroup>& groups,
        const FlavorResource& of
    );
    Node queue_node(const std::string& name, const FlavorResource& of) const;
    Node cohort_node(const std::string& name, const FlavorResource& of) const;
    std::vector<Node> children_of(const std::string& cohort, const FlavorResource& of) const;
    bool is_queue(const std::string& name) const { return quotas_.queues.contains(name); }
    api::Quantity quota_below(const Node& node, const FlavorResource& of, int depth) const;
    api::Quantity kept(const Node& node, const FlavorResource& of, int depth) const;
    api::Quantity used_below(const Node& node, const FlavorResource& of, int depth) const;
    /// The levels at which the queue's usage counts, from itself upwards.
    std::vector<Level> levels(const std::string& queue, const FlavorResource& of) const;

    Quotas quotas_;
    std::map<apiserver::ObjectName, Holding> holdings_;
};

}  // namespace sluice::whole_system
