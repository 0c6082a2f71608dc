#pragma once

#include "apiserver/state/state.hpp"
#include "apiserver/state/store.hpp"
#include "base/clock.hpp"
#include "whole_system/quota_ledger.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::whole_system {

/// Compares the requests of the pods on the nodes with the quota that Workloads hold. Every pod of
/// the cluster has to be managed. The flavor of a pod is the label `pool` of its node; a pod
/// without gates and without node counts for the sum over all flavors. Lifetime: the state must
/// outlive it, and nothing is stored once it is gone.
class PodAccount {
  public:
    PodAccount(apiserver::State& state, std::function<Time()> now);

    /// Allows that something is used beyond quota for so long without interruption.
    void set_grace(Duration grace) { grace_ = grace; }
    /// Reports what lasts for longer by now; what ended in between was reported then.
    void check();
    /// Returns the pods on nodes of the flavor ("": all pods), and what each Workload holds.
    std::string describe(const std::string& flavor) const;
    /// Returns what the Workloads hold; flavor "": over all flavors.
    Amounts held() const;
    /// Returns the longest time that something was used beyond quota so far.
    Duration longest_excess() const { return longest_; }
    const std::vector<std::string>& problems() const { return problems_; }

  private:
    /// A pod that runs, or that the scheduler may bind at any time.
    struct RunningPod {
        std::string flavor;  ///< "": it is not bound yet
        std::map<std::string, api::Quantity> requests;
    };
    struct Excess {
        Time since{};
        std::string text;  ///< both sums, and the pods
        bool is_reported = false;
    };

    void note(const apiserver::Collection& collection, const apiserver::LogEntry& entry);
    std::optional<RunningPod> read_running(const apiserver::LogEntry& entry) const;
    void compare();
    void report(Excess& excess);

    apiserver::State& state_;
    std::function<Time()> now_;
    std::map<apiserver::ObjectName, RunningPod> running_;
    std::map<apiserver::ObjectName, Holding> held_;
    std::map<FlavorResource, Excess> excesses_;  ///< flavor "": over all flavors
    Duration grace_{};
    Duration longest_{};
    std::vector<std::string> problems_;
};

}  // namespace sluice::whole_system
