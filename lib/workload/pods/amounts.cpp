#include "workload/pods/amounts.hpp"

#include <limits>

namespace sluice::workload {
namespace {

constexpr std::string_view kCpu = "cpu";
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

bool is_binary(std::string_view resource) {
    return resource == "memory" || resource == "ephemeral-storage" ||
           resource.starts_with("hugepages-");
}

}  // namespace

engine::Amount request_amount(std::string_view resource, const api::Quantity& quantity) {
    return engine::Amount(resource == kCpu ? quantity.milli_value() : quantity.value());
}

engine::Amount quota_amount(std::string_view resource, const api::Quantity& quantity) {
    const api::Quantity too_much(resource == kCpu ? kMax / 1000 : kMax);
    return quantity >= too_much ? engine::Amount::unlimited() : request_amount(resource, quantity);
}

api::Quantity to_quantity(std::string_view resource, engine::Amount amount) {
    if (resource == kCpu) {
        return api::Quantity::from_milli(amount.value());
    }
    // Upstream parses its own output again: bytes that are not a multiple of 1024 become decimal.
    constexpr std::int64_t kKibi = 1024;
    using Format = api::Quantity::Format;
    const bool is_in_kibi = is_binary(resource) && amount.value() % kKibi == 0;
    return api::Quantity(amount.value(), is_in_kibi ? Format::BinarySI : Format::DecimalSI);
}

std::string to_text(std::string_view resource, engine::Amount amount) {
    return amount.is_unlimited() ? "<unlimited>" : to_quantity(resource, amount).to_string();
}

}  // namespace sluice::workload
