#include "controller/process/runner/reconcile_runner.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/kueue/sluice_names.hpp"
#include "base/assert.hpp"
#include "base/earlier.hpp"
#include "base/log.hpp"
#include "controller/jobs/job/generic_job.hpp"
#include "metrics/runtime_metrics.hpp"
#include "workload/pods/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

/// Changes are gathered for a second, as in Kueue's queue controllers, so that a thousand workloads
/// cause one write.
constexpr Duration kBatch = std::chrono::seconds(1);
/// On a busy API server, statuses of queues take at most one part in kBatchPaces of the time: a
/// queue is written once in that many write times, but at least once in kBatchMax.
constexpr int kBatchPaces = 20;
constexpr Duration kBatchMax = std::chrono::seconds(10);
/// A missed watch event brings no second change; this recheck reconciles again.
constexpr Duration kUnsettledRecheck = std::chrono::seconds(5);
/// The reason of a refusal, such as the deletion of an object, is still on its way to the stores;
/// until it arrives, the same reconcile would be refused again.
constexpr Duration kAfterRefusal = std::chrono::seconds(1);
/// Limits how often an object is written that another controller reverts after each write, for
/// example because its watch is behind.
constexpr int kBurstMax = 10;
constexpr Duration kBurstTime = std::chrono::seconds(1);
constexpr int kObjectsAStep = 64;
constexpr kube::BackoffOptions kBackoff{
    .first = std::chrono::milliseconds(5), .max = std::chrono::minutes(1), .jitter_percent = 10
};

std::span<const double> machine_bounds() {
    static const std::vector<double> bounds = metrics::machine_buckets();
    return bounds;
}

std::span<const double> reconcile_bounds() {
    static const std::vector<double> bounds = metrics::reconcile_buckets();
    return bounds;
}

/// Returns true if the API server has rejected the write and will reject it again. After a conflict
/// it may not: the object has changed meanwhile.
bool is_refusal(const Error& error) {
    return error.code == ErrorCode::Invalid || error.code == ErrorCode::Forbidden ||
           error.code == ErrorCode::AlreadyExists;
}

double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

ReconcileRunner::Work::Work()
    : wait_times(machine_bounds()),
      reconcile_times(reconcile_bounds()),
      work_times(machine_bounds()) {}

ReconcileRunner::ReconcileRunner(Parts parts, std::uint64_t seed)
    : parts_(std::move(parts)), queue_(seed, kBackoff) {}

std::optional<ObjectKey> ReconcileRunner::find_key(const ObjectKey& object) const {
    const KindEntry* entry = parts_.registry.find(object.kind);
    if (entry == nullptr || !entry->reconcile || !parts_.enabled.contains(object.kind)) {
        return std::nullopt;
    }
    return entry->reconciled_under ? entry->reconciled_under(parts_.view.stores, object) : object;
}

void ReconcileRunner::enqueue_after_write(const ObjectKey& object, bool is_accepted) {
    if (const auto key = find_key(object)) {
        add_after_write(*key, is_accepted);
    }
    release_waiting(object, is_accepted);
}

void ReconcileRunner::enqueue_waiting(const ObjectKey& object) {
    release_waiting(object, true);
}

void ReconcileRunner::release_waiting(const ObjectKey& object, bool is_accepted) {
    if (!parts_.sink.is_settled(object)) {
        return;
    }
    for (const ObjectKey& key : settlement_waits_.take_released(object)) {
        add_after_write(key, is_accepted);
    }
}

void ReconcileRunner::add_after_write(const ObjectKey& key, bool is_accepted) {
    if (is_accepted) {
        queue_.add(key, parts_.clock.instant());
    } else if (queue_.failures(key) == 0) {
        queue_.add_at(key, parts_.clock.instant() + kAfterRefusal);
    }
    parts_.wake();
}

void ReconcileRunner::enqueue(const ObjectKey& object, Urgency urgency) {
    const auto key = find_key(object);
    if (!key) {
        return;
    }
    switch (urgency) {
        case Urgency::AtOnce:
            queue_.add(*key, parts_.clock.instant());
            break;
        case Urgency::Gathered:
            queue_.add_at(*key, parts_.clock.instant() + kBatch);
            break;
        case Urgency::Batched: {
            const Duration batch = std::clamp(kBatchPaces * parts_.sink.pace(), kBatch, kBatchMax);
            queue_.add_at(*key, parts_.clock.instant() + batch);
            break;
        }
    }
    parts_.wake();
}

