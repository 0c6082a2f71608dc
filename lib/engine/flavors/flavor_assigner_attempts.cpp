// Findings about the considered flavors: the reason of a refusal, and the flavors that an admission
// passed over.
#include "engine/flavors/flavor_assigner.hpp"

#include <map>
#include <utility>

namespace sluice::engine {
namespace {

int severity(WaitingReason reason) {
    switch (reason) {
        case WaitingReason::NoMatchingFlavor:
            return 4;
        case WaitingReason::ExceedsMaxQuota:
            return 3;
        case WaitingReason::WaitingForQuota:
            return 2;
        case WaitingReason::TopologyPlacementFailed:
            return 1;
        case WaitingReason::WaitingForPreemptedWorkloads:
        case WaitingReason::Misconfigured:
        case WaitingReason::PendingEvaluation:
        case WaitingReason::WaitingForPodsReady:
        case WaitingReason::AdmissionGated:
        case WaitingReason::Unspecified:
        case WaitingReason::UnspecifiedTopology:
            return 0;
    }
    return 0;
}

}  // namespace

WaitingReason more_severe(WaitingReason a, WaitingReason b) {
    return severity(a) >= severity(b) ? a : b;
}

WaitingReason FlavorAssigner::more_severe_of(WaitingReason overall, const Attempts& attempts) {
    if (attempts.empty()) {
        return more_severe(overall, WaitingReason::NoMatchingFlavor);
    }
    // The flavors of a resource group are alternatives, but all resource groups are required.
    std::map<std::size_t, WaitingReason> least;
    for (const auto& attempt : attempts) {
        if (attempt.mode != FlavorMode::NoFit) {
            continue;
        }
        const auto [at, inserted] = least.emplace(attempt.group, attempt.reason);
        if (!inserted && severity(attempt.reason) < severity(at->second)) {
            at->second = attempt.reason;
        }
    }
    for (const auto& [group, reason] : least) {
        overall = more_severe(overall, reason);
    }
    return overall;
}

void FlavorAssigner::note_considered(
    std::size_t resource_group, std::vector<ConsideredFlavor>& into
) const {
    const auto at = [this](std::size_t index) {
        return refusals_.begin() + static_cast<std::ptrdiff_t>(index);
    };
    for (const auto& attempt : attempts_) {
        if (attempt.group == resource_group &&
            (attempt.mode != FlavorMode::Fit || attempt.level > 0)) {
            into.push_back({
                .flavor = attempt.flavor,
                .mode = attempt.mode,
                .level = attempt.level,
                .refusals = {at(attempt.refusals_begin), at(attempt.refusals_end)},
            });
        }
    }
}

std::vector<ConsideredFlavor> FlavorAssigner::consider_skipped(
    const Group& group, std::size_t resource_group, std::size_t count, const Usages& assumed
) {
    auto refusals = std::exchange(refusals_, {});
    auto attempts = std::exchange(attempts_, {});
    std::vector<ConsideredFlavor> made;
    made.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        refusals_.clear();
        ConsideredFlavor& looked_at = made.emplace_back();
        looked_at.flavor = queue_.groups[resource_group].flavors[i];
        if (shape_allows(group, resource_group, looked_at.flavor)) {
            FlavorChoices choices;
            const auto preference =
                try_flavor(group, resource_group, looked_at.flavor, assumed, choices);
            looked_at.mode = preference.mode;
            looked_at.level = preference.level;
        }
        looked_at.refusals = refusals_;
    }
    refusals_ = std::move(refusals);
    attempts_ = std::move(attempts);
    return made;
}

}  // namespace sluice::engine
