#include "engine/random_clusters.hpp"

#include "base/prng.hpp"

#include <algorithm>

namespace sluice::reference {

using engine::Amount;
using engine::PreemptionPolicy;
using Kind = Step::Kind;

namespace {

/// Makes one case; every choice comes from the seed.
class Maker {
  public:
    explicit Maker(std::uint64_t seed) : prng_(seed) { result_.seed = seed; }

    Case run();

  private:
    void make_options();
    void make_flavors();
    void make_layout();
    void make_cohorts();
    void make_queues();
    void make_workloads();
    void happen();
    void happen_to_objects();
    void happen_to_workloads();

    engine::ResourceQuota quota(bool limits, bool is_queue);
    std::vector<engine::ResourceGroup> groups(bool limits, bool is_queue);
    engine::ClusterQueue queue(const std::string& name);
    void change_queue(engine::ClusterQueue& changed);
    engine::Cohort cohort(const std::string& name);
    engine::PodShape shape(std::uint32_t id);
    std::int64_t amount();
    engine::PodSet pod_set(std::size_t index);
    engine::Workload workload(std::size_t index);
    engine::QuotaReservation reservation(const engine::Workload& holder);

    std::int64_t pick(std::int64_t low, std::int64_t high) { return prng_.between(low, high); }
    bool chance(unsigned percent) { return prng_.chance(percent); }
    template <class T>
    const T& one_of(const std::vector<T>& from) {
        return from[prng_.below(from.size())];
    }
    std::string any_workload() {
        return "n/w" + std::to_string(pick(0, std::int64_t(workloads_) - 1));
    }
    void add(Kind kind, std::string target = "", std::int64_t number = 0, std::string other = "") {
        result_.steps.push_back({kind, std::move(target), std::move(other), number, std::nullopt});
    }
    void add_object(engine::Event event) {
        result_.steps.push_back({Kind::Object, "", "", 0, std::move(event)});
    }

