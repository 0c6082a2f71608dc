#include "sim/pods/addresses.hpp"

#include "sim/objects/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace sluice::sim {

namespace {

constexpr std::uint32_t kHosts = 254;
constexpr std::uint32_t kSubnets = 256;
constexpr std::uint32_t kAddresses = kSubnets * kHosts;

bool starts(const Write& write) {
    return write.verb == Write::Verb::PatchStatus &&
           text_at(write.body, {"status", "phase"}) == "Running";
}

}  // namespace

void AddressPool::use(std::string_view address) {
    if (const auto number = read(address)) {
        used_.insert(*number);
    }
}

void AddressPool::release(std::string_view address) {
    if (const auto number = read(address)) {
        used_.erase(*number);
    }
}

std::string AddressPool::take() {
    if (used_.size() < kAddresses) {
        while (used_.contains(next_)) {
            next_ = (next_ + 1) % kAddresses;
        }
    }
    const std::uint32_t number = next_;
    next_ = (next_ + 1) % kAddresses;
    used_.insert(number);
    return print(number);
}

std::string AddressPool::print(std::uint32_t number) const {
    return fmt::format("{}.{}.{}", network_, number / kHosts, number % kHosts + 1);
}

std::optional<std::uint32_t> AddressPool::read(std::string_view address) const {
    if (!address.starts_with(network_ + ".")) {
        return std::nullopt;
    }
    address.remove_prefix(network_.size() + 1);
    const char* const last = address.data() + address.size();
    std::uint32_t third = 0;
    std::uint32_t fourth = 0;
    const auto [dot, error] = std::from_chars(address.data(), last, third);
    if (error != std::errc() || dot == last || *dot != '.') {
        return std::nullopt;
    }
    const auto [end, other] = std::from_chars(dot + 1, last, fourth);
    const bool is_known =
        other == std::errc() && end == last && third < kSubnets && fourth >= 1 && fourth <= kHosts;
    return is_known ? std::optional(third * kHosts + fourth - 1) : std::nullopt;
}

void follow_pod(AddressPool& pool, const json::Value* before, const json::Value* after) {
    if (after != nullptr) {
        pool.use(text_at(*after, {"status", "podIP"}));
    } else if (before != nullptr) {
        pool.release(text_at(*before, {"status", "podIP"}));
    }
}

void follow_node(AddressPool& pool, const json::Value& node) {
    for (const json::Value& address : list_at(node, {"status", "addresses"})) {
        pool.use(address.string_at("address"));
    }
}

bool begins_to_run(const json::Value& pod, const Outcome& outcome) {
    return text_at(pod, {"status", "podIP"}).empty() && std::ranges::any_of(outcome.writes, starts);
}

void give_pod_addresses(Outcome& outcome, const std::string& own, const json::Value* node) {
    const json::Value* address =
        node == nullptr
            ? nullptr
            : find_element(list_at(*node, {"status", "addresses"}), "type", "InternalIP");
    for (Write& write : outcome.writes) {
        if (!starts(write)) {
            continue;
        }
        json::Value& status = make_object_at(write.body, {"status"});
        status.set("podIP", own);
        status.set("podIPs", json::Array{json::Object{{"ip", own}}});
        if (address != nullptr) {
            const std::string host(address->string_at("address"));
            status.set("hostIP", host);
            status.set("hostIPs", json::Array{json::Object{{"ip", host}}});
        }
    }
}

}  // namespace sluice::sim
