#include "engine/reference_usage.hpp"

#include "engine/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace sluice::reference {

namespace {

constexpr int kPlaces = 9;

std::vector<int> digits_of(const std::string& text) {
    std::vector<int> digits;
    for (auto at = text.rbegin(); at != text.rend(); ++at) {
        if (*at != '.') {
            digits.push_back(*at - '0');
        }
    }
    return digits;
}

/// Carries tens over to the next digit.
std::vector<int> normalized(std::vector<int> digits) {
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (digits[i] >= 10) {
            if (i + 1 == digits.size()) {
                digits.push_back(0);
            }
            digits[i + 1] += digits[i] / 10;
            digits[i] %= 10;
        }
    }
    return digits;
}

double seconds(Duration duration) {
    const std::int64_t count = duration.count();
    return double(count / 1'000'000'000) + double(count % 1'000'000'000) / 1e9;
}

}  // namespace

Decimal Decimal::of(std::int64_t value, int places) {
    Decimal made;
    made.digits_ =
        digits_of(std::to_string(value) + std::string(std::size_t(kPlaces - places), '0'));
    return made;
}

Decimal Decimal::plus(const Decimal& other) const {
    Decimal made = *this;
    made.digits_.resize(std::max(digits_.size(), other.digits_.size()));
    for (std::size_t i = 0; i < other.digits_.size(); ++i) {
        made.digits_[i] += other.digits_[i];
    }
    made.digits_ = normalized(std::move(made.digits_));
    return made;
}

Decimal Decimal::times(double factor) const {
    std::array<char, 400> buffer{};
    const auto end = std::to_chars(
        buffer.data(), buffer.data() + buffer.size(), factor, std::chars_format::fixed
    );
    const std::string text(buffer.data(), end.ptr);
    const std::size_t point = text.find('.');
    const std::size_t places = point == std::string::npos ? 0 : text.size() - point - 1;
    const std::vector<int> multiplier = digits_of(text);
    std::vector<int> product(digits_.size() + multiplier.size());
    for (std::size_t i = 0; i < digits_.size(); ++i) {
        for (std::size_t k = 0; k < multiplier.size(); ++k) {
            product[i + k] += digits_[i] * multiplier[k];
        }
    }
    product = normalized(std::move(product));
    Decimal made;
    for (std::size_t i = places; i < product.size(); ++i) {
        made.digits_.push_back(product[i]);
    }
    return made;
}

double Decimal::to_double() const {
    std::string text = "0";
    for (auto at = digits_.rbegin(); at != digits_.rend(); ++at) {
        text += char('0' + *at);
    }
    return std::stod(text) * 1e-9;
}

Decimals sum_of(Decimals a, const Decimals& b) {
    for (const auto& [resource, amount] : b) {
        a[resource] = a[resource].plus(amount);
    }
    return a;
}

Decimals product_of(const Decimals& amounts, double factor) {
    Decimals made;
    for (const auto& [resource, amount] : amounts) {
        made[resource] = amount.times(factor);
    }
    return made;
}

double weight_of_present(Duration elapsed, Duration half_life) {
    if (half_life == Duration{}) {
        return 0.0;
    }
    return 1.0 - std::pow(0.5, seconds(elapsed) / seconds(half_life));
}

void UsageAccount::decay(const Decimals& admitted, Time now, Duration half_life) {
    const Time since = last_update.value_or(now);
    const double present = weight_of_present(std::max(Duration{}, now - since), half_life);
    consumed = sum_of(product_of(consumed, 1.0 - present), product_of(admitted, present));
    last_update = std::max(now, since);
}

double UsageAccount::usage(const std::map<std::string, double>& resource_weights, double weight)
    const {
    if (weight <= 0) {
        return std::numeric_limits<double>::infinity();
    }
    Decimals all = consumed;
    for (const auto& [workload, penalty] : penalties) {
        all = sum_of(all, penalty);
    }
    double sum = 0;
    for (const auto& [resource, amount] : all) {
        const auto given = resource_weights.find(resource);
        sum += (given == resource_weights.end() ? 1.0 : given->second) * amount.to_double();
    }
    return sum / weight;
}

namespace {

Decimal to_decimal(const std::string& resource, Amount amount) {
    return Decimal::of(amount.value(), resource == "cpu" ? 3 : 0);
}

}  // namespace

bool Cluster::orders_by_usage(const Queue& queue) const {
    return options_.admission_fair_sharing && queue.object.admission_fair_sharing;
}

