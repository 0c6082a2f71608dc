#pragma once

#include "api/meta/quantity.hpp"
#include "engine/types/amount.hpp"

#include <cstdint>
#include <limits>
#include <string_view>

/// Amounts as metrics show them: cpu in cores, all else in base units.
namespace sluice::controller {

/// The number of a quantity.
inline double to_number(std::string_view resource, const api::Quantity& quantity) {
    return resource == "cpu" ? quantity.as_double() : static_cast<double>(quantity.value());
}

/// The number of an amount as the scheduler counts it; an unlimited one is infinite.
inline double to_number(std::string_view resource, engine::Amount amount) {
    if (amount.is_unlimited()) {
        return std::numeric_limits<double>::infinity();
    }
    const auto number = static_cast<double>(amount.value());
    return resource == "cpu" ? number / 1000.0 : number;
}

}  // namespace sluice::controller