std::map<std::string, ReconcileRunner::Work> ReconcileRunner::work() const {
    std::map<Kind, Work> by_kind = work_;
    for (const ObjectKey& key : queue_.ready()) {
        ++by_kind[key.kind].waiting;
    }
    for (const auto& [kind, count] : failing_.count_by_kind()) {
        by_kind[kind].failing = count;
    }
    const Instant now = parts_.clock.instant();
    for (const auto& [key, times] : queue_.processing()) {
        Work& work = by_kind[key.kind];
        ++work.under_way;
        work.unfinished += now - times.taken;
        work.longest = std::max<Duration>(work.longest, now - times.taken);
    }
    std::map<std::string, Work> all;
    for (const KindEntry& entry : parts_.registry.all()) {
        if (entry.reconcile && parts_.enabled.contains(entry.kind)) {
            all.emplace(entry.metric_name, by_kind[entry.kind]);
        }
    }
    return all;
}

void ReconcileRunner::enqueue_at(const ObjectKey& key, Time at) {
    wall_times_[key] = at;
    const Time wall = parts_.clock.now();
    queue_.add_at(key, to_instant(at, wall, parts_.clock.instant()));
}

std::optional<Time> ReconcileRunner::next_deadline() const {
    std::optional<Time> next;
    for (const auto& [key, at] : wall_times_) {
        const bool is_queue =
            key.kind == kind_of<api::LocalQueue>() || key.kind == kind_of<api::ClusterQueue>();
        if (!is_queue) {
            next = std::min(next.value_or(at), at);
        }
    }
    return next;
}

void ReconcileRunner::follow_clock(Time wall, Instant now) {
    if (clock_steps_.observe(wall, now) == Duration::zero()) {
        return;
    }
    // A clock that was set back makes reconciles happen too early; they ask for a later time again.
    for (const auto& [key, at] : wall_times_) {
        queue_.add_at(key, to_instant(at, wall, now));
    }
}

std::optional<Instant> ReconcileRunner::step() {
    const Instant now = parts_.clock.instant();
    const Time wall = parts_.clock.now();
    follow_clock(wall, now);
    for (int i = 0; i < kObjectsAStep; ++i) {
        if (!parts_.sink.has_room()) {
            return now + std::chrono::milliseconds(5);
        }
        // Alternates between both, so that one wide change does not block the rest.
        if (i % 2 == 1 && !waiting_.empty()) {
            submit_waiting();
            continue;
        }
        const auto key = queue_.take(now);
        if (key) {
            process(*key, wall);
        } else if (waiting_.empty()) {
            const auto due = queue_.next_due();
            return wall_times_.empty() ? due : earlier(due, now + kClockCheck);
        }
    }
    return now;
}

std::optional<Instant> ReconcileRunner::pause_after_burst(const ObjectKey& key) {
    const auto found = bursts_.find(key);
    if (found == bursts_.end() || found->second.writes < kBurstMax) {
        return std::nullopt;
    }
    const Instant end = found->second.begin + kBurstTime;
    return end > parts_.clock.instant() ? std::optional(end) : std::nullopt;
}

void ReconcileRunner::note_burst(const ObjectKey& key) {
    const Instant now = parts_.clock.instant();
    const auto is_over = [now](const auto& entry) {
        return now - entry.second.begin >= kBurstTime;
    };
    if (now - bursts_cleared_ >= kBurstTime) {
        std::erase_if(bursts_, is_over);
        bursts_cleared_ = now;
    }
    const auto [entry, is_new] = bursts_.try_emplace(key, Burst{.begin = now});
    if (!is_new && is_over(*entry)) {
        entry->second = Burst{.begin = now};
    }
    ++entry->second.writes;
}

void ReconcileRunner::submit_waiting() {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    std::vector<Write> row;
    row.push_back(std::move(next.write));
    const auto done = [this, spread = std::move(next.spread)](const Result<void>& result) {
        if (!result && result.error().code != ErrorCode::NotFound) {
            spread->outcome = result.error();
        }
        if (--spread->unanswered == 0) {
            ended(spread->key, spread->outcome);
        }
    };
    parts_.sink.submit(std::move(row), Attempts::AFew, done);
}

void ReconcileRunner::done(const ObjectKey& key) {
    const auto times = queue_.processing().find(key);
    SLUICE_ASSERT(times != queue_.processing().end());
    const double took = seconds(parts_.clock.instant() - times->second.taken);
    Work& work = work_[key.kind];
    work.reconcile_times.add(took);
    work.work_times.add(took);
    queue_.done(key);
}

