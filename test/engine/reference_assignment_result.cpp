// What an assignment says about itself.
#include "engine/reference_assignment.hpp"

#include <algorithm>

namespace sluice::reference {

bool ScanState::has_progress() const {
    for (const auto& pod_set : tried) {
        for (const auto& [resource, index] : pod_set) {
            if (index != -1) {
                return true;
            }
        }
    }
    return false;
}

Mode PodSetResult::mode() const {
    if (failed) {
        return Mode::NoFit;
    }
    if (complaints.empty()) {
        return Mode::Fit;
    }
    Mode worst = choices.empty() ? Mode::NoFit : Mode::Fit;
    for (const auto& [resource, choice] : choices) {
        worst = std::min(worst, choice.mode);
    }
    return worst;
}

Mode Assignment::mode() const {
    if (pod_sets.empty()) {
        return Mode::NoFit;
    }
    if (deferred) {
        return Mode::DeferredFit;
    }
    Mode worst = Mode::Fit;
    for (const PodSetResult& pod_set : pod_sets) {
        worst = std::min(worst, pod_set.mode());
    }
    return worst;
}

std::set<int> Assignment::pairs_needing_preemption(const Snapshot& snapshot) const {
    std::set<int> result;
    for (const PodSetResult& pod_set : pod_sets) {
        for (const auto& [resource, choice] : pod_set.choices) {
            if (choice.mode == Mode::Preempt) {
                result.insert(snapshot.pair_numbers.at({choice.flavor, resource}));
            }
        }
    }
    return result;
}

Quantities Assignment::requested(const Snapshot& snapshot) const {
    Quantities result;
    for (const auto& [pair, amount] : usage) {
        const bool is_pods = snapshot.pairs[std::size_t(pair)].second == "pods";
        if (amount != Amount() && !is_pods) {
            result[pair] = amount;
        }
    }
    return result;
}

}  // namespace sluice::reference
