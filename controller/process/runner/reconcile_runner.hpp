#pragma once

#include "base/clock.hpp"
#include "base/clock_steps.hpp"
#include "base/log.hpp"
#include "controller/kinds/registry.hpp"
#include "controller/process/runner/failing_objects.hpp"
#include "controller/process/runner/recreations.hpp"
#include "controller/process/runner/settlement_waits.hpp"
#include "controller/reconcile/view.hpp"
#include "controller/reconcile/write_sink.hpp"
#include "kube/runtime/work_queue.hpp"
#include "metrics/distribution.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::controller {

/// Reconciles objects: takes them from a work queue, asks their reconciler,
/// and gives the writes to the sink. One that cannot be read is left as it is. An object is not
/// reconciled again before its writes were answered and seen.
class ReconcileRunner {
  public:
    struct Parts {
        const Registry& registry;
        View view;
        WriteSink& sink;
        const Clock& clock;
        std::set<Kind> enabled;  ///< kinds whose reconciler runs
        std::function<void(const EventNote&)> on_event;
        /// The engine's weighted share of a ClusterQueue or Cohort; none without fair sharing.
        std::function<std::optional<std::int64_t>(const ObjectKey&)> weighted_share;
        /// Whether workloads hold quota of the ClusterQueue, or are about to.
        std::function<bool(const std::string& cluster_queue)> has_holders;
        /// What a LocalQueue has consumed; none without admission fair sharing.
        std::function<std::optional<api::AdmissionFairSharingStatus>(const ObjectKey&)> consumed;
        /// Called when step() has something to do again.
        std::function<void()> wake;
    };

    /// What was done with the objects of one kind since the start.
    struct Work {
        Work();

        std::uint64_t waiting = 0;  ///< now
        std::uint64_t taken = 0;    ///< reconciles
        std::uint64_t succeeded = 0;
        std::uint64_t postponed = 0;  ///< nothing to write, to be reconciled again at its time
        std::uint64_t failed = 0;
        std::uint64_t failing = 0;  ///< objects now whose failures go on
        /// Seconds. A reconcile takes from when the object is taken until all its writes are
        /// answered; before, the object waits in the queue.
        metrics::Distribution wait_times;
        metrics::Distribution reconcile_times;
        metrics::Distribution work_times;  ///< the same, by other bounds
        // Of those under way now.
        std::uint64_t under_way = 0;
        Duration unfinished{};  ///< all together
        Duration longest{};
    };

    ReconcileRunner(Parts parts, std::uint64_t seed);

    /// For metrics: by the controller's name there, for those that run. Cost: in proportion to what
    /// waits.
    std::map<std::string, Work> work() const;

    /// Reconciles one more kind.
    void enable(Kind kind) { parts_.enabled.insert(kind); }
    /// Reconciles a kind no more; what waits of it is dropped when its turn comes.
    void disable(Kind kind) { parts_.enabled.erase(kind); }
    /// Wants the object reconciled.
    void enqueue(const ObjectKey& object, Urgency urgency);
    /// Wants the object reconciled, of which a write was answered. After a refusal it comes a
    /// second later or, where its own reconcile failed, after its backoff.
    void enqueue_after_write(const ObjectKey& object, bool is_accepted);
    /// Wants the objects reconciled that waited until the stores show this one as it was written.
    /// Call it when the store has a new version of the object.
    void enqueue_waiting(const ObjectKey& object);
    /// Reconciles some objects. Returns when to be called again, a time that has passed meaning at
    /// once; none: when woken.
    std::optional<Instant> step();
    /// When the first object is reconciled again because a time that concerns it has come: a
    /// deadline, the end of a backoff or of its retention. Queues, which are looked at from time to
    /// time whatever happens, do not count. Cost: in proportion to those that wait.
    std::optional<Time> next_deadline() const;
    /// Nothing waits or is under way (what waits for its time does not count).
    bool is_idle() const { return !queue_.has_ready() && waiting_.empty(); }

  private:
    /// The writes of one reconcile that do not depend on each other.
    struct Spread {
        ObjectKey key;
        std::size_t unanswered = 0;
        Result<void> outcome;  ///< of the last one that was refused
    };
    struct Waiting {
        std::shared_ptr<Spread> spread;
        Write write;
    };

    /// The object under which this one is reconciled; none: it is not.
    std::optional<ObjectKey> find_key(const ObjectKey& object) const;
    /// Wants the object reconciled again at a time of the wall clock.
    void enqueue_at(const ObjectKey& key, Time at);
    void follow_clock(Time wall, Instant now);
    /// When an object may be written again that was written very often just now.
    std::optional<Instant> pause_after_burst(const ObjectKey& key);
    void note_burst(const ObjectKey& key);
    void submit_waiting();
    void process(const ObjectKey& key, Time now);
    /// Ends the processing of an object.
    void done(const ObjectKey& key);
    bool is_unreadable(const ObjectKey& key) const;
    /// Returns the objects whose writes must be answered and seen before the key is reconciled.
    std::vector<ObjectKey> find_unsettled(const ObjectKey& key);
    void add_after_write(const ObjectKey& key, bool is_accepted);
    void release_waiting(const ObjectKey& object, bool is_accepted);
    /// Remembers what a reconcile of the object creates, which no store shows yet.
    void note_created(const ObjectKey& key, const std::vector<Write>& writes);
    /// When the writes may be made, where one of them creates again what was deleted several times.
    std::optional<Instant> pause_before_creation(
        const ObjectKey& key, const std::vector<Write>& writes
    ) const;
    void ended(const ObjectKey& key, const Result<void>& result);
    /// Hands the writes of a reconciliation over, now or after a pause.
    void submit(const ObjectKey& key, Outcome outcome);
    /// Submits the row, and one of the others after it if the API server refuses the row for good.
    void submit_rows(
        const ObjectKey& key,
        std::vector<Write> row,
        std::vector<std::vector<Write>> instead,
        std::optional<Time> requeue_at
    );
    void report_refusal(const ObjectKey& key, const Error& error);
    void ended_without_writes(const ObjectKey& key, const Outcome& outcome);
    /// Says why a reconcile failed; the same again only for debugging, until one succeeds.
    void log_once(
        const ObjectKey& key, log::Level level, std::string_view what, const std::string& why
    );
    /// Notes that a reconcile failed, and reports it if the failures go on.
    void note_failure(const ObjectKey& key, const std::string& why);
    void note_success(const ObjectKey& key);
    /// Emits a warning on the object or, if the key stands for several, on the first of them.
    void warn_of_failures(const ObjectKey& key, const std::string& note) const;
    /// The API server refuses what follows from the job: its user reads why.
    void tell_refusal(const ObjectKey& key, const Error& error) const;

    Parts parts_;
    kube::WorkQueue<ObjectKey> queue_;
    std::map<ObjectKey, std::vector<ObjectKey>> created_;  ///< until the stores show it
    /// Reconciles of an object that wrote something, since `begin`.
    struct Burst {
        Instant begin;
        int writes = 0;
    };
    std::map<ObjectKey, Burst> bursts_;
    Instant bursts_cleared_{};
    Recreations recreations_;
    SettlementWaits settlement_waits_;
    std::map<ObjectKey, Time> wall_times_;  ///< at which objects are reconciled again
    ClockSteps clock_steps_;
    std::map<ObjectKey, std::string> failures_;  ///< the latest of objects that go on failing
    FailingObjects failing_;
    std::map<Kind, Work> work_;
    std::deque<Waiting> waiting_;  ///< independent writes that the sink had no room for so far
};

}  // namespace sluice::controller
