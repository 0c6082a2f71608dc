#pragma once

#include "base/prng.hpp"
#include "engine/random_clusters.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace sluice::reference {

/// Makes one case; every choice comes from the seed.
class Maker {
  public:
    explicit Maker(std::uint64_t seed) : prng_(seed) { result_.seed = seed; }

    Case run();

  private:
    void make_options();
    void make_flavors();
    void make_layout();
    std::vector<engine::ResourceGroup> layout(std::vector<std::string> first);
    void make_cohorts();
    void make_queues();
    void make_workloads();
    void happen();
    void happen_to_objects();
    void happen_to_workloads();

    engine::ResourceQuota quota(bool limits, bool is_queue);
    std::vector<engine::ResourceGroup> groups(bool limits, bool is_queue);
    engine::Amount quota_amount();
    engine::ClusterQueue queue(const std::string& name);
    engine::LocalQueue local_queue(const std::string& cluster_queue);
    void change_queue(engine::ClusterQueue& changed);
    void reorder(std::vector<engine::ResourceGroup>& groups);
    engine::Cohort cohort(const std::string& name);
    engine::PodShape shape(std::uint32_t id);
    engine::ResourceFlavor flavor(const std::string& name);
    std::int64_t amount();
    std::int64_t near_largest();
    engine::PodSet pod_set(std::size_t index);
    engine::Workload workload();
    engine::Workload next_workload();
    void make_slice(engine::Workload& made);
    void change_pod_sets(engine::Workload& slice);
    Step submission();
    engine::QuotaReservation reservation(const engine::Workload& holder);

    static constexpr std::int64_t kSecond = 1'000'000'000;

    std::int64_t pick(std::int64_t low, std::int64_t high) { return prng_.between(low, high); }
    bool chance(unsigned percent) { return prng_.chance(percent); }
    template <class T>
    const T& one_of(const std::vector<T>& from) {
        return from[prng_.below(from.size())];
    }
    const std::string& any_workload() { return one_of(workload_keys_); }
    /// Seconds, now and then with halves.
    engine::Duration seconds(std::int64_t low, std::int64_t high) {
        return engine::Duration(pick(low, high) * kSecond + (chance(20) ? kSecond / 2 : 0));
    }
    void add(
        Step::Kind kind, std::string target = "", std::int64_t number = 0, std::string other = ""
    ) {
        result_.steps.push_back({kind, std::move(target), std::move(other), number, std::nullopt});
    }
    void add_changed(engine::ClusterQueue& queue) {
        ++queue.generation;
        add_object(engine::ClusterQueueChanged{queue});
    }
    void add_object(engine::Event event) {
        result_.steps.push_back({Step::Kind::Object, "", "", 0, std::move(event)});
    }

    Prng prng_;
    Case result_;
    std::vector<std::string> flavors_;
    std::vector<engine::ResourceGroup> layout_;        // names only
    std::vector<engine::ResourceGroup> other_layout_;  // of few queues
    std::vector<engine::Cohort> cohorts_;
    std::vector<std::string> cohort_names_;
    std::vector<engine::ClusterQueue> queues_;
    std::vector<engine::LocalQueue> local_queues_;
    std::uint32_t shapes_ = 0;
    bool has_topologies_ = false;
    std::vector<std::string> workload_keys_;
    std::int64_t quota_max_ = 8;
    bool unlimited_ = false;
    bool saturated_ = false;  // amounts near the largest
    bool large_ = false;
    bool classes_ = true;
    std::uint32_t slices_ = 0;  // of a hundred workloads
    std::vector<engine::Workload> made_;
};

}  // namespace sluice::reference
