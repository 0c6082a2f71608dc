#pragma once

#include "api/core/core.hpp"
#include "api/core/pod.hpp"
#include "api/kueue/workload.hpp"
#include "apiserver/state/state.hpp"
#include "apiserver/state/store.hpp"
#include "base/clock.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sluice::whole_system {

/// Compares the topologies that Workloads hold with the nodes, and the pods with the topologies.
/// Shares no code with the engine and the ungater. Lifetime: the state must outlive it, and nothing
/// is stored once it is gone.
class TopologyAccount {
  public:
    using Report = std::function<void(std::string)>;

    TopologyAccount(apiserver::State& state, std::function<Time()> now, Report report);

    /// A controller may have decided by what was so long ago.
    static constexpr Duration kOnItsWay = std::chrono::minutes(2);

    /// Ungated pods, and topologies that were assigned so far.
    std::uint64_t ungated() const { return ungated_; }
    std::uint64_t assigned() const { return assigned_; }

  private:
    /// By podSet and host: pods.
    using Assignment = std::map<std::pair<std::string, std::string>, std::int64_t>;
    struct Holder {
        Assignment assignment;
        api::Workload workload;
    };
    struct Former {
        Time until{};
        Assignment assignment;
    };
    using Amounts = std::map<std::string, api::Quantity>;

    void note(const apiserver::Collection& collection, const apiserver::LogEntry& entry);
    void note_workload(const apiserver::LogEntry& entry);
    void note_pod(const apiserver::LogEntry& entry);
    void note_node(const apiserver::LogEntry& entry);
    static Assignment assignment_of(const api::Workload& workload);
    void check_room(const std::string& host, const std::string& because);
    void check_ungated(const apiserver::ObjectName& name, const api::Pod& pod);
    std::int64_t pods_there(const std::string& ns, const api::Pod& like, const std::string& host)
        const;

    apiserver::State& state_;
    std::function<Time()> now_;
    Report report_;
    std::map<apiserver::ObjectName, Holder> held_;
    std::map<apiserver::ObjectName, std::deque<Former>> former_;
    /// The allocatable of each host with the end of its time; the last one has no end.
    std::map<std::string, std::deque<std::pair<Time, Amounts>>> rooms_;
    std::uint64_t ungated_ = 0;
    std::uint64_t assigned_ = 0;
};

}  // namespace sluice::whole_system
