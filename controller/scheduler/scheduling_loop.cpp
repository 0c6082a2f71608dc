#include "controller/scheduler/scheduling_loop.hpp"

#include "base/clock_steps.hpp"
#include "base/earlier.hpp"
#include "base/log.hpp"
#include "engine/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace sluice::controller {

namespace {

constexpr Duration kDelayFirst = std::chrono::milliseconds(1);
constexpr Duration kDelayMax = std::chrono::milliseconds(10);
/// Kueue runs a cycle every 10 ms while a queue has a head (a blocked StrictFIFO queue keeps its
/// head). Without changes only the progress of flavor scans can change the outcome, and the scans
/// have ended after this many cycles.
constexpr std::uint32_t kCyclesUntilIdle = 50;
constexpr Duration kIdleDelay = std::chrono::seconds(1);
constexpr Duration kAuditEvery = std::chrono::minutes(1);
/// How many findings of one audit are logged; the rest are only counted.
constexpr std::size_t kFindingsLogged = 20;
constexpr Duration kNoRoomDelay = std::chrono::milliseconds(10);

}  // namespace

std::optional<Instant> SchedulingLoop::step() {
    if (!parts_.feeder.is_fed()) {
        return std::nullopt;
    }
    const Now now{.instant = parts_.clock.instant(), .wall = parts_.clock.now()};
    parts_.feeder.follow_clock();
    audit_once_a_minute(now);
    auto due = run_what_is_due(now);
    if (!inconsistent_.empty()) {
        due = earlier(due, audit_at_);
    }
    // Reasons for waiting use the room that decisions left over.
    if (!parts_.applier.send_waiting()) {
        due = earlier(due, now.instant + kNoRoomDelay);
    }
    return earlier(due, parts_.applier.next_attempt());
}

std::optional<Instant> SchedulingLoop::engine_due(const Now& now) const {
    const auto due = engine::next_due(parts_.state);
    return due ? earlier(to_instant(*due, now.wall, now.instant), now.instant + kClockCheck)
               : std::nullopt;
}

std::optional<Instant> SchedulingLoop::run_what_is_due(const Now& now) {
    if (const auto due = engine::next_due(parts_.state); due && *due <= now.wall) {
        parts_.feeder.apply(engine::TimerFired{}, now.wall);
    }
    if (!parts_.state.has_heads()) {
        return engine_due(now);
    }
    if (!parts_.sink.has_room()) {
        return now.instant + kNoRoomDelay;
    }
    if (parts_.feeder.changes() != changes_seen_) {
        fruitless_ = std::min<std::uint32_t>(fruitless_, 1);
        retry_at_ = std::min(retry_at_, now.instant + kDelayFirst);
    }
    if (now.instant < retry_at_) {
        return earlier(retry_at_, engine_due(now));
    }
    changes_seen_ = parts_.feeder.changes();
    const engine::CycleResult result = engine::run_cycle(parts_.state, now.wall);
    if (result.cycle != 0 && parts_.on_cycle) {
        parts_.on_cycle(result, parts_.clock.instant() - now.instant);
    }
    parts_.applier.apply(result);
    if (!result.admitted.empty() || !result.preempted.empty()) {
        fruitless_ = 0;
        return now.instant;
    }
    return after_fruitless_cycle(now);
}

void SchedulingLoop::audit_once_a_minute(const Now& now) {
    // Quota that cannot be read must not be given away, so do not wait for the next minute.
    auto unaccounted = parts_.feeder.unaccounted();
    const bool is_new = unaccounted != unaccounted_;
    unaccounted_ = std::move(unaccounted);
    if (now.instant < audit_at_ && !is_new) {
        if (!inconsistent_.empty()) {
            hold_back(now.wall);
        }
        return;
    }
    audit_at_ = now.instant + kAuditEvery;
    refresh_tree(now.wall);
    std::vector<engine::AuditFinding> findings = engine::audit(parts_.state);
    for (const auto& [node, what] : unaccounted_) {
        findings.push_back({parts_.state.tree().node(node).root, what});
    }
    inconsistent_.clear();
    for (std::size_t i = 0; i < findings.size(); ++i) {
        const auto& [root, what] = findings[i];
        inconsistent_.emplace(root, what);
        if (i < kFindingsLogged) {
            log::error(
                "scheduler state is inconsistent",
                {{"root", parts_.state.node_name(root)},
                 {"finding", what},
                 {"number", i + 1},
                 {"of", findings.size()}}
            );
        }
    }
    if (parts_.on_audit) {
        parts_.on_audit(findings);
    }
    hold_back(now.wall);
}

void SchedulingLoop::refresh_tree(Time now) {
    if (parts_.state.tree().is_stale()) {
        parts_.feeder.apply(engine::TimerFired{}, now);
    }
}

void SchedulingLoop::hold_back(Time now) {
    refresh_tree(now);
    const engine::QuotaTree& tree = parts_.state.tree();
    workload::Translator::HeldBack messages;
    for (const auto& [root, what] : inconsistent_) {
        // A node that was a root at the audit may have a parent now.
        for (const auto queue : tree.cluster_queues_of(tree.node(root).root)) {
            messages.emplace(
                tree.node(queue).name,
                fmt::format(
                    "Admission is stopped until the scheduler's account of quota is consistent "
                    "again: {}",
                    what
                )
            );
        }
    }
    for (const std::string& name : parts_.feeder.hold_back(std::move(messages), now)) {
        if (parts_.on_activity) {
            parts_.on_activity(name);
        }
    }
}

std::optional<Instant> SchedulingLoop::after_fruitless_cycle(const Now& now) {
    const Duration delay = fruitless_ >= kCyclesUntilIdle
                               ? kIdleDelay
                               : std::min(kDelayMax, kDelayFirst * (1 << std::min(fruitless_, 4U)));
    fruitless_ = std::min(fruitless_ + 1, kCyclesUntilIdle);
    retry_at_ = now.instant + delay;
    return earlier(retry_at_, engine_due(now));
}

}  // namespace sluice::controller