void ReconcileRunner::process(const ObjectKey& key, Time now) {
    Work& work = work_[key.kind];
    ++work.taken;
    const auto& times = queue_.processing().at(key);
    work.wait_times.add(seconds(times.taken - times.wanted));
    wall_times_.erase(key);
    settlement_waits_.clear(key);
    const KindEntry* entry = parts_.registry.find(key.kind);
    if (entry == nullptr || !entry->reconcile || is_unreadable(key)) {
        // Nothing to do if the kind was removed. If the object is unreadable, a write based on its
        // last readable version would be rejected; its next readable version enqueues it.
        ++work.succeeded;
        done(key);
        note_success(key);
        return;
    }
    if (const auto unsettled = find_unsettled(key); !unsettled.empty()) {
        settlement_waits_.set(key, unsettled);
        ++work.postponed;
        done(key);
        queue_.add_at(key, parts_.clock.instant() + kUnsettledRecheck);
        return;
    }
    if (const auto until = pause_after_burst(key)) {
        ++work.postponed;
        done(key);
        queue_.add_at(key, *until);
        return;
    }
    const ReconcileContext context{
        parts_.view,
        parts_.weighted_share,
        parts_.has_holders,
        parts_.consumed,
        parts_.drift,
        parts_.registry.job_kinds()
    };
    Outcome outcome = entry->reconcile(context, key, now);
    for (const EventNote& event : outcome.events) {
        parts_.on_event(event);
        if (event.type == EventType::Warning && !outcome.try_later) {
            log::warning(
                "object has a problem", {{"object", to_string(key)}, {"problem", event.note}}
            );
        }
    }
    if (outcome.writes.empty()) {
        ended_without_writes(key, outcome);
        return;
    }
    submit(key, std::move(outcome));
}

void ReconcileRunner::submit(const ObjectKey& key, Outcome outcome) {
    if (const auto until = pause_before_creation(key, outcome.writes)) {
        ++work_[key.kind].postponed;
        done(key);
        queue_.add_at(key, *until);
        return;
    }
    note_created(key, outcome.writes);
    note_burst(key);
    if (outcome.are_independent) {
        const auto spread = std::make_shared<Spread>();
        spread->key = key;
        spread->unanswered = outcome.writes.size();
        for (Write& write : outcome.writes) {
            waiting_.push_back({spread, std::move(write)});
        }
        return;
    }
    submit_rows(key, std::move(outcome.writes), std::move(outcome.instead), outcome.requeue_at);
}

void ReconcileRunner::submit_rows(
    const ObjectKey& key,
    std::vector<Write> row,
    std::vector<std::vector<Write>> instead,
    std::optional<Time> requeue_at
) {
    const auto done = [this, key, instead = std::move(instead), requeue_at](const Result<void>& r) {
        if (r || instead.empty() || !is_refusal(r.error())) {
            ended(key, r);
            if (requeue_at) {
                enqueue_at(key, *requeue_at);
            }
            return;
        }
        report_refusal(key, r.error());
        auto others = instead;
        std::vector<Write> next = std::move(others.front());
        others.erase(others.begin());
        submit_rows(key, std::move(next), std::move(others), requeue_at);
    };
    parts_.sink.submit(std::move(row), Attempts::AFew, done);
}

void ReconcileRunner::ended_without_writes(const ObjectKey& key, const Outcome& outcome) {
    Work& work = work_[key.kind];
    done(key);
    if (outcome.try_later) {
        log_once(key, log::Level::Warning, "object is retried later", *outcome.try_later);
        note_failure(key, *outcome.try_later);
        queue_.add_rate_limited(key, parts_.clock.instant());
        ++work.failed;
    } else {
        note_success(key);
        ++(outcome.requeue_at ? work.postponed : work.succeeded);
    }
    if (outcome.requeue_at) {
        enqueue_at(key, *outcome.requeue_at);
    }
}

void ReconcileRunner::ended(const ObjectKey& key, const Result<void>& result) {
    done(key);
    Work& work = work_[key.kind];
    if (result) {
        ++work.succeeded;
        note_success(key);
        parts_.wake();
        return;
    }
    ++work.failed;
    report_refusal(key, result.error());
    note_failure(key, result.error().detail);
    queue_.add_rate_limited(key, parts_.clock.instant());
    parts_.wake();
}

void ReconcileRunner::report_refusal(const ObjectKey& key, const Error& error) {
    const bool is_race = error.code == ErrorCode::Conflict || error.code == ErrorCode::NotFound ||
                         error.code == ErrorCode::AlreadyExists;
    const log::Level level = is_race ? log::Level::Info : log::Level::Warning;
    log_once(key, level, "write was rejected", error.detail);
    const KindEntry* entry = parts_.registry.find(key.kind);
    if (error.code == ErrorCode::Invalid && entry != nullptr && entry->job) {
        record_refusal(key, error);
    }
}

