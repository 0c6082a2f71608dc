#pragma once

#include "apiserver/api_server.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"
#include "sim/api_writer.hpp"
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

/// Plays the cluster around an embedded API server: the controllers of Kubernetes, the scheduler of
/// pods, the kubelets, and the collector of pods whose node is gone. It reads and writes the
/// server's state itself, so that it is never behind.
/// Lifetime: the server must outlive it. Thread: the server's.
class SimulatedCluster {
  public:
    /// Sends a request whose webhooks are to be asked, and calls back with the answer at its time,
    /// at once or later.
    using Answered = std::function<void(const apiserver::Response&, Time)>;
    using Send = std::function<void(apiserver::Request, Answered)>;

    struct Options {
        Pace pace{};  ///< of pods, and of the delays and deadlines of Jobs
        Send send{};  ///< none: webhooks are passed over
        /// So long the Job controller gathers what happens to the pods of a Job before it looks at
        /// them. The real one does so for a second.
        Duration job_batch{};
    };

    SimulatedCluster(apiserver::ApiServer& server, Options options);

    /// Creates a Node; one of that name is replaced.
    void add_node(const json::Value& node, Time now);
    /// Does what is due, until nothing is.
    void run(Time now);
    /// One round of that: what it makes others do, and what is to do for further pods, is left for
    /// the next one, so that the caller may do something else between them.
    void run_round(Time now);
    /// Whether something has changed that it has not looked at.
    bool has_work() const {
        return !objects_.empty() || !batched_.empty() || !pods_.empty() || !nodes_.empty() ||
               must_schedule_;
    }
    /// When it has to look again, whatever happens.
    std::optional<Time> next_time() const;

  private:
    using Name = apiserver::ObjectName;
    using Key = apiserver::State::Key;

    void note(const apiserver::Collection& collection, const apiserver::LogEntry& entry);
    /// As its kubelet and the node controller do.
    void look_at_node(const std::string& name, Time now);
    json::Value with_addresses_and_times(const json::Value& node, Time now);
    void note_job(const apiserver::LogEntry& entry);
    void note_owner(const json::Value& object);
    /// What its pods do next may be another thing.
    void note_pods_on(const std::string& node);
    /// The pods of a Job that is gone, which still have its finalizer.
    void note_pods_of(const std::string& uid, const std::string& ns);
    /// When a pod leaves its node for taints; none: it stays.
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
    void tell_failed_creation(const Key& key, const json::Value& object, Time now);
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
    void tell_unschedulable(const json::Value& pod, const std::string& message, Time now);

    apiserver::ApiServer& server_;
    ApiWriter writer_;
    Options options_;
    std::set<Key> objects_;  ///< that have a controller, to be looked at
    std::set<Key> batched_;  ///< the same, but not at once
    std::set<Name> pods_;
    std::set<Name> orphans_;    ///< pods that nobody controls
    std::set<Name> free_sets_;  ///< ReplicaSets that nobody controls
    AddressPool pod_addresses_{"10.244"};
    AddressPool node_addresses_{"192.168"};
    EventAges event_ages_;
    std::set<std::string> nodes_;
    bool must_schedule_ = false;
    std::map<Key, Time> again_;
    std::map<Key, int> sent_;  ///< requests that have no answer yet; their object waits
    std::map<std::string, JobBackoff> backoffs_;  ///< by uid
    /// When pods were started or ended last, by uid, where whole seconds are too coarse.
    std::map<std::string, Time> started_;
    /// Since when pods, by uid, are on nodes with taints that evict.
    std::map<std::string, Time> tainted_;
};

}  // namespace sluice::sim