    Prng prng_;
    Case result_;
    std::vector<std::string> flavors_;
    std::vector<engine::ResourceGroup> layout_;  // names only
    std::vector<engine::Cohort> cohorts_;
    std::vector<std::string> cohort_names_;
    std::vector<engine::ClusterQueue> queues_;
    std::vector<engine::LocalQueue> local_queues_;
    std::uint32_t shapes_ = 0;
    std::size_t workloads_ = 0;
    std::int64_t quota_max_ = 8;
    bool unlimited_ = false;
    bool classes_ = true;
};

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
    gates.scheduling_equivalence_hashing = !chance(15);
    gates.prioritize_preemptor_workloads = chance(20);
    gates.recompute_assignment_upon_overlap = !chance(20);
    gates.preemption_gates = chance(20);
    gates.reclaimable_pods = !chance(5);
}

engine::PodShape Maker::shape(std::uint32_t id) {
    engine::PodShape made{.id = id, .refusals = {}};
    for (const std::string& flavor : flavors_) {
        if (chance(35)) {
            const bool taint = chance(50);
            made.refusals.push_back({
                .flavor = flavor,
                .kind = taint ? engine::ShapeRefusalKind::UntoleratedTaint
                              : engine::ShapeRefusalKind::NodeAffinity,
                .taint = taint ? std::uint32_t(pick(0, 1)) : 0,
            });
        }
    }
    return made;
}

void Maker::make_flavors() {
    const std::int64_t count = pick(1, 4);
    for (std::int64_t i = 0; i < count; ++i) {
        flavors_.push_back("f" + std::to_string(i));
        if (!chance(3)) {
            add_object(engine::FlavorChanged{{.name = flavors_.back(), .topology = ""}});
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
    const auto with_flavors = [&](std::size_t from, std::size_t to) {
        std::vector<engine::FlavorQuotas> made;
        for (std::size_t i = from; i < to; ++i) {
            made.push_back({flavors_[i], {}});
        }
        return made;
    };
    if (flavors_.size() > 1 && chance(30)) {
        const std::size_t cut = 1 + prng_.below(flavors_.size() - 1);
        layout_.push_back({first, with_flavors(0, cut)});
        layout_.push_back({{"example.com/gpu"}, with_flavors(cut, flavors_.size())});
    } else {
        layout_.push_back({first, with_flavors(0, flavors_.size())});
    }
}

engine::ResourceQuota Maker::quota(bool limits, bool is_queue) {
    engine::ResourceQuota made{.nominal = Amount(pick(0, quota_max_))};
    if (unlimited_ && chance(20)) {
        made.nominal = Amount::unlimited();
    }
    if (limits && chance(30)) {
        made.borrowing_limit = Amount(pick(0, quota_max_));
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
    for (engine::ResourceGroup group : layout_) {
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
    const std::int64_t count = pick(0, 4);
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

void Maker::make_queues() {
    const std::int64_t count = chance(90) ? pick(1, 6) : pick(6, 12);
    const std::vector<std::string> prefixes = {"a", "d", "q", "q"};
    for (std::int64_t i = 0; i < count; ++i) {
        queues_.push_back(queue(one_of(prefixes) + std::to_string(i)));
        if (!chance(2)) {
            add_object(engine::ClusterQueueChanged{queues_.back()});
        }
        const std::int64_t local = chance(80) ? 1 : 2;
        for (std::int64_t k = 0; k < local; ++k) {
            engine::LocalQueue made;
            made.ns = "n";
            made.name = "l" + std::to_string(local_queues_.size());
            made.cluster_queue = queues_.back().name;
            made.stopped = chance(3);
            if (chance(4)) {
                made.namespace_match = chance(60) ? engine::NamespaceMatch::Mismatch
                                                  : engine::NamespaceMatch::NotFound;
            }
            local_queues_.push_back(made);
            if (!chance(2)) {
                add_object(engine::LocalQueueChanged{made});
            }
        }
    }
}

std::int64_t Maker::amount() {
    return pick(chance(90) ? 1 : 0, chance(70) ? 3 : 5);
}

engine::PodSet Maker::pod_set(std::size_t index) {
    engine::PodSet made;
    made.name = "p" + std::to_string(index);
    made.count = std::int32_t(chance(60) ? 1 : pick(1, 4));
    if (chance(20) && made.count > 1) {
        made.min_count = std::int32_t(pick(1, made.count));
    }
    if (chance(5)) {
        made.reclaimable = std::int32_t(pick(0, made.count));
    }
    made.shape = chance(60) ? 0 : std::uint32_t(pick(0, shapes_));
    for (const engine::ResourceGroup& group : layout_) {
        for (const std::string& resource : group.covered_resources) {
            if (resource != "pods" && chance(resource == "cpu" ? 95 : 60)) {
                made.requests.push_back({resource, Amount(amount())});
            }
        }
    }
    if (chance(3)) {
        made.requests.push_back({"example.com/other", Amount(pick(0, 1))});
    }
    return made;
}

/// Quota that somebody once gave it: not always what the queue would give today.
engine::QuotaReservation Maker::reservation(const engine::Workload& holder) {
    engine::QuotaReservation made;
    const engine::ClusterQueue& given_by = one_of(queues_);
    made.cluster_queue = given_by.name;
    for (const engine::LocalQueue& local_queue : local_queues_) {
        if (local_queue.name == holder.local_queue && !chance(3)) {
            made.cluster_queue = local_queue.cluster_queue;
        }
    }
    if (!chance(10)) {
        made.reserved_at = engine::Time(std::chrono::seconds(900'000 + pick(0, 5)));
    }
    made.admitted = chance(90);
    made.evicted = chance(8);
    for (const engine::PodSet& pod_set : holder.pod_sets) {
        engine::PodSetAssignment assigned{pod_set.name, {}, pod_set.count - pod_set.reclaimable};
        for (const engine::ResourceGroup& group : layout_) {
            const std::string& flavor = one_of(group.flavors).flavor;
            for (const engine::ResourceRequest& request : pod_set.requests) {
                const auto& covered = group.covered_resources;
                if (std::find(covered.begin(), covered.end(), request.resource) != covered.end()) {
                    assigned.resources.push_back(
                        {request.resource, flavor, request.amount * assigned.count}
                    );
                }
            }
            if (std::find(group.covered_resources.begin(), group.covered_resources.end(), "pods") !=
                group.covered_resources.end()) {
                assigned.resources.push_back({"pods", flavor, Amount(assigned.count)});
            }
        }
        made.pod_sets.push_back(std::move(assigned));
    }
    return made;
}

engine::Workload Maker::workload(std::size_t index) {
    engine::Workload made;
    made.ns = "n";
    made.name = "w" + std::to_string(index);
    made.uid = std::to_string(pick(10, 99)) + "-" + std::to_string(index);
    made.local_queue = chance(98) ? one_of(local_queues_).name : "nowhere";
    made.priority = pick(-1, 3);
    made.queue_order = engine::Time(std::chrono::seconds(900'000 + pick(0, 6)));
    made.generation = 1;
    made.scheduling_class = classes_ ? 1 : 0;
    const std::size_t count = chance(70) ? 1 : std::size_t(pick(2, 3));
    for (std::size_t i = 0; i < count; ++i) {
        made.pod_sets.push_back(pod_set(i));
    }
    if (count > 1 && chance(25)) {
        made.pod_sets[0].group = made.pod_sets[1].group = "g";
    }
    if (chance(1)) {
        made.requests_valid = false;
    }
    made.preemption_gated = chance(10);
    made.checks_failed = chance(1);
    if (chance(45)) {
        made.reservation = reservation(made);
        made.queueable = false;
    } else if (chance(5)) {
        made.requeue_at = engine::Time(std::chrono::seconds(1'000'000 + pick(0, 20)));
        made.requeued_false = chance(30);
    }
    return made;
}

void Maker::make_workloads() {
    const std::int64_t initial = pick(2, chance(90) ? 15 : 40);
    for (std::int64_t i = 0; i < initial; ++i) {
        engine::Event event = engine::WorkloadChanged{workload(workloads_++)};
        result_.steps.push_back({Kind::Submit, "", "", 0, std::move(event)});
    }
}

void Maker::happen_to_objects() {
    const std::size_t which = prng_.below(queues_.size());
    engine::ClusterQueue& changed = queues_[which];
    engine::LocalQueue& local_queue = local_queues_[prng_.below(local_queues_.size())];
    switch (pick(0, 11)) {
        case 0:
        case 1:
            change_queue(changed);
            add_object(engine::ClusterQueueChanged{changed});
            break;
        case 2:
            if (!cohort_names_.empty()) {
                changed.cohort = chance(80) ? one_of(cohort_names_) : "";
                changed.resource_groups = groups(!changed.cohort.empty(), true);
                add_object(engine::ClusterQueueChanged{changed});
            }
            break;
        case 3:
            changed.accepts_workloads = !changed.accepts_workloads;
            add_object(engine::ClusterQueueChanged{changed});
            break;
        case 4:
            if (chance(30)) {
                add_object(engine::ClusterQueueDeleted{changed.name});
            } else {
                add_object(engine::ClusterQueueChanged{changed});
            }
            break;
        case 5:
        case 6:
            local_queue.stopped = !local_queue.stopped;
            add_object(engine::LocalQueueChanged{local_queue});
            break;
        case 7:
            local_queue.namespace_match =
                chance(60) ? engine::NamespaceMatch::Matches : engine::NamespaceMatch::Mismatch;
            add_object(engine::LocalQueueChanged{local_queue});
            break;
        case 8:
            if (chance(30)) {
                add_object(engine::LocalQueueDeleted{local_queue.ns, local_queue.name});
            } else {
                add_object(engine::LocalQueueChanged{local_queue});
            }
            break;
        case 9:
        case 10:
            if (!cohort_names_.empty()) {
                const std::string& name = one_of(cohort_names_);
                if (chance(25)) {
                    add_object(engine::CohortDeleted{name});
                } else {
                    add_object(engine::CohortChanged{cohort(name)});
                }
            }
            break;
        default:
            if (chance(50) && shapes_ > 0) {
                add_object(engine::PodShapeChanged{shape(std::uint32_t(pick(1, shapes_)))});
            } else if (chance(50)) {
                add_object(engine::FlavorDeleted{one_of(flavors_)});
            } else {
                add_object(engine::FlavorChanged{{.name = one_of(flavors_), .topology = ""}});
            }
    }
}

void Maker::happen_to_workloads() {
    constexpr std::int64_t kSecond = 1'000'000'000;
    switch (pick(0, 18)) {
        case 0:
        case 1:
            add(Kind::Finish, any_workload());
            break;
        case 2:
            add(Kind::Delete, any_workload());
            break;
        case 3:
            add(Kind::SetPriority, any_workload(), pick(-1, 3));
            break;
        case 4:
            add(Kind::SetReclaimable, any_workload(), pick(0, 3));
            break;
        case 5:
            add(Kind::SetRequests, any_workload(), pick(0, 4));
            break;
        case 6:
            add(Kind::SetRequeue, any_workload(), chance(30) ? -1 : pick(0, 10) * kSecond);
            break;
        case 7:
            add(Kind::SetRequeued, any_workload(), pick(0, 1));
            break;
        case 8:
            add(chance(50) ? Kind::SetGate : Kind::SetChecks, any_workload(), pick(0, 1));
            break;
        case 9:
            add(Kind::SetHold, any_workload(), pick(0, 1));
            break;
        case 10:
            add(Kind::Move, any_workload(), 0, one_of(local_queues_).name);
            break;
        case 11:
            add(Kind::Touch, any_workload());
            break;
        case 12:
            add(Kind::ConfirmEviction, any_workload());
            break;
        case 13:
            add(Kind::FailAdmission, any_workload(), chance(20) ? 1 : 0);
            break;
        case 14:
            add(Kind::FailEviction, any_workload());
            break;
        case 15:
            add(Kind::StaleEcho);
            break;
        case 16:
            add(Kind::Release, any_workload(), chance(50) ? 1 : pick(1, 9) * kSecond);
            break;
        default:
            result_.steps.push_back(
                {Kind::Submit, "", "", 0, engine::WorkloadChanged{workload(workloads_++)}}
            );
    }
}

void Maker::happen() {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t rounds = pick(3, 14);
    for (std::int64_t i = 0; i < rounds; ++i) {
        add(Kind::Cycle);
        if (chance(70)) {
            add(Kind::ConfirmAdmission, "", pick(0, 1));
        }
        if (chance(60)) {
            add(Kind::ConfirmEviction);
        }
        if (chance(55)) {
            add(Kind::Release);
        }
        for (std::int64_t k = pick(0, 2); k > 0; --k) {
            happen_to_workloads();
        }
        if (chance(25)) {
            happen_to_objects();
        }
        if (chance(50)) {
            add(Kind::Advance, "", pick(1, 5) * kSecond);
        }
        if (chance(30)) {
            add(Kind::Timer);
        }
    }
    add(Kind::Cycle);
    add(Kind::Cycle);
}

Case Maker::run() {
    quota_max_ = chance(70) ? 12 : 4;
    unlimited_ = chance(4);
    classes_ = !chance(15);
    make_options();
    make_flavors();
    make_layout();
    make_cohorts();
    make_queues();
    make_workloads();
    happen();
    return std::move(result_);
}

}  // namespace

Case make_case(std::uint64_t seed) {
    return Maker(seed).run();
}

}  // namespace sluice::reference
