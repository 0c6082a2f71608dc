#include "engine/random_maker.hpp"

#include <algorithm>

namespace sluice::reference {

using engine::Amount;
using engine::PreemptionPolicy;

void Maker::make_options() {
    engine::Options& options = result_.options;
    engine::Gates& gates = options.gates;
    options.fair_sharing = chance(40);
    const auto first = engine::FairSharingStrategy::LessThanOrEqualToFinalShare;
    const auto second = engine::FairSharingStrategy::LessThanInitialShare;
    switch (pick(0, 3)) {
        case 0:
            options.fair_sharing_strategies = {first};
            break;
        case 1:
            options.fair_sharing_strategies = {second};
            break;
        default:
            options.fair_sharing_strategies = {first, second};
    }
    if (chance(15)) {
        options.quota_check_strategy = engine::QuotaCheckStrategy::IgnoreUndeclared;
    }
    gates.partial_admission = !chance(10);
    gates.flavor_fungibility = !chance(4);
    gates.flavor_fungibility_preserve_scan_progress = !chance(15);
    gates.priority_sorting_within_cohort = !chance(10);
    gates.fair_sharing_preempt_within_nominal = !chance(20);
    gates.fair_sharing_prioritize_non_borrowing = !chance(20);
    gates.prevent_fair_sharing_loops = chance(30);
    gates.scheduling_equivalence_hashing = !chance(15);
    gates.prioritize_preemptor_workloads = chance(20);
    gates.recompute_assignment_upon_overlap = !chance(20);
    gates.preemption_gates = chance(20);
    gates.reclaimable_pods = !chance(5);
    gates.elastic_jobs = !chance(8);
    gates.topology_aware_scheduling = !chance(15);
    options.block_admission_until_pods_ready = chance(8);
    const std::vector<std::int64_t> batches = {1, 1, 2, 5};
    if (chance(30)) {
        options.wake_batch = std::chrono::seconds(one_of(batches));
    }
    // Not with amounts near the largest: what upstream's sums of usage are worth then depends on
    // the order in which they saturated.
    if (saturated_ || !chance(30)) {
        return;
    }
    options.admission_fair_sharing = true;
    const std::vector<std::int64_t> half_lives = {0, 1, 3, 10, 10, 604'800};
    const std::vector<std::int64_t> intervals = {0, 1, 2, 5, 5, 10};
    options.usage_half_life = std::chrono::seconds(one_of(half_lives));
    options.usage_sampling_interval = std::chrono::seconds(one_of(intervals));
    const std::vector<double> weights = {0, 0.001, 0.5, 1, 2.5};
    for (const char* resource : {"cpu", "memory", "example.com/gpu"}) {
        if (chance(40)) {
            options.resource_weights[resource] = one_of(weights);
        }
    }
}

engine::PodShape Maker::shape(std::uint32_t id) {
    engine::PodShape made{.id = id, .refusals = {}, .resources = {}};
    if (has_topologies_ && chance(40)) {
        made.topology = engine::TopologyRequest{};
        for (const char* resource : {"cpu", "memory", "example.com/gpu"}) {
            if (chance(60)) {
                made.resources.emplace_back(resource);
            }
        }
    }
    for (const std::string& flavor : flavors_) {
        if (chance(35)) {
            using enum engine::ShapeRefusalKind;
            engine::ShapeRefusal& refusal = made.refusals.emplace_back();
            refusal.flavor = flavor;
            refusal.kind = chance(50)                    ? UntoleratedTaint
                           : chance(10)                  ? InvalidAffinity
                           : made.topology && chance(50) ? MissingTopologyLevel
                                                         : NodeAffinity;
            refusal.taint = refusal.kind == UntoleratedTaint ? std::uint32_t(pick(0, 1)) : 0;
        }
    }
    return made;
}

engine::ResourceFlavor Maker::flavor(const std::string& name) {
    return {.name = name, .topology = has_topologies_ && chance(60) ? "t" : ""};
}

void Maker::make_flavors() {
    has_topologies_ = chance(12);
    const std::int64_t count = chance(95) ? pick(1, 4) : pick(5, 9);
    for (std::int64_t i = 0; i < count; ++i) {
        flavors_.push_back("f" + std::to_string(i));
        if (!chance(3)) {
            add_object(engine::FlavorChanged{flavor(flavors_.back())});
        }
    }
    shapes_ = std::uint32_t(pick(0, 2));
    for (std::uint32_t id = 1; id <= shapes_; ++id) {
        add_object(engine::PodShapeChanged{shape(id)});
    }
}

void Maker::make_layout() {
    std::vector<std::string> first = {"cpu"};
    if (chance(50)) {
        first.push_back("memory");
    }
    if (chance(25)) {
        first.push_back("pods");
    }
    layout_ = layout(first);
    // What is one group in most queues is two in others, or the other way round.
    other_layout_ = layout_;
    if (first.size() > 1 && flavors_.size() > 1 && chance(50)) {
        const std::string last = first.back();
        first.pop_back();
        other_layout_ = layout(first);
        other_layout_.back().covered_resources.push_back(last);
    } else if (chance(50)) {
        other_layout_ = layout(first);
    }
}

std::vector<engine::ResourceGroup> Maker::layout(std::vector<std::string> first) {
    std::vector<engine::ResourceGroup> made;
    const auto with_flavors = [&](std::size_t from, std::size_t to) {
        std::vector<engine::FlavorQuotas> flavors;
        for (std::size_t i = from; i < to; ++i) {
            flavors.push_back({flavors_[i], {}});
        }
        return flavors;
    };
    if (flavors_.size() > 1 && chance(30)) {
        const std::size_t cut = 1 + prng_.below(flavors_.size() - 1);
        made.push_back({first, with_flavors(0, cut)});
        const bool third = flavors_.size() - cut > 1 && chance(40);
        const std::size_t end = third ? flavors_.size() - 1 : flavors_.size();
        made.push_back({{"example.com/gpu"}, with_flavors(cut, end)});
        if (third) {
            made.push_back({{"example.com/net"}, with_flavors(end, flavors_.size())});
        }
    } else {
        made.push_back({first, with_flavors(0, flavors_.size())});
    }
    return made;
}

Amount Maker::quota_amount() {
    if (saturated_ && chance(50)) {
        return Amount(near_largest());
    }
    return Amount(pick(0, quota_max_));
}

engine::ResourceQuota Maker::quota(bool limits, bool is_queue) {
    engine::ResourceQuota made{.nominal = quota_amount()};
    if (unlimited_ && chance(20)) {
        made.nominal = Amount::unlimited();
    }
    if (limits && chance(30)) {
        made.borrowing_limit = quota_amount();
    }
    if (limits && chance(30)) {
        const std::int64_t top =
            is_queue && !made.nominal.is_unlimited() ? made.nominal.value() : 2 * quota_max_;
        made.lending_limit = Amount(pick(0, top));
    }
    return made;
}

std::vector<engine::ResourceGroup> Maker::groups(bool limits, bool is_queue) {
    std::vector<engine::ResourceGroup> made;
    if (chance(3)) {
        return made;
    }
    for (engine::ResourceGroup group : chance(85) ? layout_ : other_layout_) {
        if (group.flavors.size() > 1 && chance(25)) {
            group.flavors.erase(
                group.flavors.begin() + std::ptrdiff_t(prng_.below(group.flavors.size()))
            );
        }
        if (group.flavors.size() > 1 && chance(20)) {
            std::swap(group.flavors.front(), group.flavors.back());
        }
        for (engine::FlavorQuotas& flavor : group.flavors) {
            for (std::size_t i = 0; i < group.covered_resources.size(); ++i) {
                flavor.quotas.push_back(quota(limits, is_queue));
            }
        }
        made.push_back(std::move(group));
    }
    if (made.size() > 1 && chance(10)) {
        made.pop_back();
    }
    return made;
}

engine::Cohort Maker::cohort(const std::string& name) {
    engine::Cohort made{.name = name, .parent = "", .resource_groups = {}, .fair_weight = 1.0};
    std::size_t position = 0;
    while (cohort_names_[position] != name) {
        ++position;
    }
    if (position > 0 && chance(75)) {
        made.parent = cohort_names_[prng_.below(position)];
    }
    if (chance(2)) {
        made.parent = one_of(cohort_names_);
    }
    if (chance(50)) {
        made.resource_groups = groups(!made.parent.empty(), false);
    }
    const std::vector<double> weights = {0, 0.5, 1, 1, 2, 3};
    made.fair_weight = one_of(weights);
    return made;
}

void Maker::make_cohorts() {
    const std::int64_t count = chance(92) && !large_ ? pick(0, 4) : pick(4, 10);
    for (std::int64_t i = 0; i < count; ++i) {
        cohort_names_.push_back("c" + std::to_string(i));
    }
    for (const std::string& name : cohort_names_) {
        if (chance(75)) {
            cohorts_.push_back(cohort(name));
            add_object(engine::CohortChanged{cohorts_.back()});
        }
    }
}

void Maker::change_queue(engine::ClusterQueue& changed) {
    const bool limits = !changed.cohort.empty();
    const auto coin = [&](auto a, auto b) { return chance(50) ? a : b; };
    changed.resource_groups = groups(limits, true);
    changed.strategy = chance(30) ? engine::QueueingStrategy::StrictFIFO
                                  : engine::QueueingStrategy::BestEffortFIFO;
    changed.when_can_borrow =
        coin(engine::FungibilityPolicy::MayStopSearch, engine::FungibilityPolicy::TryNextFlavor);
    changed.when_can_preempt =
        coin(engine::FungibilityPolicy::MayStopSearch, engine::FungibilityPolicy::TryNextFlavor);
    if (chance(30)) {
        changed.preference = engine::FungibilityPreference::PreemptionOverBorrowing;
    }
    const std::vector<PreemptionPolicy> within = {
        PreemptionPolicy::Never,
        PreemptionPolicy::LowerPriority,
        PreemptionPolicy::LowerOrNewerEqualPriority
    };
    const std::vector<PreemptionPolicy> reclaim = {
        PreemptionPolicy::Never,
        PreemptionPolicy::LowerPriority,
        PreemptionPolicy::Any,
        PreemptionPolicy::Any
    };
    changed.preemption.within_cluster_queue = one_of(within);
    changed.preemption.reclaim_within_cohort = one_of(reclaim);
    changed.preemption.borrow_within_cohort =
        changed.preemption.reclaim_within_cohort != PreemptionPolicy::Never && chance(35);
    changed.preemption.max_priority_threshold.reset();
    if (changed.preemption.borrow_within_cohort && chance(40)) {
        changed.preemption.max_priority_threshold = std::int32_t(pick(-1, 2));
    }
    const std::vector<double> weights = {0, 0.5, 1, 1, 1, 2, 3};
    changed.fair_weight = one_of(weights);
    changed.accepts_workloads = !chance(4);
    changed.admission_fair_sharing = chance(result_.options.admission_fair_sharing ? 75 : 10);
}

engine::ClusterQueue Maker::queue(const std::string& name) {
    engine::ClusterQueue made;
    made.name = name;
    if (!cohort_names_.empty() && chance(85)) {
        made.cohort = one_of(cohort_names_);
    }
    change_queue(made);
    return made;
}

engine::LocalQueue Maker::local_queue(const std::string& cluster_queue) {
    engine::LocalQueue made;
    made.ns = chance(75) ? "n" : "m";
    made.name = "l" + std::to_string(local_queues_.size());
    const engine::LocalQueue* namesake = nullptr;
    if (!local_queues_.empty() && chance(30)) {
        namesake = &one_of(local_queues_);  // of another namespace
    }
    const auto is_taken = [&](const engine::LocalQueue& other) {
        return namesake != nullptr && other.name == namesake->name && other.ns == made.ns;
    };
    if (namesake != nullptr && std::none_of(local_queues_.begin(), local_queues_.end(), is_taken)) {
        made.name = namesake->name;
    }
    made.cluster_queue = cluster_queue;
    made.stopped = chance(3);
    if (chance(4)) {
        made.namespace_match =
            chance(60) ? engine::NamespaceMatch::Mismatch : engine::NamespaceMatch::NotFound;
    }
    const std::vector<double> weights = {0, 0.5, 1, 1, 1, 2, 3};
    made.fair_weight = one_of(weights);
    for (const char* resource : {"cpu", "memory"}) {
        if (chance(15)) {
            made.consumed[resource] = pick(0, 5000) * engine::Billionths{1'000'000};
        }
    }
    return made;
}

void Maker::make_queues() {
    std::int64_t count = chance(90) ? pick(1, 6) : pick(6, 12);
    if (large_) {
        count = pick(12, 40);
    }
    const std::vector<std::string> prefixes = {"a", "d", "q", "q"};
    for (std::int64_t i = 0; i < count; ++i) {
        queues_.push_back(queue(one_of(prefixes) + std::to_string(i)));
        if (!chance(2)) {
            add_object(engine::ClusterQueueChanged{queues_.back()});
        }
        const bool several = chance(result_.options.admission_fair_sharing ? 70 : 20);
        const std::int64_t local = several ? pick(2, 3) : 1;
        for (std::int64_t k = 0; k < local; ++k) {
            local_queues_.push_back(local_queue(queues_.back().name));
            if (!chance(2)) {
                add_object(engine::LocalQueueChanged{local_queues_.back()});
            }
        }
    }
}

Case Maker::run() {
    quota_max_ = chance(70) ? 12 : 4;
    unlimited_ = chance(4);
    saturated_ = chance(4);
    large_ = chance(1);
    classes_ = !chance(15);
    slices_ = chance(40) ? 0 : std::uint32_t(pick(5, 60));
    make_options();
    make_flavors();
    make_layout();
    make_cohorts();
    make_queues();
    make_workloads();
    happen();
    return std::move(result_);
}

Case make_case(std::uint64_t seed) {
    Case made = Maker(seed).run();
    made.options.hash_seed = seed * 0x9e3779b97f4a7c15U;  // the reference has no hash
    return made;
}

}  // namespace sluice::reference
