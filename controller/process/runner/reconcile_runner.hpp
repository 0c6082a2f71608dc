// Reconciles objects from a work queue, with batching, retries and backoff.
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

/// Reconciles objects: takes them from a work queue, calls their reconciler, and passes the writes
/// to the sink. Unreadable objects are not reconciled. An object is not reconciled again before its
/// previous writes were answered and seen.
class ReconcileRunner {
  public:
    struct Parts {
        const Registry& registry;
        View view;
        WriteSink& sink;
        const Clock& clock;
        std::set<Kind> enabled;  ///< kinds whose reconciler runs
        std::function<void(const EventNote&)> on_event;
        /// Returns the engine's weighted share of a ClusterQueue or Cohort; nullopt without fair
        /// sharing.
        std::function<std::optional<std::int64_t>(const ObjectKey&)> weighted_share;
        /// Returns true if workloads hold quota of the ClusterQueue, or are about to.
        std::function<bool(const std::string& cluster_queue)> has_holders;
        /// Returns the resources that a LocalQueue has consumed; nullopt without admission fair
        /// sharing.
        std::function<std::optional<api::AdmissionFairSharingStatus>(const ObjectKey&)> consumed;
        /// Returns the drift of a ClusterQueue's quota against nodes.
        std::function<QuotaDrift(const ObjectKey&)> drift;
        /// Called when step() has work again.
        std::function<void()> wake;
    };

    /// Numbers about the reconciles of one kind since the start.
    struct Work {
        Work();

        std::uint64_t waiting = 0;  ///< now, in the queue
        std::uint64_t taken = 0;    ///< started reconciles
        std::uint64_t succeeded = 0;
        std::uint64_t postponed = 0;  ///< nothing to write; reconciled again at a later time
        std::uint64_t failed = 0;
        std::uint64_t failing = 0;  ///< objects with successive failures, now
        /// In seconds. A reconcile lasts from the time when the object is taken until all its
        /// writes are answered; before that, the object waits in the queue.
        metrics::Distribution wait_times;
        metrics::Distribution reconcile_times;
        metrics::Distribution work_times;  ///< reconcile_times with other buckets
        // Reconciles in progress now.
        std::uint64_t under_way = 0;
        Duration unfinished{};  ///< sum of their times so far
        Duration longest{};
    };

    ReconcileRunner(Parts parts, std::uint64_t seed);

    /// Returns the numbers by the controller's name in metrics, for the enabled kinds. Cost: linear
    /// in the number of waiting objects.
    std::map<std::string, Work> work() const;

    /// Starts to reconcile a kind.
    void enable(Kind kind) { parts_.enabled.insert(kind); }
    /// Stops reconciling a kind; its waiting objects are dropped when it is their turn.
    void disable(Kind kind) { parts_.enabled.erase(kind); }
    /// Requests a reconcile of the object.
    void enqueue(const ObjectKey& object, Urgency urgency);
    /// Requests a reconcile after a write to the object was answered. After a refusal the reconcile
    /// happens a second later or, if the object's own reconcile failed, after its backoff.
    void enqueue_after_write(const ObjectKey& object, bool is_accepted);
    /// Requests a reconcile of the objects that wait until the stores show this object as it was
    /// written. Call it when the store has a new version of the object.
    void enqueue_waiting(const ObjectKey& object);
    /// Reconciles some objects. Returns the time of the next call, at once if it has passed;
    /// nullopt if it must be woken.
    std::optional<Instant> step();
    /// Returns the first time at which an object is reconciled because of the clock: a deadline,
    /// the end of a backoff or of its retention. Queues, which are reconciled periodically, do not
    /// count. Cost: linear in the number of waiting objects.
    std::optional<Time> next_deadline() const;

  private:
    /// The independent writes of one reconcile.
    struct Spread {
        ObjectKey key;
        std::size_t unanswered = 0;
        Result<void> outcome;  ///< of the last rejected one
    };
    struct Waiting {
        std::shared_ptr<Spread> spread;
        Write write;
    };

    /// Returns the object under which this one is reconciled; nullopt if it is not reconciled.
    std::optional<ObjectKey> find_key(const ObjectKey& object) const;
    /// Requests a reconcile at a wall-clock time.
    void enqueue_at(const ObjectKey& key, Time at);
    void follow_clock(Time wall, Instant now);
    /// Returns when an object may be written again that was written very often just now; nullopt if
    /// it may be written now.
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
    /// Records the objects that a reconcile creates, which no store shows yet.
    void note_created(const ObjectKey& key, const std::vector<Write>& writes);
    /// Returns when the writes may be made if one of them recreates an object that was deleted
    /// several times; nullopt if they may be made now.
    std::optional<Instant> pause_before_creation(
        const ObjectKey& key, const std::vector<Write>& writes
    ) const;
    void ended(const ObjectKey& key, const Result<void>& result);
    /// Passes the writes of a reconcile on, now or after a pause.
    void submit(const ObjectKey& key, Outcome outcome);
    /// Submits the row; if the API server rejects it for good, submits the next alternative.
    void submit_rows(
        const ObjectKey& key,
        std::vector<Write> row,
        std::vector<std::vector<Write>> instead,
        std::optional<Time> requeue_at
    );
    void report_refusal(const ObjectKey& key, const Error& error);
    void ended_without_writes(const ObjectKey& key, const Outcome& outcome);
    /// Logs why a reconcile failed; repetitions only at debug level, until one succeeds.
    void log_once(
        const ObjectKey& key, log::Level level, std::string_view what, const std::string& why
    );
    /// Counts a failed reconcile, and reports it if the failures continue.
    void note_failure(const ObjectKey& key, const std::string& why);
    void note_success(const ObjectKey& key);
    /// Emits a warning event on the object or, if the key represents several, on the first of them.
    void warn_of_failures(const ObjectKey& key, const std::string& note) const;
    /// Emits an event on the job, for its user, if the API server rejects a write that follows from
    /// the job.
    void record_refusal(const ObjectKey& key, const Error& error) const;

    Parts parts_;
    kube::WorkQueue<ObjectKey> queue_;
    std::map<ObjectKey, std::vector<ObjectKey>> created_;  ///< until the stores show them
    /// Number of reconciles of an object that wrote something, since `begin`.
    struct Burst {
        Instant begin;
        int writes = 0;
    };
    std::map<ObjectKey, Burst> bursts_;
    Instant bursts_cleared_{};
    Recreations recreations_;
    SettlementWaits settlement_waits_;
    std::map<ObjectKey, Time> wall_times_;  ///< times at which objects are reconciled again
    ClockSteps clock_steps_;
    std::map<ObjectKey, std::string> failures_;  ///< the latest error of objects that keep failing
    FailingObjects failing_;
    std::map<Kind, Work> work_;
    std::deque<Waiting> waiting_;  ///< independent writes that the sink had no room for so far
};

}  // namespace sluice::controller
