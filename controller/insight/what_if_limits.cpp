#include "controller/insight/what_if_limits.hpp"

#include <algorithm>
#include <chrono>

namespace sluice::controller {

namespace {

constexpr std::size_t kAtATime = 2;
constexpr std::size_t kAMinute = 10;

}  // namespace

WhatIfLimits::Turn::Turn(WhatIfLimits& limits, const std::string& user) : limits_(limits) {
    const Instant now = limits.clock_.instant();
    for (auto& [name, times] : limits.asked_) {
        while (!times.empty() && times.front() <= now - std::chrono::minutes(1)) {
            times.pop_front();
        }
    }
    std::erase_if(limits.asked_, [](const auto& entry) { return entry.second.empty(); });
    if (++limits.running_ > kAtATime) {
        refusal_ = "two what-ifs are being answered; ask again in a few seconds";
        return;
    }
    if (limits.asked_.size() == kUsersMax && !limits.asked_.contains(user)) {
        limits.asked_.erase(std::ranges::min_element(limits.asked_, {}, [](const auto& entry) {
            return entry.second.back();
        }));
    }
    auto& times = limits.asked_[user];
    if (times.size() == kAMinute) {
        refusal_ = "a user may ask ten what-ifs a minute";
        return;
    }
    times.push_back(now);
}

WhatIfLimits::Turn::~Turn() {
    --limits_.running_;
}

}  // namespace sluice::controller
