// Writes the scheduler's decisions to the API server and reports the results to the engine.
#pragma once

#include "base/clock.hpp"
#include "controller/reconcile/settings.hpp"
#include "controller/reconcile/stores.hpp"
#include "controller/reconcile/write_sink.hpp"
#include "controller/scheduler/state_feeder.hpp"
#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"
#include "workload/translation/translator.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

/// Writes the decisions of a cycle into the Workloads, and reports the results to the engine.
/// Decisions never wait for the API server: the engine assumes them, and a refused write becomes an
/// event that takes them back. Reasons for waiting are written while the sink has room; while they
/// wait for room, only the latest reason of each Workload is kept.
class DecisionApplier {
  public:
    struct Parts {
        const Stores& stores;
        const Settings& settings;
        const workload::Translator& translator;
        const engine::State& state;
        StateFeeder& feeder;
        WriteSink& sink;
        const Clock& clock;
        std::function<void(const EventNote&)> on_event;  ///< events that no write carries
    };

    explicit DecisionApplier(Parts parts) : parts_(std::move(parts)) {}

    /// Starts to write the decisions of one cycle. Requires: no event was applied since the cycle.
    void apply(const engine::CycleResult& result);
    /// The store has a new echo of the Workload, or the Workload is gone: reports an admission that
    /// the store now shows, and sends writes that waited for the echo.
    void workload_changed(const std::string& ns, const std::string& name);
    /// Sends reasons that waited for room, each Workload in turn, while the sink has room. Returns
    /// false if some still wait.
    bool send_waiting();
    /// Returns when a reason is written again after a failure; nullopt if no write has failed.
    std::optional<Instant> next_attempt() const;
    /// Returns true if workloads hold quota of the ClusterQueue in the engine's account, or if an
    /// admission into it is being written. Cost: proportional to the number of outstanding
    /// decisions.
    bool has_holders(const std::string& cluster_queue) const;
    /// Returns how many Workloads have decisions that the store does not show yet.
    std::size_t outstanding() const { return entries_.size(); }

  private:
    struct Admission {
        std::string uid;
        std::int64_t generation = 0;  ///< of the spec for which the decision was made
        api::Admission admission;
        std::string considered;       ///< the flavors that were passed over, for the event
        bool is_second_pass = false;  ///< its workload held the quota before
        std::vector<std::string> replaced_nodes;  ///< unhealthy nodes that the second pass saw
        bool sent = false;
        bool written = false;  ///< accepted, but the store does not show it yet
    };
    struct Eviction {
        std::string uid;
        bool is_preemption = true;  ///< false: for a failed node
        std::string reason;         ///< of condition Preempted; of Evicted otherwise
        std::string message;        ///< of Preempted and Evicted
        std::string tail;           ///< of the events that name the priorities
        std::string preemptor_ns;
        std::string preemptor_name;
        std::string cluster_queue;  ///< of the victim
        std::string preemptor_cluster_queue;
        bool sent = false;
    };
    struct Refusal {
        std::string uid;
        std::string reason;
        std::string message;
        bool blocked_on_gates = false;  ///< preemption gates block the workload
        bool is_of_class = false;       ///< an equivalent workload was tried, not this one
    };
    /// The reason for which a scheduling class is parked.
    struct Parked {
        std::string reason;
        std::string message;
        bool has_unreported = true;  ///< a workload of the class may be parked without a reason
    };
    /// The decisions to write into one Workload.
    struct Entry {
        std::optional<Admission> admission;
        std::optional<Eviction> eviction;
        std::optional<Refusal> refusal;      ///< the latest refusal that is not sent
        bool refusal_sent = false;           ///< an earlier refusal is being written
        std::uint32_t refusal_failures = 0;  ///< failed writes in a row
        Instant refusal_not_before{};
        std::string refused_version;  ///< resourceVersion that the server refused as outdated
    };
    using Key = kube::NamespacedName;

    void take_admission(const engine::AdmissionDecision& decision);
    void take_preemption(const engine::PreemptionDecision& decision);
    void take_second_pass(const engine::SecondPassDecision& decision);
    /// Reports why a second pass has found no topology.
    void report_failed_pass(
        const engine::SecondPassDecision& decision, const api::Workload& workload
    ) const;
    void take_refusal(const engine::RefusalDecision& decision);
    /// Adds the events and the count of a preemption to its write.
    void note_preemption(
        const Key& key, const Eviction& eviction, const api::Workload& workload, Write& write
    ) const;
    /// Forgets an admission that is not written, and an eviction that would have undone it.
    static void forget_admission(Entry& entry, bool is_object_gone);
    /// Returns true if the decision no longer applies: the Workload is gone or has another spec, or
    /// the ClusterQueue is gone or is being deleted. A second pass needs a Workload with quota.
    bool is_outdated(const Admission& admission, const api::Workload* workload) const;
    /// Sends the next decision for the Workload if no write of an earlier one is under way.
    void send(const Key& key);
    void send_admission(const Key& key, Admission& admission, const api::Workload& workload);
    void send_eviction(const Key& key, Eviction& eviction, const api::Workload& workload);
    void send_refusal(const Key& key, const Refusal& refusal, const api::Workload& workload);
    void refusal_ended(
        const Key& key,
        const Refusal& refusal,
        const std::string& version,
        const Result<void>& result
    );
    void admission_ended(const Key& key, const std::string& uid, const Result<void>& result);
    /// Reports the admission as written once the store shows it.
    void settle(const Key& key);
    /// Gives a reason to a workload that was parked without an attempt: that of the equivalent
    /// workload which did not fit.
    void report_parked(const Key& key);
    /// Calls report_parked() for the other inadmissible workloads of the decision's class.
    void report_parked_class(const engine::RefusalDecision& decision);
    /// Returns true if the workload is in a queue of the engine, so that a reason from its last
    /// attempt still applies.
    bool is_waiting(const api::Workload& workload) const;
    /// Returns true if the workload may be queued and shows no reason for waiting yet.
    bool is_unreported(const api::Workload& workload) const;
    void forget_if_done(const Key& key);
    /// Returns the admission of the entry, or nullptr.
    Admission* find_admission(const Key& key);

    Parts parts_;
    std::map<Key, Entry> entries_;
    std::vector<Key> touched_;  ///< entries that the present cycle created or changed
    std::set<Key> waiting_;     ///< entries whose refusal found no room
    Key last_sent_;             ///< the entry in `waiting_` that was sent last
    std::set<std::pair<Instant, Key>>
        later_;  ///< entries whose refusal failed, by the time of the next attempt
    std::map<std::pair<std::string, std::uint64_t>, Parked> parked_;  ///< by queue and class
};

}  // namespace sluice::controller
