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
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

/// Writes what a cycle decided into the Workloads, and tells the engine how that went. Decisions
/// never wait for the API server: the engine assumes them, and a refused write becomes an event
/// that takes them back. Reasons for waiting are written while the sink has room; of those that
/// have to wait for it each Workload keeps the latest.
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
    };

    explicit DecisionApplier(const Parts& parts) : parts_(parts) {}

    /// Takes the decisions of one cycle. Requires: no event was applied since the cycle.
    void apply(const engine::CycleResult& result);
    /// The store has a new echo of the Workload, or it is gone: settles what was assumed, and sends
    /// what waited for it.
    void workload_changed(const std::string& ns, const std::string& name);
    /// Sends reasons that waited for room, in turns, as long as the sink has some. False: some
    /// still wait.
    bool send_waiting();
    /// When a reason that the server did not take is tried again; none: there is none.
    std::optional<Instant> next_attempt() const;
    /// Whether workloads hold quota of the ClusterQueue in the engine's account, or an admission
    /// into it is on its way. Cost: in proportion to what is outstanding.
    bool has_holders(const std::string& cluster_queue) const;
    /// How many decisions are not yet seen in the store.
    std::size_t outstanding() const { return entries_.size(); }

  private:
    struct Admission {
        std::string uid;
        std::int64_t generation = 0;  ///< of the spec that was decided on
        api::Admission admission;
        std::string considered;  ///< the flavors that it passed over, for the event
        bool sent = false;
        bool written = false;  ///< accepted, its echo not yet seen
    };
    struct Eviction {
        std::string uid;
        std::string reason;   ///< of condition Preempted
        std::string message;  ///< of Preempted and Evicted
        std::string tail;     ///< of the events that name the priorities
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
        bool blocked_on_gates = false;  ///< of preemption
        bool is_of_class = false;       ///< an equivalent workload was tried, not this one
    };
    /// Why a scheduling class is parked.
    struct Parked {
        std::string reason;
        std::string message;
        bool has_untold = true;  ///< a workload of it may be parked unseen and know no reason
    };
    /// What is to be written into one Workload.
    struct Entry {
        std::optional<Admission> admission;
        std::optional<Eviction> eviction;
        std::optional<Refusal> refusal;      ///< the latest that is not sent
        bool refusal_sent = false;           ///< an earlier one is on its way
        std::uint32_t refusal_failures = 0;  ///< in a row
        Instant refusal_not_before{};
        std::string refused_version;  ///< of the object, that is not the server's any more
    };
    using Key = kube::NamespacedName;

    void take_admission(const engine::AdmissionDecision& decision);
    void take_preemption(const engine::PreemptionDecision& decision);
    void take_refusal(const engine::RefusalDecision& decision);
    /// Whether the object, its spec or the ClusterQueue is not there any more as it was decided on.
    bool is_outdated(const Admission& admission, const api::Workload* workload) const;
    /// Sends the next thing for the Workload if nothing of ours is on its way to it.
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
    void settle(const Key& key);
    /// A workload that is parked unseen, because an equivalent one did not fit, is told what that
    /// one was.
    void tell_parked(const Key& key);
    void tell_parked_class(const engine::RefusalDecision& decision);
    /// It is in a queue of the engine: a reason from its last attempt still holds.
    bool is_waiting(const api::Workload& workload) const;
    bool is_untold(const api::Workload& workload) const;
    void forget_if_done(const Key& key);
    /// The admission of the entry, or nullptr.
    Admission* find_admission(const Key& key);

    Parts parts_;
    std::map<Key, Entry> entries_;
    std::vector<Key> touched_;  ///< entries that the present cycle made
    std::set<Key> waiting_;     ///< entries whose refusal found no room
    Key last_sent_;             ///< whose turn it was last
    std::set<std::pair<Instant, Key>>
        later_;  ///< entries whose refusal failed, by the next attempt
    std::map<std::pair<std::string, std::uint64_t>, Parked> parked_;  ///< by queue and class
};

}  // namespace sluice::controller
