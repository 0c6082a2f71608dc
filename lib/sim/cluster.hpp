#pragma once

#include "apiserver/api_server.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"
#include "sim/job_controller.hpp"
#include "sim/pod_life.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace sluice::sim {

/// Plays the cluster around an embedded API server: the Job controller, the scheduler of pods, and
/// the kubelets. It reads and writes the server's state itself, so that it is never behind.
/// Lifetime: the server must outlive it. Thread: the server's.
class SimulatedCluster {
  public:
    struct Options {
        Duration run_time = std::chrono::seconds(30);  ///< of pods that do not say how long
    };

    SimulatedCluster(apiserver::ApiServer& server, Options options);

    /// Creates a Node; one of that name is replaced.
    void add_node(const json::Value& node, Time now);
    /// Does what is due, until nothing is.
    void run(Time now);
    /// Whether something has changed that it has not looked at.
    bool has_work() const { return !jobs_.empty() || !pods_.empty() || must_schedule_; }
    /// When it has to look again, whatever happens.
    std::optional<Time> next_time() const;

  private:
    using Name = apiserver::ObjectName;

    void note(const apiserver::Collection& collection, const apiserver::LogEntry& entry);
    void take_due(Time now);
    void reconcile_one_job(const Name& name, Time now);
    void reconcile_one_pod(const Name& name, Time now);
    bool release_orphan(const json::Value& pod, Time now);
    void admit_nodes(Time now);
    void schedule(Time now);
    std::string find_node(
        const json::Value& pod,
        const Amounts& wanted,
        std::map<std::string, Amounts>& free,
        std::map<std::string, int>& reasons
    ) const;
    std::map<std::string, Amounts> free_room() const;
    void tell_unschedulable(const json::Value& pod, const std::string& message, Time now);
    bool perform(const Write& write, const json::Value& about, Time now);
    void tell(const json::Value& about, const Note& note, Time now);
    apiserver::Response request(
        std::string_view method,
        const std::string& path,
        const json::Value& body,
        Time now,
        std::string_view type = "application/json"
    );

    apiserver::ApiServer& server_;
    Options options_;
    std::set<Name> jobs_;  ///< to be looked at
    std::set<Name> pods_;
    bool must_schedule_ = false;
    std::map<Name, Time> jobs_again_;
    std::map<Name, Time> pods_again_;
    std::map<std::string, JobBackoff> backoffs_;  ///< by uid
    std::uint64_t events_ = 0;
};

}  // namespace sluice::sim
