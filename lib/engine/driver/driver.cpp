#include "engine/driver/driver.hpp"

#include "engine/engine.hpp"

#include <algorithm>

namespace sluice::engine {

void Driver::deliver(const Event& event, Time now) {
    ++events_;
    if (observer_ != nullptr) {
        observer_->on_event(event, now);
    }
    apply(state_, event, now);
}

void Driver::step_clock(Duration by, Time now) {
    if (observer_ != nullptr) {
        observer_->on_clock_step(by, now);
    }
    engine::step_clock(state_, by, now);
}

void Driver::end_delays(Time now) {
    if (const auto due = next_due(state_); due && *due <= now) {
        deliver(TimerFired{}, now);
    }
}

void Driver::refresh(Time now) {
    if (state_.is_stale()) {
        deliver(TimerFired{}, now);
    }
}

Step Driver::step(const Moment& now, bool has_room) {
    end_delays(now.wall);
    Step made;
    if (!state_.has_heads() && !state_.has_second_pass(now.wall)) {
        made.next = next_delay_end(now);
        return made;
    }
    if (!has_room) {
        made.next = now.steady + options_.retry_max;
        return made;
    }
    if (events_ != events_seen_) {
        fruitless_ = std::min<std::uint32_t>(fruitless_, 1);
        retry_at_ = std::min(retry_at_, now.steady + options_.retry_min);
    }
    if (now.steady < retry_at_) {
        made.next = earlier_of_retry_and_delay_end(now);
        return made;
    }
    events_seen_ = events_;
    made.result = run_cycle(state_, now.wall, options_.recording);
    if (observer_ != nullptr) {
        observer_->on_cycle(state_, made.result, now.wall);
    }
    if (!made.result.admitted.empty() || !made.result.preempted.empty()) {
        fruitless_ = 0;
        made.next = now.steady;
        return made;
    }
    retry_at_ = now.steady + delay_after_fruitless();
    fruitless_ = std::min(fruitless_ + 1, options_.cycles_until_idle);
    made.next = earlier_of_retry_and_delay_end(now);
    return made;
}

Duration Driver::delay_after_fruitless() const {
    constexpr std::uint32_t kDoublings = 4;
    if (fruitless_ >= options_.cycles_until_idle) {
        return options_.idle;
    }
    return std::min(
        options_.retry_max, options_.retry_min * (1U << std::min(fruitless_, kDoublings))
    );
}

std::optional<Duration> Driver::next_delay_end(const Moment& now) const {
    const auto due = next_due(state_);
    if (!due) {
        return std::nullopt;
    }
    return *due > now.wall ? now.steady + (*due - now.wall) : now.steady;
}

std::optional<Duration> Driver::earlier_of_retry_and_delay_end(const Moment& now) const {
    const auto delay_end = next_delay_end(now);
    // Delays that had ended are over since end_delays(); a second pass stays due until its cycle.
    return delay_end && *delay_end > now.steady ? std::min(*delay_end, retry_at_) : retry_at_;
}

}  // namespace sluice::engine
