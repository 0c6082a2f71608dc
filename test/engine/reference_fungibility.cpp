#include "engine/reference_fungibility.hpp"

namespace sluice::reference {

using engine::FungibilityPolicy;
using engine::FungibilityPreference;
using engine::WaitingReason;

bool is_preferred(const Grade& a, const Grade& b, FungibilityPreference preference) {
    if (a.mode == Possibility::NoFit) {
        return false;
    }
    if (b.mode == Possibility::NoFit) {
        return true;
    }
    const bool a_without = a.mode == Possibility::NoCandidates;
    const bool b_without = b.mode == Possibility::NoCandidates;
    if (a_without != b_without) {
        return b_without;
    }
    if (preference == FungibilityPreference::PreemptionOverBorrowing) {
        return a.level != b.level ? a.level < b.level : a.mode > b.mode;
    }
    return a.mode != b.mode ? a.mode > b.mode : a.level < b.level;
}

bool should_try_next(const Grade& grade, const engine::ClusterQueue& queue) {
    switch (grade.mode) {
        case Possibility::NoFit:
        case Possibility::NoCandidates:
            return true;
        case Possibility::Preempt:
        case Possibility::Reclaim:
            if (queue.when_can_preempt == FungibilityPolicy::TryNextFlavor) {
                return true;
            }
            break;
        case Possibility::Fit:
            break;
    }
    return grade.level > 0 && queue.when_can_borrow == FungibilityPolicy::TryNextFlavor;
}

Mode mode_of(Possibility possibility) {
    switch (possibility) {
        case Possibility::NoFit:
            return Mode::NoFit;
        case Possibility::NoCandidates:
        case Possibility::Preempt:
        case Possibility::Reclaim:
            return Mode::Preempt;
        case Possibility::Fit:
            return Mode::Fit;
    }
    return Mode::NoFit;
}

std::uint64_t fnv1a(const std::string& text) {
    std::uint64_t hash = 14695981039346656037U;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
    return hash;
}

int severity(const Reason& reason) {
    if (reason == WaitingReason::NoMatchingFlavor) {
        return 4;
    }
    if (reason == WaitingReason::ExceedsMaxQuota) {
        return 3;
    }
    if (reason == WaitingReason::WaitingForQuota) {
        return 2;
    }
    return reason == WaitingReason::TopologyPlacementFailed ? 1 : 0;
}

Reason worse(const Reason& a, const Reason& b) {
    return severity(a) >= severity(b) ? a : b;
}

}  // namespace sluice::reference
