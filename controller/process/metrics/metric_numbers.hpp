// Converts quantities to numbers for metrics: cpu in cores, other resources in base units.
#pragma once

#include "api/meta/quantity.hpp"
#include "engine/types/amount.hpp"

#include <cstdint>
#include <limits>
#include <string_view>

namespace sluice::controller {

/// Converts a quantity of the API.
inline double to_number(std::string_view resource, const api::Quantity& quantity) {
    return resource == "cpu" ? quantity.as_double() : static_cast<double>(quantity.value());
}

/// Converts an amount of the scheduler; an unlimited one becomes infinity.
inline double to_number(std::string_view resource, engine::Amount amount) {
    if (amount.is_unlimited()) {
        return std::numeric_limits<double>::infinity();
    }
    const auto number = static_cast<double>(amount.value());
    return resource == "cpu" ? number / 1000.0 : number;
}

}  // namespace sluice::controller
