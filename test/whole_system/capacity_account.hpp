#pragma once

#include "api/core/core.hpp"
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

namespace sluice::whole_system {

/// Compares what holders need with what the nodes of their flavors have, where flavors enforce
/// capacity. A flavor has the nodes with its name as label `pool`. Shares no code with the engine.
/// Lifetime: the state must outlive it, and nothing is stored once it is gone.
class CapacityAccount {
  public:
    using Report = std::function<void(std::string)>;

    CapacityAccount(apiserver::State& state, std::function<Time()> now, Report report);

    /// A controller may have decided by what was so long ago.
    static constexpr Duration kOnItsWay = std::chrono::minutes(2);

  private:
    using Amounts = std::map<std::string, api::Quantity>;
    /// The pods that need room in a flavor, and what they request together.
    using Needs = std::map<std::string, Amounts>;

    void note(const apiserver::Collection& collection, const apiserver::LogEntry& entry);
    void note_workload(const apiserver::LogEntry& entry);
    void note_node(const apiserver::Snapshot& before, const apiserver::Snapshot& after);
    static Needs needs_of(const api::Workload& workload);
    void check(const std::string& flavor, const std::string& because);

    apiserver::State& state_;
    std::function<Time()> now_;
    Report report_;
    std::map<apiserver::ObjectName, Needs> held_;
    /// The allocatable of all nodes of each flavor with the end of its time; the last one has no
    /// end.
    std::map<std::string, std::deque<std::pair<Time, Amounts>>> rooms_;
};

}  // namespace sluice::whole_system
