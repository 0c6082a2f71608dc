#include "engine/usage_ledger.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace sluice::engine {
namespace {

constexpr double kScale = 1e9;

double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

/// How much of the present counts after that time.
double alpha(Duration elapsed, Duration half_life) {
    return half_life == Duration{} ? 0.0
                                   : 1.0 - std::pow(0.5, seconds(elapsed) / seconds(half_life));
}

double rounded_down(double amount) {
    return std::trunc(amount * kScale) / kScale;
}

void add_scaled(ResourceAmounts& into, const ResourceAmounts& amounts, double factor) {
    for (const auto& [resource, amount] : amounts) {
        into[resource] += rounded_down(amount * factor);
    }
}

}  // namespace

void UsageLedger::seed(const ResourceAmounts& consumed, Time now) {
    if (is_seeded_) {
        return;
    }
    is_seeded_ = true;
    add_scaled(consumed_, consumed, 1.0);
    if (!last_update_) {
        last_update_ = now;
    }
}

void UsageLedger::sample(const ResourceAmounts& admitted, Time now, Duration half_life) {
    if (half_life == Duration{}) {
        consumed_.clear();
        last_update_ = now;
        return;
    }
    const Duration elapsed = std::max(Duration{}, now - last_update_.value_or(now));
    const double present = alpha(elapsed, half_life);
    ResourceAmounts decayed;
    add_scaled(decayed, consumed_, 1.0 - present);
    add_scaled(decayed, admitted, present);
    consumed_ = std::move(decayed);
    last_update_ = std::max(now, last_update_.value_or(now));
}

void UsageLedger::charge(WorkloadIndex workload, ResourceAmounts penalty, Time now) {
    if (!last_update_) {
        last_update_ = now;
    }
    penalties_[workload] = std::move(penalty);
}

void UsageLedger::settle(
    WorkloadIndex workload, const ResourceAmounts& admitted, Time now, Duration half_life
) {
    const Duration elapsed = std::max(Duration{}, now - last_update_.value_or(now));
    const double present = alpha(elapsed, half_life);
    ResourceAmounts decayed;
    add_scaled(decayed, consumed_, 1.0 - present);
    add_scaled(decayed, admitted, present);
    const auto charged = penalties_.find(workload);
    if (charged != penalties_.end()) {
        add_scaled(decayed, charged->second, 1.0);
        penalties_.erase(charged);
    }
    consumed_ = std::move(decayed);
    last_update_ = std::max(now, last_update_.value_or(now));
}

double UsageLedger::usage(const std::map<std::string, double>& resource_weights, double weight)
    const {
    ResourceAmounts all = consumed_;
    for (const auto& [workload, penalty] : penalties_) {
        add_scaled(all, penalty, 1.0);
    }
    double sum = 0.0;
    for (const auto& [resource, amount] : all) {
        const auto of = resource_weights.find(resource);
        sum += (of == resource_weights.end() ? 1.0 : of->second) * amount;
    }
    return weight <= 0.0 ? std::numeric_limits<double>::infinity() : sum / weight;
}

ResourceAmounts entry_penalty(
    const ResourceAmounts& requests, Duration sampling_interval, Duration half_life
) {
    ResourceAmounts made;
    add_scaled(made, requests, alpha(sampling_interval, half_life));
    return made;
}

}  // namespace sluice::engine