double Cluster::fair_usage(const std::string& local_queue) const {
    const auto object = local_queues_.find(local_queue);
    const auto account = accounts_.find(local_queue);
    const double weight = object == local_queues_.end() ? 1.0 : object->second.fair_weight;
    return (account == accounts_.end() ? UsageAccount() : account->second)
        .usage(options_.resource_weights, weight);
}

/// What the LocalQueue's Admitted workloads hold in its ClusterQueue.
Decimals Cluster::admitted_usage(const std::string& local_queue) const {
    Decimals made;
    for (const auto& [key, entry] : workloads_) {
        const engine::QuotaReservation* reservation = held(entry);
        if (reservation == nullptr || !reservation->admitted ||
            entry.object.ns + "/" + entry.object.local_queue != local_queue ||
            local_queues_.at(local_queue).cluster_queue != reservation->cluster_queue) {
            continue;
        }
        for (const auto& [pair, amount] : usage_of(entry.object, *reservation)) {
            made = sum_of(made, {{pair.second, to_decimal(pair.second, amount)}});
        }
    }
    return made;
}

void Cluster::seed_usage(const std::string& local_queue, Time now) {
    if (!options_.admission_fair_sharing) {
        return;
    }
    UsageAccount& account = accounts_[local_queue];
    if (account.is_seeded) {
        return;
    }
    account.is_seeded = true;
    if (options_.usage_half_life != Duration{}) {
        for (const auto& [resource, amount] : local_queues_.at(local_queue).consumed) {
            account.consumed[resource] = Decimal::of(static_cast<std::int64_t>(amount), 9);
        }
    }
    account.last_update = now;
    if (options_.usage_sampling_interval > Duration{}) {
        account.sample_at = now + options_.usage_sampling_interval;
    }
}

void Cluster::sample_usage(Time now) {
    for (auto& [local_queue, account] : accounts_) {
        if (!account.sample_at || *account.sample_at > now) {
            continue;
        }
        const Time due = *account.last_update + options_.usage_sampling_interval;
        if (due > now && account.penalties.empty()) {
            account.sample_at = due;
            continue;
        }
        account.sample_at = now + options_.usage_sampling_interval;
        if (options_.usage_half_life == Duration{}) {
            account.consumed.clear();
            account.last_update = now;
        } else {
            account.decay(admitted_usage(local_queue), now, options_.usage_half_life);
        }
    }
}

void Cluster::charge_penalty(const std::string& key) {
    const engine::Workload& workload = workloads_.at(key).object;
    const std::string local_queue = workload.ns + "/" + workload.local_queue;
    const Queue& queue = queues_.at(local_queues_.at(local_queue).cluster_queue);
    if (!orders_by_usage(queue)) {
        return;
    }
    std::set<std::string> covered;
    for (const engine::ResourceGroup& group : queue.object.resource_groups) {
        covered.insert(group.covered_resources.begin(), group.covered_resources.end());
    }
    Decimals requests;
    for (const PodSetTotal& total : totals_of(workload, options_)) {
        for (const auto& [resource, amount] : total.requests) {
            if (covered.contains(resource) ||
                options_.quota_check_strategy == engine::QuotaCheckStrategy::BlockUndeclared) {
                requests = sum_of(requests, {{resource, to_decimal(resource, amount)}});
            }
        }
    }
    accounts_.at(local_queue).penalties[key] = product_of(
        requests, weight_of_present(options_.usage_sampling_interval, options_.usage_half_life)
    );
}

void Cluster::drop_penalty(const std::string& local_queue, const std::string& key) {
    const auto account = accounts_.find(local_queue);
    if (account != accounts_.end()) {
        account->second.penalties.erase(key);
    }
}

/// The workload became Admitted: its penalty is consumption from now on.
void Cluster::settle_penalty(const std::string& key, Time now) {
    const Entry& entry = workloads_.at(key);
    const std::string local_queue = entry.object.ns + "/" + entry.object.local_queue;
    const std::string& holds_in = held(entry)->cluster_queue;
    const auto object = local_queues_.find(local_queue);
    if (object == local_queues_.end() || object->second.cluster_queue != holds_in ||
        !queues_.contains(holds_in) || !orders_by_usage(queues_.at(holds_in))) {
        return;
    }
    UsageAccount& account = accounts_.at(local_queue);
    account.decay(admitted_usage(local_queue), now, options_.usage_half_life);
    const auto penalty = account.penalties.find(key);
    if (penalty != account.penalties.end()) {
        account.consumed = sum_of(account.consumed, penalty->second);
        account.penalties.erase(penalty);
    }
}

}  // namespace sluice::reference
