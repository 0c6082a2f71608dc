#pragma once

#include "engine/reference_assignment.hpp"
#include "engine/types/decision.hpp"
#include "engine/types/objects.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace sluice::reference {

/// What a flavor could give one resource, worst first.
enum class Possibility : std::uint8_t { NoFit, NoCandidates, Preempt, Reclaim, Fit };

/// How well a flavor does.
struct Grade {
    Possibility mode = Possibility::NoFit;
    int level = std::numeric_limits<int>::max();
};

bool is_preferred(const Grade& a, const Grade& b, engine::FungibilityPreference preference);
/// Whether the flavors after one of this grade are considered too.
bool should_try_next(const Grade& grade, const engine::ClusterQueue& queue);
Mode mode_of(Possibility possibility);

/// The order in which resources are considered: FNV-1a of the name.
std::uint64_t fnv1a(const std::string& text);

/// A reason of the assigner; none: upstream writes an empty one.
using Reason = std::optional<engine::WaitingReason>;

/// Severity of a reason; none: 0.
int severity(const Reason& reason);
Reason worse(const Reason& a, const Reason& b);

}  // namespace sluice::reference
