// A simulated cluster around an embedded API server: controllers, scheduler and kubelets.
#pragma once

#include "apiserver/api_server.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"
#include "sim/api_writer.hpp"
#include "sim/controllers.hpp"
#include "sim/event_ages.hpp"
#include "sim/job/job_controller.hpp"
#include "sim/objects/pace.hpp"
#include "sim/pods/addresses.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sluice::sim {

/// Simulates the cluster around an embedded API server: the controllers of Kubernetes, the
/// scheduler, the kubelets, and the collector of pods whose node is gone. It reads and writes the
/// server's state directly, so that it is always up to date.
///
/// *Lifetime*: the server must outlive it. *Thread*: the server's.
class SimulatedCluster {
  public:
    /// Sends a request whose webhooks must be called, and calls back with the answer and its time,
    /// immediately or later.
    using Answered = std::function<void(const apiserver::Response&, Time)>;
    using Send = std::function<void(apiserver::Request, Answered)>;

    struct Options {
        Pace pace{};  ///< speed of pods, and of the delays and deadlines of Jobs
        Send send{};  ///< empty: webhooks are skipped
        /// How long the Job controller gathers changes of the pods of a Job before it handles them.
        /// The real controller waits for one second.
        Duration job_batch{};
        Controllers controllers = builtin_controllers();
    };

    SimulatedCluster(apiserver::ApiServer& server, Options options);

    /// Creates a Node; replaces a Node with the same name.
    void add_node(const json::Value& node, Time now);
    /// Does everything that is due, until nothing is left.
    void run(Time now);
    /// Does one round of run(). Changes that it causes and work for further pods are left for the
    /// next round, so that the caller can do other work between rounds.
    void run_round(Time now);
    /// Returns true if there are changes that it has not handled.
    bool has_work() const {
        return !objects_.empty() || !batched_.empty() || !pods_.empty() || !nodes_.empty() ||
               must_schedule_;
    }
    /// Returns the time at which it must run again even without changes; nullopt if it must not.
    std::optional<Time> next_time() const;

  private:
    using Name = apiserver::ObjectName;
    using Key = apiserver::State::Key;

    bool has_controller(const apiserver::Collection& collection) const;
    void note(const apiserver::Collection& collection, const apiserver::LogEntry& entry);
    /// Handles a node like its kubelet and the node controller.
    void look_at_node(const std::string& name, Time now);
    /// Makes a node not ready while its annotation `sluice.dev/ready` is "false", with the taints
    /// of the node controller. Returns true if it wrote something.
    bool follow_readiness(const json::Value& node, Time now);
    /// Gives a cordoned node the taint of the node controller, and takes it away. Returns true if
    /// it wrote something.
    bool follow_cordon(const json::Value& node, Time now);
    json::Value with_addresses_and_times(const json::Value& node, Time now);
    void note_job(const apiserver::LogEntry& entry);
    void note_owner(const json::Value& object);
    /// Queues the pods on a node, because a change of the node may change them.
    void note_pods_on(const std::string& node);
    /// Queues the pods of a deleted Job, which still have its finalizer.
    void note_pods_of(const std::string& uid, const std::string& ns);
    /// Returns the time at which a pod leaves its node because of taints; nullopt if it stays.
    std::optional<Time> find_leaving_time(
        const json::Value& pod, const std::string& uid, const json::Value& node, Time now
    );
    void note_pod(const apiserver::LogEntry& entry);
    void note_set(const apiserver::LogEntry& entry);
    void note_all(const apiserver::Collection& collection, const std::string& ns);
    bool settle_ownership(
        const Key& key,
        const json::Value& object,
        const std::vector<const json::Value*>& owned,
        Time now
    );
    void give_addresses(const json::Value& pod, Outcome& outcome);
    void report_failed_creation(const Key& key, const json::Value& object, Time now);
    void take_due(Time now);
    void look_once(Time now, std::size_t pods_max);
    void delay_batched(Time now);
    void reconcile_object(const Key& key, Time now);
    Outcome ask_controller(
        const Key& key,
        const json::Value& object,
        const std::vector<const json::Value*>& owned,
        Time now
    );
    json::Value find(
        std::string_view ns,
        std::string_view api_version,
        std::string_view kind,
        std::string_view name
    ) const;
    void reconcile_pod(const Name& name, Time now);
    bool release_orphan(const json::Value& pod, Time now);
    void perform(
        const Key& key, const apiserver::Snapshot& object, const Outcome& outcome, Time now
    );
    void send(const Key& key, const apiserver::Snapshot& object, const Write& write);
    void schedule(Time now);
    void bind(const json::Value& pod, const std::string& node, Time now);
    void report_unschedulable(const json::Value& pod, const std::string& message, Time now);

    apiserver::ApiServer& server_;
    ApiWriter writer_;
    Options options_;
    std::set<Key> objects_;  ///< objects to reconcile
    std::set<Key> batched_;  ///< Jobs to reconcile after a delay
    std::set<Name> pods_;
    std::set<Name> orphans_;    ///< pods without a controller
    std::set<Name> free_sets_;  ///< ReplicaSets without a controller
    AddressPool pod_addresses_{"10.244"};
    AddressPool node_addresses_{"192.168"};
    EventAges event_ages_;
    std::set<std::string> nodes_;
    bool must_schedule_ = false;
    std::map<Key, Time> again_;
    std::map<Key, int> sent_;  ///< number of unanswered requests; their object waits
    std::map<std::string, JobBackoff> backoffs_;  ///< by uid
    /// Times when the containers of pods last started or ended, by uid of the pod. Times in the
    /// status have only whole seconds.
    std::map<std::string, Time> started_;
    /// Times since when pods are on nodes with NoExecute taints, by uid of the pod.
    std::map<std::string, Time> tainted_;
};

}  // namespace sluice::sim
