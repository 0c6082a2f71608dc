#include "engine/state/usage_ledger.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace sluice::engine {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr double kBillion = 1e9;

double seconds(Duration duration) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(duration);
    return static_cast<double>(whole.count()) +
           static_cast<double>((duration - whole).count()) / kBillion;
}

/// Returns the weight of the present after that time: 1 - 0.5^(elapsed / half-life). Returns 0 for
/// a half-life of 0.
double alpha(Duration elapsed, Duration half_life) {
    return half_life == Duration{} ? 0.0
                                   : 1.0 - std::pow(0.5, seconds(elapsed) / seconds(half_life));
}

/// The number digits / 10^places.
struct Decimal {
    std::uint64_t digits = 0;
    std::size_t places = 0;
};

Decimal shortest_decimal(double factor) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(
        buffer.data(), buffer.data() + buffer.size(), factor, std::chars_format::scientific
    );
    SLUICE_ASSERT(end.ec == std::errc());
    Decimal made;
    const char* at = buffer.data();
    for (bool after_point = false; *at != 'e'; ++at) {
        if (*at == '.') {
            after_point = true;
            continue;
        }
        made.digits = made.digits * 10 + static_cast<std::uint64_t>(*at - '0');
        made.places += after_point ? 1 : 0;
    }
    int exponent = 0;
    std::from_chars(at + (at[1] == '+' ? 2 : 1), end.ptr, exponent);
    SLUICE_ASSERT(exponent <= 0);
    made.places += static_cast<std::size_t>(-exponent);
    return made;
}

void add_scaled(ResourceAmounts& into, const ResourceAmounts& amounts, double factor) {
    for (const auto& [resource, amount] : amounts) {
        into[resource] += scaled(amount, factor);
    }
}

void add(ResourceAmounts& into, const ResourceAmounts& amounts) {
    for (const auto& [resource, amount] : amounts) {
        into[resource] += amount;
    }
}

}  // namespace

Billionths scaled(Billionths amount, double factor) {
    SLUICE_ASSERT(factor >= 0.0 && factor <= 1.0);
    // The product does not fit into 128 bits, so it is computed in parts of 18 digits.
    constexpr std::size_t kPartDigits = 18;
    constexpr Wide kPart = 1'000'000'000'000'000'000U;
    const Decimal times = shortest_decimal(factor);
    std::array<Wide, 4> parts{};
    Wide left = static_cast<Wide>(amount < 0 ? -amount : amount);
    Wide carry = 0;
    for (auto& part : parts) {
        carry += left % kPart * times.digits;
        left /= kPart;
        part = carry % kPart;
        carry /= kPart;
    }
    const std::size_t dropped = std::min(times.places / kPartDigits, parts.size());
    Wide divisor = 1;
    for (std::size_t i = 0; i < times.places % kPartDigits; ++i) {
        divisor *= 10;
    }
    Wide result = 0;
    Wide rest = 0;
    for (std::size_t at = parts.size(); at-- > dropped;) {
        const Wide whole = rest * kPart + parts[at];
        result = result * kPart + whole / divisor;
        rest = whole % divisor;
    }
    return amount < 0 ? -static_cast<Billionths>(result) : static_cast<Billionths>(result);
}

void UsageLedger::seed(const ConsumedResources& consumed, Time now) {
    if (is_seeded_) {
        return;
    }
    is_seeded_ = true;
    add(consumed_, consumed);
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
    drop(workload);
    add(charged_, penalty);
    penalties_.emplace(workload, std::move(penalty));
}

void UsageLedger::drop(WorkloadIndex workload) {
    const auto at = penalties_.find(workload);
    if (at == penalties_.end()) {
        return;
    }
    for (const auto& [resource, amount] : at->second) {
        charged_[resource] -= amount;
    }
    penalties_.erase(at);
}

void UsageLedger::consume(
    WorkloadIndex workload, const ResourceAmounts& admitted, Time now, Duration half_life
) {
    const Duration elapsed = std::max(Duration{}, now - last_update_.value_or(now));
    const double present = alpha(elapsed, half_life);
    ResourceAmounts decayed;
    add_scaled(decayed, consumed_, 1.0 - present);
    add_scaled(decayed, admitted, present);
    const auto charged = penalties_.find(workload);
    if (charged != penalties_.end()) {
        add(decayed, charged->second);
        drop(workload);
    }
    consumed_ = std::move(decayed);
    last_update_ = std::max(now, last_update_.value_or(now));
}

void UsageLedger::step_clock(Duration by) {
    if (last_update_) {
        last_update_ = shifted(*last_update_, by);
    }
}

double UsageLedger::usage(const std::map<std::string, double>& resource_weights, double weight)
    const {
    ResourceAmounts all = consumed_;
    add(all, charged_);
    double sum = 0.0;
    for (const auto& [resource, amount] : all) {
        const auto of = resource_weights.find(resource);
        // Multiplies by 10^-9 instead of dividing by 10^9, as Kubernetes converts quantities to
        // floating point numbers.
        sum += (of == resource_weights.end() ? 1.0 : of->second) *
               (static_cast<double>(amount) * 1e-9);
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
