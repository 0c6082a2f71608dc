#pragma once

#include "api/meta/quantity.hpp"
#include "engine/types/amount.hpp"

#include <string>
#include <string_view>

/// Between quantities of the API and the scheduler's integers: cpu in thousandths, all else in base
/// units.
namespace sluice::workload {

/// A request as the scheduler counts it: rounded up, saturating.
engine::Amount request_amount(std::string_view resource, const api::Quantity& quantity);

/// A quota or limit as the scheduler counts it. What does not fit 64 bits is unlimited.
engine::Amount quota_amount(std::string_view resource, const api::Quantity& quantity);

/// The quantity in the format of its resource: cpu in milli, memory and the like binary when it is
/// whole kibibytes, others decimal.
api::Quantity to_quantity(std::string_view resource, engine::Amount amount);

/// The same as text for messages; an unlimited amount is `<unlimited>`.
std::string to_text(std::string_view resource, engine::Amount amount);

}  // namespace sluice::workload
