#include "engine/random_clusters.hpp"

#include <fmt/format.h>

#include <array>
#include <variant>

namespace sluice::reference {

namespace {

std::string text(engine::Amount amount) {
    return amount.is_unlimited() ? "unlimited" : std::to_string(amount.value());
}

std::string text(engine::Time time) {
    return fmt::format("{}s", double(time.time_since_epoch().count() / 1'000'000) / 1000);
}

std::string text(const std::vector<engine::ResourceGroup>& groups) {
    std::string out;
    for (const engine::ResourceGroup& group : groups) {
        out += " {";
        for (const engine::FlavorQuotas& flavor : group.flavors) {
            out += " " + flavor.flavor + ":";
            for (std::size_t i = 0; i < flavor.quotas.size(); ++i) {
                const engine::ResourceQuota& quota = flavor.quotas[i];
                out += fmt::format(" {}={}", group.covered_resources[i], text(quota.nominal));
                if (quota.borrowing_limit) {
                    out += "+b" + text(*quota.borrowing_limit);
                }
                if (quota.lending_limit) {
                    out += "-l" + text(*quota.lending_limit);
                }
            }
        }
        out += " }";
    }
    return out;
}

std::string text(const engine::QuotaReservation& reservation) {
    std::string out = " holds in " + reservation.cluster_queue;
    if (reservation.reserved_at) {
        out += " since " + text(*reservation.reserved_at);
    }
    out += reservation.evicted ? " evicted" : "";
    out += reservation.admitted ? "" : " not-admitted";
    for (const engine::PodSetAssignment& pod_set : reservation.pod_sets) {
        out += fmt::format(" {}x{}[", pod_set.name, pod_set.count);
        for (const engine::AssignedResource& resource : pod_set.resources) {
            out +=
                fmt::format(" {}/{}={}", resource.flavor, resource.resource, text(resource.amount));
        }
        out += " ]";
    }
    return out;
}

std::string text(const engine::Workload& workload) {
    std::string out = fmt::format(
        "workload {}/{} uid={} in {} prio={} at={} class={}",
        workload.ns,
        workload.name,
        workload.uid,
        workload.local_queue,
        workload.priority,
        text(workload.queue_order),
        workload.scheduling_class
    );
    for (const engine::PodSet& pod_set : workload.pod_sets) {
        out += fmt::format(" {}x{}(", pod_set.name, pod_set.count);
        for (const engine::ResourceRequest& request : pod_set.requests) {
            out += fmt::format(" {}={}", request.resource, text(request.amount));
        }
        out += pod_set.min_count ? fmt::format(" min={}", *pod_set.min_count) : "";
        out += pod_set.reclaimable > 0 ? fmt::format(" reclaimable={}", pod_set.reclaimable) : "";
        out += pod_set.shape > 0 ? fmt::format(" shape={}", pod_set.shape) : "";
        out += pod_set.group.empty() ? " )" : " group=" + pod_set.group + " )";
    }
    out += workload.replaces.empty() ? "" : " replaces " + workload.replaces;
    out += workload.is_unowned ? "" : " of job '" + workload.job + "'";
    out += workload.queueable ? "" : " not-queueable";
    out += workload.requeued_false ? " requeued=false" : "";
    out += workload.requeue_at ? " requeue_at=" + text(*workload.requeue_at) : "";
    out += workload.checks_failed ? " checks-failed" : "";
    out += workload.requests_valid ? "" : " invalid";
    out += workload.preemption_gated ? " gated" : "";
    out += workload.pods_ready ? " ready" : "";
    return workload.reservation ? out + text(*workload.reservation) : out;
}

struct EventText {
    std::string operator()(const engine::FlavorChanged& e) const {
        return "flavor " + e.flavor.name + (e.flavor.topology.empty() ? "" : " with topology");
    }
    std::string operator()(const engine::FlavorDeleted& e) const {
        return "delete flavor " + e.name;
    }
    std::string operator()(const engine::CohortChanged& e) const {
        return fmt::format(
            "cohort {} parent={} weight={}{}",
            e.cohort.name,
            e.cohort.parent,
            e.cohort.fair_weight,
            text(e.cohort.resource_groups)
        );
    }
    std::string operator()(const engine::CohortDeleted& e) const {
        return "delete cohort " + e.name;
    }
    std::string operator()(const engine::ClusterQueueChanged& e) const {
        const engine::ClusterQueue& queue = e.cluster_queue;
        const engine::Preemption& preemption = queue.preemption;
        std::string out = fmt::format(
            "queue {} cohort={} strategy={} borrow={} preempt={} preference={} within={} "
            "reclaim={} "
            "borrowWithin={} weight={} accepts={} byUsage={} generation={}{}",
            queue.name,
            queue.cohort,
            int(queue.strategy),
            int(queue.when_can_borrow),
            int(queue.when_can_preempt),
            int(queue.preference),
            int(preemption.within_cluster_queue),
            int(preemption.reclaim_within_cohort),
            preemption.borrow_within_cohort,
            queue.fair_weight,
            queue.accepts_workloads,
            queue.admission_fair_sharing,
            queue.generation,
            text(queue.resource_groups)
        );
        if (preemption.max_priority_threshold) {
            out += fmt::format(" threshold={}", *preemption.max_priority_threshold);
        }
        return out;
    }
    std::string operator()(const engine::ClusterQueueDeleted& e) const {
        return "delete queue " + e.name;
    }
    std::string operator()(const engine::LocalQueueChanged& e) const {
        std::string out = fmt::format(
            "local queue {}/{} of {} stopped={} namespace={} weight={}",
            e.local_queue.ns,
            e.local_queue.name,
            e.local_queue.cluster_queue,
            e.local_queue.stopped,
            int(e.local_queue.namespace_match),
            e.local_queue.fair_weight
        );
        for (const auto& [resource, amount] : e.local_queue.consumed) {
            out += fmt::format(" consumed {}={}", resource, amount);
        }
        return out;
    }
    std::string operator()(const engine::LocalQueueDeleted& e) const {
        return "delete local queue " + e.ns + "/" + e.name;
    }
    std::string operator()(const engine::NodeChanged& e) const { return "node " + e.node.name; }
    std::string operator()(const engine::NodeDeleted& e) const { return "delete node " + e.name; }
    std::string operator()(const engine::PodShapeChanged& e) const {
        std::string out = fmt::format("shape {}", e.shape.id);
        out += e.shape.topology ? " requests topology" : "";
        for (const std::string& resource : e.shape.resources) {
            out += " " + resource;
        }
        for (const engine::ShapeRefusal& refusal : e.shape.refusals) {
            out += fmt::format(" not {} ({})", refusal.flavor, int(refusal.kind));
        }
        return out;
    }
    std::string operator()(const engine::PodShapeDeleted& e) const {
        return fmt::format("delete shape {}", e.id);
    }
    std::string operator()(const engine::WorkloadChanged& e) const { return text(e.workload); }
    template <class Other>
    std::string operator()(const Other&) const {
        return "event";
    }
};

std::string text(const engine::Options& options) {
    const engine::Gates& gates = options.gates;
    std::string out = options.fair_sharing ? "fair sharing, strategies" : "classical";
    for (const engine::FairSharingStrategy strategy : options.fair_sharing_strategies) {
        out += options.fair_sharing ? " " + std::to_string(int(strategy)) : "";
    }
    const engine::Gates usual;
    const auto note = [&](const char* name, bool value, bool by_default) {
        if (value != by_default) {
            out += fmt::format(", {}={}", name, value);
        }
    };
    note("partial", gates.partial_admission, usual.partial_admission);
    note("fungibility", gates.flavor_fungibility, usual.flavor_fungibility);
    note("progress", gates.flavor_fungibility_preserve_scan_progress, true);
    note("prioritySorting", gates.priority_sorting_within_cohort, true);
    note("withinNominal", gates.fair_sharing_preempt_within_nominal, true);
    note("nonBorrowing", gates.fair_sharing_prioritize_non_borrowing, true);
    note("preventLoops", gates.prevent_fair_sharing_loops, false);
    note("hashing", gates.scheduling_equivalence_hashing, true);
    note("prioritizePreemptor", gates.prioritize_preemptor_workloads, false);
    note("recompute", gates.recompute_assignment_upon_overlap, true);
    note("preemptionGates", gates.preemption_gates, false);
    note("elasticJobs", gates.elastic_jobs, true);
    note("topologyAwareScheduling", gates.topology_aware_scheduling, true);
    note("reclaimable", gates.reclaimable_pods, true);
    note("blockAdmission", options.block_admission_until_pods_ready, false);
    if (options.wake_batch != engine::Duration{}) {
        out += fmt::format(", batch={}ns", options.wake_batch.count());
    }
    if (options.admission_fair_sharing) {
        out += fmt::format(
            ", by usage halfLife={}ns sampling={}ns",
            options.usage_half_life.count(),
            options.usage_sampling_interval.count()
        );
        for (const auto& [resource, weight] : options.resource_weights) {
            out += fmt::format(" {}*{}", resource, weight);
        }
    }
    note(
        "ignoreUndeclared",
        options.quota_check_strategy == engine::QuotaCheckStrategy::IgnoreUndeclared,
        false
    );
    return out;
}

constexpr std::array kKinds = {
    "object",       "submit",         "cycle",        "advance",      "timer",
    "confirm",      "fail admission", "stale echo",   "evicted",      "fail eviction",
    "release",      "finish",         "delete",       "set priority", "set reclaimable",
    "set requests", "set requeue",    "set requeued", "set gate",     "set checks",
    "set hold",     "move",           "touch",        "set admitted", "set ready",
    "set boost",    "set replaces",   "end slice",    "set count",    "set active",
    "set valid",
};

}  // namespace

std::string to_text(const Case& shown) {
    std::string out = fmt::format("seed {}: {}\n", shown.seed, text(shown.options));
    for (const Step& step : shown.steps) {
        if (step.event) {
            out += "  " + std::visit(EventText{}, *step.event) + "\n";
        } else {
            out += fmt::format(
                "  {} {} {} {}\n",
                kKinds[std::size_t(step.kind)],
                step.target.empty() ? "all" : step.target,
                step.number,
                step.other
            );
        }
    }
    return out;
}

}  // namespace sluice::reference
