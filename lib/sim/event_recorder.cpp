#include "sim/event_recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace sluice::sim {

namespace {

constexpr std::size_t kSimilarMax = 10;
constexpr Duration kSimilarTime = std::chrono::minutes(10);
constexpr double kBurst = 25;
constexpr Duration kRefill = std::chrono::minutes(5);
}  // namespace

bool EventRecorder::has_budget(const std::string& object, Time now) {
    const auto [at, is_new] = budgets_.try_emplace(object, Budget{kBurst, now});
    Budget& budget = at->second;
    const std::chrono::duration<double> passed = now - budget.last;
    budget.left = std::min(kBurst, budget.left + passed / std::chrono::duration<double>(kRefill));
    budget.last = now;
    if (budget.left < 1) {
        return false;
    }
    budget.left -= 1;
    return true;
}

bool EventRecorder::is_one_of_many(const std::string& kind, const std::string& message, Time now) {
    Similar& similar = similar_[kind];
    if (now - similar.last > kSimilarTime) {
        similar.messages.clear();
    }
    similar.last = now;
    similar.messages.insert(message);
    if (similar.messages.size() < kSimilarMax) {
        return false;
    }
    similar.messages.erase(similar.messages.begin());
    return true;
}

/// Forgets entries that no rule needs any longer. Waits until their number has doubled, so that it
/// costs little.
void EventRecorder::forget(Time now) {
    if (known_.size() < forget_at_) {
        return;
    }
    const auto clean = [now](auto& table, Duration age) {
        std::erase_if(table, [&](const auto& entry) { return now - entry.second.last > age; });
    };
    clean(budgets_, static_cast<int>(kBurst) * kRefill);
    clean(similar_, kSimilarTime);
    clean(known_, kSimilarTime);
    forget_at_ = std::max(kRemembered, 2 * known_.size());
}

std::optional<RecordedEvent> EventRecorder::record(
    const std::string& object, std::string_view name, const Note& note, Time now
) {
    forget(now);
    const std::string kind = fmt::format("{}/{}/{}", object, note.is_warning, note.reason);
    const bool is_many = is_one_of_many(kind, note.message, now);
    Known& known = known_[is_many ? kind : kind + "/" + note.message];
    RecordedEvent event = known.event;
    event.count = event.name.empty() ? 1 : event.count + 1;
    event.message = is_many ? "(combined from similar events): " + note.message : note.message;
    if (event.name.empty()) {
        event.name = fmt::format("{}.{:016x}", name, ++events_);
        event.first = now;
    }
    known = {event, now};
    return has_budget(object, now) ? std::optional(event) : std::nullopt;
}

}  // namespace sluice::sim
