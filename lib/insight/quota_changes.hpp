// Events that raise quotas and limits of the objects that a state knows.
#pragma once

#include "engine/state/state.hpp"
#include "engine/types/amount.hpp"
#include "engine/types/event.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/objects.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace sluice::insight {

/// The part of a quota that a change raises.
enum class QuotaPart : std::uint8_t { Nominal, BorrowingLimit, LendingLimit };

/// A quota of a ClusterQueue or Cohort.
struct QuotaPlace {
    engine::NodeIndex node;
    engine::FlavorIndex flavor;
    engine::ResourceIndex resource;
    QuotaPart part = QuotaPart::Nominal;
};

/// Returns the present value; nullopt if the object, the quota or the limit does not exist.
std::optional<engine::Amount> find_quota(const engine::State& state, const QuotaPlace& place);

/// Returns the event that sets the quota to that value. Requires: find_quota() finds it.
engine::Event make_quota_change(
    const engine::State& state, const QuotaPlace& place, engine::Amount value
);

/// Returns the name of the field.
std::string print_part(QuotaPart part);

}  // namespace sluice::insight
