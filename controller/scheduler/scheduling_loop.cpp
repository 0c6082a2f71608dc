#include "controller/scheduler/scheduling_loop.hpp"

#include "base/clock_steps.hpp"
#include "base/earlier.hpp"
#include "base/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace sluice::controller {

namespace {

constexpr Duration kAuditEvery = std::chrono::minutes(1);
/// How many findings of one audit are logged; the rest are only counted.
constexpr std::size_t kFindingsLogged = 20;
constexpr Duration kNoRoomDelay = std::chrono::milliseconds(10);

engine::Moment to_moment(Instant instant, Time wall) {
    return {.wall = wall, .steady = instant.time_since_epoch()};
}

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

std::optional<Instant> SchedulingLoop::run_what_is_due(const Now& now) {
    const engine::Step step =
        parts_.driver.step(to_moment(now.instant, now.wall), parts_.sink.has_room());
    if (step.result.cycle != 0) {
        if (parts_.on_cycle) {
            parts_.on_cycle(step.result, parts_.clock.instant() - now.instant);
        }
        parts_.applier.apply(step.result);
    }
    if (!step.next) {
        return std::nullopt;
    }
    // The engine's delays end by the wall clock, which has to be checked for steps.
    return std::min(Instant(*step.next), now.instant + kClockCheck);
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
    parts_.driver.refresh(now.wall);
    const engine::State& state = parts_.driver.state();
    std::vector<engine::AuditFinding> findings = engine::audit(state);
    for (const auto& [name, what] : unaccounted_) {
        if (const auto node = find_node(state, name); node.is_valid()) {
            findings.push_back({state.tree().node(node).root, what});
        }
    }
    inconsistent_.clear();
    for (std::size_t i = 0; i < findings.size(); ++i) {
        const auto& [root, what] = findings[i];
        inconsistent_.emplace(node_name_of(state, root), what);
        if (i < kFindingsLogged) {
            log::error(
                "scheduler state is inconsistent",
                {{"root", state.node_name(root)},
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

void SchedulingLoop::hold_back(Time now) {
    parts_.driver.refresh(now);
    const engine::State& state = parts_.driver.state();
    const engine::QuotaTree& tree = state.tree();
    workload::Translator::HeldBack messages;
    for (const auto& [root, what] : inconsistent_) {
        const engine::NodeIndex node = find_node(state, root);
        if (!node.is_valid()) {
            continue;  // no ClusterQueue is in that tree anymore
        }
        // A node that was a root at the audit may have a parent now.
        for (const auto queue : tree.cluster_queues_of(tree.node(node).root)) {
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

}  // namespace sluice::controller
