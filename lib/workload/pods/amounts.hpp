// Converts quantities of the API to the scheduler's integers and back.
#pragma once

#include "api/meta/quantity.hpp"
#include "engine/types/amount.hpp"

#include <string>
#include <string_view>

/// Converts quantities of the API to the scheduler's integers and back: cpu in thousandths, all
/// other resources in base units.
namespace sluice::workload {

/// Returns a request as the scheduler counts it: rounded up, saturating.
engine::Amount request_amount(std::string_view resource, const api::Quantity& quantity);

/// Returns a quota or limit as the scheduler counts it; unlimited if it does not fit 64 bits.
engine::Amount quota_amount(std::string_view resource, const api::Quantity& quantity);

/// Returns an amount in the format of its resource: cpu in thousandths; memory and other byte
/// resources in binary units if the amount is a multiple of 1024; all others decimal.
api::Quantity to_quantity(std::string_view resource, engine::Amount amount);

/// Returns an amount as text for messages: as to_quantity() formats it, or `<unlimited>`.
std::string to_text(std::string_view resource, engine::Amount amount);

}  // namespace sluice::workload
