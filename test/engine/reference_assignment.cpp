#include "engine/reference_assignment.hpp"

#include "engine/reference_fungibility.hpp"
#include "engine/reference_preemption.hpp"
#include "engine/reference_topology.hpp"

#include <algorithm>
#include <limits>

namespace sluice::reference {

using engine::FlavorRefusal;
using engine::WaitingReason;

std::uint64_t class_of(const engine::Workload& workload, const engine::Options& options) {
    return options.gates.scheduling_equivalence_hashing ? workload.scheduling_class : 0;
}

std::vector<PodSetTotal> totals_of(
    const engine::Workload& workload, const engine::Options& options
) {
    std::vector<PodSetTotal> totals;
    for (const engine::PodSet& pod_set : workload.pod_sets) {
        PodSetTotal total;
        total.count = pod_set.count;
        if (options.gates.reclaimable_pods) {
            total.count -= std::min(pod_set.reclaimable, pod_set.count);
        }
        for (const engine::ResourceRequest& request : pod_set.requests) {
            total.requests[request.resource] += request.amount * total.count;
        }
        totals.push_back(std::move(total));
    }
    return totals;
}

namespace {

/// What is asked for beyond what is held, cut off at the ends of the numbers.
Amount growth(Amount requested, Amount held) {
    __extension__ using Wide = __int128;
    const Wide difference = Wide(requested.value()) - Wide(held.value());
    return Amount(std::int64_t(std::clamp(
        difference,
        Wide(std::numeric_limits<std::int64_t>::min()),
        Wide(std::numeric_limits<std::int64_t>::max())
    )));
}

class Assigner {
  public:
    Assigner(Snapshot& snapshot, const Rules& rules, const Head& head)
        : snapshot_(snapshot),
          rules_(rules),
          head_(head),
          queue_(*snapshot.at(head.cluster_queue).cluster_queue),
          topology_(rules, queue_, *head.workload) {}

    Assignment run(const std::vector<std::int32_t>& counts);

  private:
    /// What the search in one resource group gave.
    struct Found {
        std::map<std::string, Choice> choices;
        std::vector<Complaint> complaints;
        std::vector<Attempt> attempts;
    };
    struct Verdict {
        Possibility mode = Possibility::NoFit;
        int level = 0;
        std::optional<FlavorRefusal> refusal;
        Reason reason;
        std::string node = {};  ///< of the refusal
    };
    using Group = std::vector<std::size_t>;  // podSets

    std::vector<Group> groups() const;
    std::vector<PodSetResult> scaled(const std::vector<std::int32_t>& counts) const;
    bool assign_group(const Group& group, std::vector<PodSetResult>& results);
    Found find_flavor(
        const Group& group,
        const engine::ResourceGroup& resources,
        const std::map<std::string, Amount>& requests,
        const std::string& resource
    );
    Grade grade_flavor(
        const Group& group,
        const std::string& flavor,
        const std::vector<std::pair<std::string, Amount>>& requests,
        Found& found,
        std::map<std::string, Choice>& choices
    );
    std::optional<Complaint> infeasible(
        const Group& group, const engine::ResourceGroup& resources, const std::string& flavor
    ) const;
    bool outside_nomination(
        const Group& group, const std::string& flavor, const std::string& resource
    ) const;
    Verdict fits_quota(const std::string& flavor, const std::string& resource, Amount request);
    Verdict simulate(int pair, Amount value);
    const engine::ResourceGroup* group_of(const std::string& resource) const;
    Reason no_fit_reason() const;
    int first_flavor(std::size_t pod_set, const std::string& resource) const;
    void finish(PodSetResult& result);

