#include "engine/random_clusters.hpp"

#include <algorithm>

namespace sluice::reference {

namespace {

/// Leaves out runs of steps, long ones first.
void leave_out_steps(Case& failing, const Check& check) {
    for (std::size_t length = failing.steps.size() / 2 + 1; length > 0; length /= 2) {
        for (std::size_t at = 0; at < failing.steps.size();) {
            Case smaller = failing;
            const auto from = smaller.steps.begin() + std::ptrdiff_t(at);
            const std::size_t count = std::min(length, smaller.steps.size() - at);
            smaller.steps.erase(from, from + std::ptrdiff_t(count));
            if (check(smaller)) {
                failing = std::move(smaller);
            } else {
                at += length;
            }
        }
    }
}

template <class Change>
void try_change(Case& failing, const Check& check, Change change) {
    Case simpler = failing;
    change(simpler);
    if (check(simpler)) {
        failing = std::move(simpler);
    }
}

void simplify_groups(
    Case& failing,
    const Check& check,
    const std::function<std::vector<engine::ResourceGroup>*(Case&)>& groups_of
) {
    for (std::size_t g = 0; groups_of(failing) != nullptr && g < groups_of(failing)->size(); ++g) {
        const auto group = [&](Case& of) -> engine::ResourceGroup& { return (*groups_of(of))[g]; };
        for (std::size_t f = 0; f < group(failing).flavors.size(); ++f) {
            try_change(failing, check, [&](Case& simpler) {
                for (engine::ResourceQuota& quota : group(simpler).flavors[f].quotas) {
                    quota.borrowing_limit.reset();
                    quota.lending_limit.reset();
                }
            });
            if (group(failing).flavors.size() > 1) {
                try_change(failing, check, [&](Case& simpler) {
                    auto& flavors = group(simpler).flavors;
                    flavors.erase(flavors.begin() + std::ptrdiff_t(f));
                });
            }
        }
        for (std::size_t r = 0; r < group(failing).covered_resources.size(); ++r) {
            if (group(failing).covered_resources.size() == 1) {
                break;
            }
            try_change(failing, check, [&](Case& simpler) {
                engine::ResourceGroup& from = group(simpler);
                from.covered_resources.erase(from.covered_resources.begin() + std::ptrdiff_t(r));
                for (engine::FlavorQuotas& flavor : from.flavors) {
                    flavor.quotas.erase(flavor.quotas.begin() + std::ptrdiff_t(r));
                }
            });
        }
    }
}

void simplify_workload(Case& failing, const Check& check, std::size_t step) {
    const auto workload = [&](Case& of) -> engine::Workload& {
        return std::get<engine::WorkloadChanged>(*of.steps[step].event).workload;
    };
    for (std::size_t p = workload(failing).pod_sets.size(); p > 1; --p) {
        try_change(failing, check, [&](Case& simpler) {
            const std::string name = workload(simpler).pod_sets[p - 1].name;
            workload(simpler).pod_sets.erase(
                workload(simpler).pod_sets.begin() + std::ptrdiff_t(p - 1)
            );
            if (auto& reservation = workload(simpler).reservation) {
                std::erase_if(reservation->pod_sets, [&](const auto& pod_set) {
                    return pod_set.name == name;
                });
            }
        });
    }
    for (std::size_t p = 0; p < workload(failing).pod_sets.size(); ++p) {
        const auto pod_set = [&](Case& of) -> engine::PodSet& { return workload(of).pod_sets[p]; };
        try_change(failing, check, [&](Case& simpler) { pod_set(simpler).min_count.reset(); });
        try_change(failing, check, [&](Case& simpler) { pod_set(simpler).group.clear(); });
        try_change(failing, check, [&](Case& simpler) { pod_set(simpler).shape = 0; });
        try_change(failing, check, [&](Case& simpler) { pod_set(simpler).reclaimable = 0; });
        for (std::size_t r = pod_set(failing).requests.size(); r > 0; --r) {
            try_change(failing, check, [&](Case& simpler) {
                auto& requests = pod_set(simpler).requests;
                requests.erase(requests.begin() + std::ptrdiff_t(r - 1));
            });
        }
    }
    try_change(failing, check, [&](Case& simpler) { workload(simpler).replaces.clear(); });
    try_change(failing, check, [&](Case& simpler) {
        workload(simpler).job.clear();
        workload(simpler).is_unowned = true;
    });
    try_change(failing, check, [&](Case& simpler) { workload(simpler).priority = 0; });
    try_change(failing, check, [&](Case& simpler) { workload(simpler).preemption_gated = false; });
    try_change(failing, check, [&](Case& simpler) { workload(simpler).scheduling_class = 0; });
    try_change(failing, check, [&](Case& simpler) { workload(simpler).requeue_at.reset(); });
    try_change(failing, check, [&](Case& simpler) { workload(simpler).requeued_false = false; });
}

void simplify_queue(Case& failing, const Check& check, std::size_t step) {
    const auto queue = [&](Case& of) -> engine::ClusterQueue& {
        return std::get<engine::ClusterQueueChanged>(*of.steps[step].event).cluster_queue;
    };
    const engine::ClusterQueue usual;
    try_change(failing, check, [&](Case& simpler) { queue(simpler).cohort.clear(); });
    try_change(failing, check, [&](Case& simpler) { queue(simpler).preemption = {}; });
    try_change(failing, check, [&](Case& simpler) {
        queue(simpler).preemption.borrow_within_cohort = false;
        queue(simpler).preemption.max_priority_threshold.reset();
    });
    try_change(failing, check, [&](Case& simpler) { queue(simpler).strategy = usual.strategy; });
    try_change(failing, check, [&](Case& simpler) { queue(simpler).fair_weight = 1; });
    try_change(failing, check, [&](Case& simpler) {
        queue(simpler).admission_fair_sharing = false;
    });
    try_change(failing, check, [&](Case& simpler) {
        queue(simpler).preference = usual.preference;
    });
    try_change(failing, check, [&](Case& simpler) {
        queue(simpler).when_can_borrow = usual.when_can_borrow;
    });
    try_change(failing, check, [&](Case& simpler) {
        queue(simpler).when_can_preempt = usual.when_can_preempt;
    });
    simplify_groups(failing, check, [&](Case& of) { return &queue(of).resource_groups; });
}

void simplify_local_queue(Case& failing, const Check& check, std::size_t step) {
    const auto local_queue = [&](Case& of) -> engine::LocalQueue& {
        return std::get<engine::LocalQueueChanged>(*of.steps[step].event).local_queue;
    };
    try_change(failing, check, [&](Case& simpler) { local_queue(simpler).consumed.clear(); });
    try_change(failing, check, [&](Case& simpler) { local_queue(simpler).fair_weight = 1; });
    try_change(failing, check, [&](Case& simpler) { local_queue(simpler).stopped = false; });
    try_change(failing, check, [&](Case& simpler) {
        local_queue(simpler).namespace_match = engine::NamespaceMatch::Matches;
    });
}

void simplify_options(Case& failing, const Check& check) {
    try_change(failing, check, [](Case& simpler) { simpler.options = {}; });
    try_change(failing, check, [](Case& simpler) { simpler.options.gates = {}; });
    try_change(failing, check, [](Case& simpler) {
        simpler.options.fair_sharing_strategies = engine::Options().fair_sharing_strategies;
    });
    try_change(failing, check, [](Case& simpler) {
        simpler.options.admission_fair_sharing = false;
    });
    try_change(failing, check, [](Case& simpler) { simpler.options.resource_weights.clear(); });
    try_change(failing, check, [](Case& simpler) { simpler.options.wake_batch = {}; });
    try_change(failing, check, [](Case& simpler) {
        simpler.options.block_admission_until_pods_ready = false;
    });
    try_change(failing, check, [](Case& simpler) {
        simpler.options.quota_check_strategy = engine::QuotaCheckStrategy::BlockUndeclared;
    });
}

}  // namespace

Case shrink(Case failing, const Check& check) {
    for (std::size_t before = failing.steps.size() + 1; failing.steps.size() < before;) {
        before = failing.steps.size();
        leave_out_steps(failing, check);
        simplify_options(failing, check);
        for (std::size_t step = 0; step < failing.steps.size(); ++step) {
            if (!failing.steps[step].event) {
                continue;
            }
            const engine::Event event = *failing.steps[step].event;
            if (std::holds_alternative<engine::WorkloadChanged>(event)) {
                simplify_workload(failing, check, step);
            } else if (std::holds_alternative<engine::ClusterQueueChanged>(event)) {
                simplify_queue(failing, check, step);
            } else if (std::holds_alternative<engine::LocalQueueChanged>(event)) {
                simplify_local_queue(failing, check, step);
            } else if (std::holds_alternative<engine::CohortChanged>(event)) {
                const auto cohort = [step](Case& of) -> engine::Cohort& {
                    return std::get<engine::CohortChanged>(*of.steps[step].event).cohort;
                };
                try_change(failing, check, [&](Case& simpler) {
                    cohort(simpler).resource_groups.clear();
                });
                simplify_groups(failing, check, [&](Case& of) {
                    return &cohort(of).resource_groups;
                });
            }
        }
    }
    return failing;
}

}  // namespace sluice::reference