void ReconcileRunner::log_once(
    const ObjectKey& key, log::Level level, std::string_view what, const std::string& why
) {
    std::string& before = failures_[key];
    const bool is_logged = before == why;
    before = why;
    log::write(
        is_logged ? log::Level::Debug : level, what, {{"object", to_string(key)}, {"error", why}}
    );
}

void ReconcileRunner::note_success(const ObjectKey& key) {
    queue_.forget(key);
    failures_.erase(key);
    failing_.forget(key);
}

void ReconcileRunner::note_failure(const ObjectKey& key, const std::string& why) {
    const auto failures = failing_.note_failure(key, parts_.clock.instant());
    if (!failures) {
        return;
    }
    log::warning(
        "reconcile keeps failing",
        {{"object", to_string(key)}, {"failures", std::to_string(*failures)}, {"error", why}}
    );
    warn_of_failures(
        key, fmt::format("The reconcile failed {} times in a row: {}", *failures, why)
    );
}

void ReconcileRunner::warn_of_failures(const ObjectKey& key, const std::string& note) const {
    const KindEntry* entry = parts_.registry.find(key.kind);
    const api::ObjectMeta* object = parts_.view.stores.find_metadata(key);
    if (object == nullptr && entry != nullptr && entry->also_written) {
        for (const ObjectKey& other : entry->also_written(parts_.view.stores, key)) {
            if (object == nullptr && other.kind == key.kind) {
                object = parts_.view.stores.find_metadata(other);
            }
        }
    }
    if (object == nullptr || entry == nullptr) {
        return;
    }
    parts_.on_event({
        .regarding =
            {
                .api_version = key.kind.api_version(),
                .kind = std::string(key.kind.name()),
                .namespace_ = object->namespace_,
                .name = object->name,
                .uid = object->uid,
                .resource_version = object->resource_version,
            },
        .type = EventType::Warning,
        .reason = std::string(api::reason::kReconcileFailing),
        .note = workload::truncated_event_note(note),
        .reporting_controller = entry->metric_name,
    });
}

void ReconcileRunner::record_refusal(const ObjectKey& key, const Error& error) const {
    if (const api::ObjectMeta* metadata = parts_.view.stores.find_metadata(key)) {
        const JobKind& kind = *parts_.registry.find(key.kind)->job;
        parts_.on_event(job_warning(kind, *metadata, api::reason::kInvalidSpec, error.detail));
    }
}

bool ReconcileRunner::is_unreadable(const ObjectKey& key) const {
    const kube::AnyStore* store = parts_.view.stores.find(key.kind);
    return store != nullptr && store->unreadable().contains({key.ns, key.name});
}

void ReconcileRunner::note_created(const ObjectKey& key, const std::vector<Write>& writes) {
    for (const Write& write : writes) {
        if (write.verb == Verb::Create && write.object != key) {
            created_[key].push_back(write.object);
            recreations_.note(write.object, parts_.clock.instant());
        }
    }
}

std::optional<Instant> ReconcileRunner::pause_before_creation(
    const ObjectKey& key, const std::vector<Write>& writes
) const {
    Instant until{};
    for (const Write& write : writes) {
        if (write.verb == Verb::Create && write.object != key) {
            until = std::max(until, recreations_.not_before(write.object));
        }
    }
    return until > parts_.clock.instant() ? std::optional(until) : std::nullopt;
}

std::vector<ObjectKey> ReconcileRunner::find_unsettled(const ObjectKey& key) {
    const auto is_seen = [this](const ObjectKey& other) { return parts_.sink.is_settled(other); };
    std::vector<ObjectKey> unsettled;
    if (!is_seen(key)) {
        unsettled.push_back(key);
    }
    if (const auto created = created_.find(key); created != created_.end()) {
        std::erase_if(created->second, is_seen);
        if (created->second.empty()) {
            created_.erase(created);
        } else {
            unsettled.insert(unsettled.end(), created->second.begin(), created->second.end());
        }
    }
    const KindEntry* entry = parts_.registry.find(key.kind);
    if (entry != nullptr && entry->also_written) {
        std::ranges::remove_copy_if(
            entry->also_written(parts_.view.stores, key), std::back_inserter(unsettled), is_seen
        );
    }
    return unsettled;
}

}  // namespace sluice::controller