    Snapshot& snapshot_;
    const Rules& rules_;
    const Head& head_;
    const engine::ClusterQueue& queue_;
    TopologyRules topology_;
    Assignment assignment_;
};

const engine::ResourceGroup* Assigner::group_of(const std::string& resource) const {
    for (const engine::ResourceGroup& group : queue_.resource_groups) {
        const auto& covered = group.covered_resources;
        if (std::find(covered.begin(), covered.end(), resource) != covered.end()) {
            return &group;
        }
    }
    return nullptr;
}

std::vector<Assigner::Group> Assigner::groups() const {
    std::vector<Group> result;
    std::map<std::string, std::size_t> by_name;
    for (std::size_t i = 0; i < head_.workload->pod_sets.size(); ++i) {
        const std::string& name = head_.workload->pod_sets[i].group;
        const auto known = by_name.find(name);
        if (!name.empty() && known != by_name.end()) {
            result[known->second].push_back(i);
            continue;
        }
        by_name.emplace(name, result.size());
        result.push_back({i});
    }
    return result;
}

std::vector<PodSetResult> Assigner::scaled(const std::vector<std::int32_t>& counts) const {
    std::vector<PodSetResult> results;
    for (std::size_t i = 0; i < head_.totals.size(); ++i) {
        const PodSetTotal& total = head_.totals[i];
        PodSetResult result;
        result.index = i;
        result.count = total.count;
        result.requests = total.requests;
        if (!counts.empty() && total.count != 0 && counts[i] != total.count) {
            for (auto& [resource, amount] : result.requests) {
                amount = Amount(amount.value() / total.count) * counts[i];
            }
            result.count = counts[i];
        }
        if (group_of("pods") != nullptr) {
            result.requests["pods"] = Amount(result.count);
        }
        results.push_back(std::move(result));
    }
    return results;
}

Assignment Assigner::run(const std::vector<std::int32_t>& counts) {
    assignment_.scan.generation = rules_.generations.at(queue_.name);
    assignment_.scan.cycle = rules_.cycle;
    assignment_.scan.scheduling_class = class_of(*head_.workload, *rules_.options);
    std::vector<PodSetResult> results = scaled(counts);
    for (const Group& group : groups()) {
        if (!assign_group(group, results)) {
            break;
        }
    }
    if (assignment_.mode() != Mode::NoFit) {
        for (PodSetResult& result : assignment_.pod_sets) {
            const std::vector<Complaint> errors = topology_.errors(result);
            if (!errors.empty()) {
                result.complaints = errors;
                result.failed = true;
            }
        }
    }
    assignment_.no_fit_reason = no_fit_reason();
    return std::move(assignment_);
}

bool Assigner::assign_group(const Group& group, std::vector<PodSetResult>& results) {
    std::map<std::string, Amount> requests;
    for (const std::size_t i : group) {
        for (const auto& [resource, amount] : results[i].requests) {
            requests[resource] += amount;
        }
    }
    std::vector<std::string> order;
    for (const auto& [resource, amount] : requests) {
        order.push_back(resource);
    }
    std::sort(order.begin(), order.end(), [](const std::string& a, const std::string& b) {
        return fnv1a(a) < fnv1a(b);
    });
    Found all;
    bool failed = false;
    for (const std::string& resource : order) {
        if (all.choices.contains(resource)) {
            continue;
        }
        const engine::ResourceGroup* resources = group_of(resource);
        if (resources == nullptr) {
            const bool ignored =
                requests[resource] == Amount() || rules_.options->quota_check_strategy ==
                                                      engine::QuotaCheckStrategy::IgnoreUndeclared;
            if (ignored) {
                continue;
            }
            FlavorRefusal refusal;
            refusal.kind = FlavorRefusal::Kind::ResourceUnavailable;
            all.complaints = {{refusal, {}, resource}};
            failed = true;
            break;
        }
        Found found = find_flavor(group, *resources, requests, resource);
        all.attempts.insert(all.attempts.end(), found.attempts.begin(), found.attempts.end());
        if (found.choices.empty()) {
            all.complaints = std::move(found.complaints);
            failed = true;
            break;
        }
        all.choices.insert(found.choices.begin(), found.choices.end());
        all.complaints.insert(
            all.complaints.end(), found.complaints.begin(), found.complaints.end()
        );
    }
    for (const std::size_t i : group) {
        PodSetResult& result = results[i];
        result.failed = failed;
        result.complaints = all.complaints;
        result.attempts = all.attempts;
        for (const auto& [resource, choice] : all.choices) {
            const bool follows = result.requests.empty() && topology_.has_topology(choice.flavor) &&
                                 !head_.workload->pod_sets[i].group.empty();
            if (!failed && (result.requests.contains(resource) || follows)) {
                result.choices[resource] = choice;
            }
        }
        finish(result);
    }
    return !failed;
}

void Assigner::finish(PodSetResult& result) {
    std::map<std::string, int> tried;
    for (const auto& [resource, choice] : result.choices) {
        assignment_.level = std::max(assignment_.level, choice.level);
        const int pair = snapshot_.pair_numbers.at({choice.flavor, resource});
        const std::string& name = head_.workload->pod_sets[result.index].name;
        const Amount held = head_.held_by(name, resource);
        if (result.requests.contains(resource)) {
            assignment_.usage[pair] += growth(result.requests[resource], held);
        }
        tried[resource] = choice.tried;
    }
    assignment_.scan.tried.push_back(std::move(tried));
    assignment_.pod_sets.push_back(result);
}

int Assigner::first_flavor(std::size_t pod_set, const std::string& resource) const {
    if (!rules_.options->gates.flavor_fungibility || !head_.scan ||
        pod_set >= head_.scan->tried.size()) {
        return 0;
    }
    const auto& tried = head_.scan->tried[pod_set];
    const auto found = tried.find(resource);
    return found == tried.end() ? 0 : found->second + 1;
}

std::optional<Complaint> Assigner::infeasible(
    const Group& group, const engine::ResourceGroup& resources, const std::string& flavor
) const {
    FlavorRefusal refusal;
    if (!rules_.flavors->contains(flavor)) {
        refusal.kind = FlavorRefusal::Kind::FlavorNotFound;
        return Complaint{refusal, flavor, {}};
    }
    for (const std::size_t i : group) {
        if (const auto kind = topology_.mismatch(i, resources, flavor)) {
            refusal.kind = *kind;
            return Complaint{refusal, flavor, {}};
        }
        const auto shape = rules_.shapes->find(head_.workload->pod_sets[i].shape);
        if (shape == rules_.shapes->end()) {
            continue;
        }
        for (const engine::ShapeRefusal& no : shape->second.refusals) {
            if (no.flavor != flavor) {
                continue;
            }
            using enum engine::ShapeRefusalKind;
            const std::map<engine::ShapeRefusalKind, FlavorRefusal::Kind> kinds = {
                {UntoleratedTaint, FlavorRefusal::Kind::UntoleratedTaint},
                {NodeAffinity, FlavorRefusal::Kind::NodeAffinity},
                {InvalidAffinity, FlavorRefusal::Kind::InvalidAffinity},
                {MissingTopology, FlavorRefusal::Kind::TopologyMissing},
                {MissingTopologyLevel, FlavorRefusal::Kind::TopologyLevelMissing},
            };
            refusal.kind = kinds.at(no.kind);
            refusal.taint = no.kind == UntoleratedTaint ? no.taint : 0;
            refusal.pod_set = std::uint32_t(i);
            return Complaint{refusal, flavor, {}};
        }
    }
    return std::nullopt;
}

bool Assigner::outside_nomination(
    const Group& group, const std::string& flavor, const std::string& resource
) const {
    if (!head_.nominated) {
        return false;
    }
    for (const std::size_t i : group) {
        const auto pod_set = head_.nominated->find(head_.workload->pod_sets[i].name);
        if (pod_set == head_.nominated->end()) {
            continue;
        }
        const auto nominated = pod_set->second.find(resource);
        if (nominated != pod_set->second.end() && nominated->second == flavor) {
            return false;
        }
    }
    return true;
}

Assigner::Found Assigner::find_flavor(
    const Group& group,
    const engine::ResourceGroup& resources,
    const std::map<std::string, Amount>& requests,
    const std::string& resource
) {
    std::vector<std::pair<std::string, Amount>> wanted;
    for (const auto& [name, amount] : requests) {
        const auto& covered = resources.covered_resources;
        if (std::find(covered.begin(), covered.end(), name) != covered.end()) {
            wanted.emplace_back(name, amount);
        }
    }
    const bool fungible = rules_.options->gates.flavor_fungibility;
    Found found;
    Grade best;
    int last = -1;
    // A group that lost flavors since is searched from its first.
    const int count = int(resources.flavors.size());
    const int start = first_flavor(group[0], resource);
    for (int i = start < count ? start : 0; i < count; ++i) {
        last = i;
        const std::string& flavor = resources.flavors[std::size_t(i)].flavor;
        if (outside_nomination(group, flavor, resource)) {
            FlavorRefusal refusal;
            refusal.kind = FlavorRefusal::Kind::NotNominated;
            found.complaints.push_back({refusal, flavor, resource});
            continue;
        }
        if (const auto complaint = infeasible(group, resources, flavor)) {
            found.attempts.push_back({flavor, true, WaitingReason::NoMatchingFlavor});
            if (complaint->refusal.kind == FlavorRefusal::Kind::InvalidAffinity) {
                // An error, not an answer: nothing that was found before counts.
                found.choices.clear();
                found.complaints = {*complaint};
                return found;
            }
            found.complaints.push_back(*complaint);
            continue;
        }
        std::map<std::string, Choice> choices;
        const Grade grade = grade_flavor(group, flavor, wanted, found, choices);
        if (fungible) {
            const bool stop = !should_try_next(grade, queue_);
            if (stop || is_preferred(grade, best, queue_.preference)) {
                found.choices = choices;
                best = grade;
            }
            if (stop) {
                break;
            }
        } else if (grade.mode > best.mode) {
            found.choices = choices;
            best = grade;
            if (best.mode == Possibility::Fit) {
                break;
            }
        }
    }
    for (auto& [name, choice] : found.choices) {
        // Without the gate upstream leaves the index at 0, which counts as progress.
        const bool at_end = last == int(resources.flavors.size()) - 1;
        choice.tried = fungible ? (at_end ? -1 : last) : 0;
    }
    if (best.mode == Possibility::Fit) {
        found.complaints.clear();
    }
    return found;
}

Grade Assigner::grade_flavor(
    const Group& group,
    const std::string& flavor,
    const std::vector<std::pair<std::string, Amount>>& requests,
    Found& found,
    std::map<std::string, Choice>& choices
) {
    Grade worst{.mode = Possibility::Fit, .level = 0};
    Reason reason;
    for (const auto& [resource, requested] : requests) {
        Amount amount = requested;
        for (const std::size_t i : head_.slice == nullptr ? Group() : group) {
            HeldPodSet held = head_.held_at(i);
            if (held.flavors[resource] != flavor) {
                FlavorRefusal refusal;
                refusal.kind = FlavorRefusal::Kind::NotOfReplacedSlice;
                found.complaints.push_back({refusal, flavor, resource, held.flavors[resource]});
                reason = worse(reason, WaitingReason::NoMatchingFlavor);
                worst = {};
                break;
            }
            amount = growth(amount, held.amounts[resource]);
        }
        const Verdict verdict = fits_quota(flavor, resource, amount);
        if (verdict.refusal) {
            found.complaints.push_back({*verdict.refusal, flavor, resource, verdict.node});
            reason = worse(reason, verdict.reason);
        }
        const Grade grade{.mode = verdict.mode, .level = verdict.level};
        if (is_preferred(worst, grade, queue_.preference)) {
            worst = grade;
        }
        choices[resource] = {
            .flavor = flavor,
            .mode = mode_of(verdict.mode),
            .tried = -1,
            .level = verdict.level,
        };
    }
    found.attempts.push_back({flavor, worst.mode == Possibility::NoFit, reason});
    return worst;
}

Assigner::Verdict Assigner::fits_quota(
    const std::string& flavor, const std::string& resource, Amount request
) {
    const int queue = head_.cluster_queue;
    const int pair = snapshot_.pair_numbers.at({flavor, resource});
    const auto known = assignment_.usage.find(pair);
    const Amount assumed = known == assignment_.usage.end() ? Amount() : known->second;
    const Amount value = assumed + request;
    const Amount capacity = snapshot_.potential(queue, pair);
    const Amount available = snapshot_.available(queue, pair);
    FlavorRefusal refusal;
    refusal.assumed = assumed;
    refusal.requested = request;
    refusal.free = available;
    refusal.capacity = capacity;
    if (value > capacity) {
        refusal.kind = FlavorRefusal::Kind::ExceedsCapacity;
        return {Possibility::NoFit, 0, refusal, WaitingReason::ExceedsMaxQuota};
    }
    const auto [level, may_reclaim] = snapshot_.lowest_fit(queue, pair, value);
    if (value <= available) {
        return {Possibility::Fit, level, std::nullopt, std::nullopt};
    }
    refusal.kind = FlavorRefusal::Kind::InsufficientUnused;
    refusal.needed = value - available;
    const auto [narrowest, at_borrowing_limit] = snapshot_.bottleneck(queue, pair);
    refusal.at_borrowing_limit = at_borrowing_limit;
    const std::string node = snapshot_.at(narrowest).name;
    const engine::Preemption& preemption = queue_.preemption;
    const bool may_preempt_borrowing =
        preemption.borrow_within_cohort ||
        (rules_.options->fair_sharing &&
         preemption.reclaim_within_cohort != engine::PreemptionPolicy::Never);
    if (snapshot_.limits(queue, pair).nominal < value && !may_reclaim && !may_preempt_borrowing) {
        return {Possibility::NoFit, level, refusal, WaitingReason::WaitingForQuota, node};
    }
    Verdict verdict = simulate(pair, value);
    refusal.has_victims = verdict.mode != Possibility::NoCandidates;
    verdict.refusal = refusal;
    verdict.node = node;
    return verdict;
}

Assigner::Verdict Assigner::simulate(int pair, Amount value) {
    const int queue = head_.cluster_queue;
    const PreemptionRequest request{
        .workload = head_.workload,
        .cluster_queue = queue,
        .needed = {pair},
        .usage = {{pair, value}},
    };
    const std::vector<Target> targets = find_targets(snapshot_, rules_, request);
    if (targets.empty()) {
        const int level = snapshot_.lowest_fit(queue, pair, value).first;
        return {Possibility::NoCandidates, level, std::nullopt, std::nullopt};
    }
    const auto saved = snapshot_.usage;
    bool own = false;
    for (const Target& target : targets) {
        snapshot_.remove_holder(target.holder);
        own = own || snapshot_.holder(target.holder).cluster_queue == queue;
    }
    const int level = snapshot_.lowest_fit(queue, pair, value).first;
    snapshot_.usage = saved;
    return {own ? Possibility::Preempt : Possibility::Reclaim, level, std::nullopt, std::nullopt};
}

/// Of the flavors of a resource group the mildest counts, of groups and podSets the
/// severest.
Reason Assigner::no_fit_reason() const {
    if (assignment_.mode() != Mode::NoFit) {
        return std::nullopt;
    }
    Reason overall;
    for (const PodSetResult& pod_set : assignment_.pod_sets) {
        if (pod_set.mode() != Mode::NoFit) {
            continue;
        }
        if (pod_set.attempts.empty()) {
            overall = worse(overall, WaitingReason::NoMatchingFlavor);
            continue;
        }
        std::map<const engine::ResourceGroup*, Reason> mildest;
        for (const Attempt& attempt : pod_set.attempts) {
            if (!attempt.no_fit) {
                continue;
            }
            const engine::ResourceGroup* owner = nullptr;
            for (const engine::ResourceGroup& group : queue_.resource_groups) {
                for (const engine::FlavorQuotas& flavor : group.flavors) {
                    owner = flavor.flavor == attempt.flavor ? &group : owner;
                }
            }
            const auto [entry, added] = mildest.emplace(owner, attempt.reason);
            if (!added && severity(attempt.reason) < severity(entry->second)) {
                entry->second = attempt.reason;
            }
        }
        for (const auto& [owner, reason] : mildest) {
            overall = worse(overall, reason);
        }
    }
    return overall;
}

}  // namespace

Assignment assign(
    Snapshot& snapshot,
    const Rules& rules,
    const Head& head,
    const std::vector<std::int32_t>& counts
) {
    return Assigner(snapshot, rules, head).run(counts);
}

}  // namespace sluice::reference
