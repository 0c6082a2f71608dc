#include "engine/flavors/flavor_assigner.hpp"

#include "base/assert.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

namespace sluice::engine {
namespace {

constexpr std::size_t kNoGroup = std::numeric_limits<std::size_t>::max();

FlavorRefusal::Kind to_refusal_kind(ShapeRefusalKind kind) {
    switch (kind) {
        case ShapeRefusalKind::UntoleratedTaint:
            return FlavorRefusal::Kind::UntoleratedTaint;
        case ShapeRefusalKind::InvalidAffinity:
            return FlavorRefusal::Kind::InvalidAffinity;
        case ShapeRefusalKind::MissingTopology:
            return FlavorRefusal::Kind::TopologyMissing;
        case ShapeRefusalKind::MissingTopologyLevel:
            return FlavorRefusal::Kind::TopologyLevelMissing;
        case ShapeRefusalKind::NodeAffinity:
            break;
    }
    return FlavorRefusal::Kind::NodeAffinity;
}

}  // namespace

AssignmentMode PodSetChoice::mode() const {
    if (refusals.empty() && !failed) {
        return AssignmentMode::Fit;
    }
    if (failed || flavors.empty()) {
        return AssignmentMode::NoFit;
    }
    AssignmentMode worst = AssignmentMode::Fit;
    for (const auto& choice : flavors) {
        worst = std::min(worst, choice.mode);
    }
    return worst;
}

const FlavorChoice* PodSetChoice::find(ResourceIndex resource) const {
    const auto at =
        std::find_if(flavors.begin(), flavors.end(), [resource](const FlavorChoice& choice) {
            return choice.resource == resource;
        });
    return at == flavors.end() ? nullptr : &*at;
}

void Assignment::set_mode(std::uint32_t pod_set, AssignmentMode made) {
    for (PodSetChoice& each : pod_sets) {
        if (each.pod_set == pod_set) {
            for (FlavorChoice& choice : each.flavors) {
                choice.mode = made;
            }
        }
    }
}

FlavorAssigner::FlavorAssigner(
    const State& state,
    PreemptionSearch& search,
    WorkloadIndex workload,
    NodeIndex cluster_queue,
    const LastAssignment* progress,
    const Assignment* pinned,
    const ReplacedSlice* replaced,
    bool explains
)
    : state_(state),
      search_(search),
      workload_(workload),
      cluster_queue_(cluster_queue),
      record_(state.workload(workload)),
      queue_(state.cluster_queue(cluster_queue)),
      progress_(progress),
      pinned_(pinned),
      replaced_(replaced),
      explains_(explains),
      held_(
          record_.holding == nullptr || record_.holding->placement == nullptr
              ? nullptr
              : &*record_.holding->placement
      ),
      pods_(state.pods_resource()),
      implies_topology_(is_for_topology_alone()),
      looks_at_topology_(implies_topology_ || requests_topology()),
      looks_at_nodes_(is_held_to_nodes()) {}

std::size_t FlavorAssigner::group_covering(ResourceIndex resource) const {
    for (std::size_t i = 0; i < queue_.groups.size(); ++i) {
        const auto& covered = queue_.groups[i].resources;
        if (std::find(covered.begin(), covered.end(), resource) != covered.end()) {
            return i;
        }
    }
    return kNoGroup;
}

PodSetChoices FlavorAssigner::pod_set_requests(const std::vector<std::int32_t>* counts) const {
    const bool counts_pods = group_covering(pods_) != kNoGroup;
    PodSetChoices result;
    for (std::size_t i = 0; i < record_.pod_sets.size(); ++i) {
        const PodSetRecord& pod_set = record_.pod_sets[i];
        PodSetChoice made;
        made.pod_set = static_cast<std::uint32_t>(i);
        const std::int32_t all = pod_set.count_after_reclaim();
        made.count = all;
        if (counts != nullptr && made.count != 0) {
            made.count = (*counts)[i];  // a podSet without remaining pods keeps 0
        }
        bool pods_placed = !counts_pods;
        const auto place_pods = [&] {
            made.requests.push_back(Request{.resource = pods_, .amount = Amount(made.count)});
            pods_placed = true;
        };
        for (const auto& request : pod_set.requests) {
            if (!pods_placed && !state_.requested_before(request.resource, pods_)) {
                place_pods();
            }
            if (request.resource != pods_ || !counts_pods) {
                // If the total saturated, fewer pods get a proportional share of it.
                const Amount total = request.amount * all;
                const Amount amount =
                    made.count == all ? total : Amount(total.value() / all) * made.count;
                made.requests.push_back(Request{.resource = request.resource, .amount = amount});
            }
        }
        if (!pods_placed) {
            place_pods();
        }
        result.push_back(std::move(made));
    }
    return result;
}

SmallVector<FlavorAssigner::Group, 1> FlavorAssigner::group_pod_sets(const PodSetChoices& pod_sets
) const {
    SmallVector<Group, 1> groups;
    std::map<std::string_view, std::size_t> by_name;
    for (std::size_t i = 0; i < pod_sets.size(); ++i) {
        const std::string& name = record_.pod_sets[pod_sets[i].pod_set].group;
        std::size_t at = groups.size();
        if (!name.empty()) {
            at = by_name.emplace(name, groups.size()).first->second;
        }
        if (at == groups.size()) {
            groups.emplace_back();
        }
        Group& group = groups[at];
        group.members.push_back(i);
        for (const auto& request : pod_sets[i].requests) {
            const auto before = [this](const Request& a, ResourceIndex b) {
                return state_.requested_before(a.resource, b);
            };
            const auto place = std::lower_bound(
                group.requests.begin(), group.requests.end(), request.resource, before
            );
            if (place != group.requests.end() && place->resource == request.resource) {
                place->amount += request.amount;
            } else {
                group.requests.insert(place, request);
            }
        }
    }
    return groups;
}

Assignment FlavorAssigner::assign(const std::vector<std::int32_t>* counts) {
    if (held_ != nullptr && state_.options().gates.topology_aware_scheduling) {
        return held_assignment(counts);
    }
    Assignment result;
    auto pod_sets = pod_set_requests(counts);
    WaitingReason overall = WaitingReason::Unspecified;
    std::vector<Attempts> attempts;  // by podSet, if one gets a topology
    for (const auto& group : group_pod_sets(pod_sets)) {
        refusals_.clear();
        attempts_.clear();
        const bool ok = assign_group(group, pod_sets, result);
        const auto members = static_cast<std::ptrdiff_t>(group.members.size());
        const bool no_fit =
            std::any_of(result.pod_sets.end() - members, result.pod_sets.end(), [](const auto& p) {
                return p.mode() == AssignmentMode::NoFit;
            });
        if (no_fit) {
            overall = more_severe_of(overall, attempts_);
        }
        if (!ok) {
            break;  // the groups after it are not considered
        }
        if (looks_at_topology_ || looks_at_nodes_) {
            attempts.resize(result.pod_sets.size(), attempts_);
        }
    }
    result.mode = AssignmentMode::Fit;
    for (const auto& pod_set : result.pod_sets) {
        result.mode = std::min(result.mode, pod_set.mode());
    }
    if (result.pod_sets.empty()) {
        result.mode = AssignmentMode::NoFit;
        overall = WaitingReason::NoMatchingFlavor;  // Kueue gives none, which the API would reject
    }
    result.no_fit_reason = overall;
    if (looks_at_topology_ && result.mode != AssignmentMode::NoFit) {
        require_one_topology(result, attempts);
    }
    if (result.mode != AssignmentMode::NoFit) {
        if (looks_at_nodes_) {
            hold_to_nodes(result);
        }
        find_places(result, attempts);
    }
    return result;
}

bool FlavorAssigner::assign_group(const Group& group, PodSetChoices& pod_sets, Assignment& result) {
    FlavorChoices chosen;
    bool failed = false;
    std::vector<FlavorRefusal> reasons;
    std::vector<ConsideredFlavor> considered;
    std::vector<ConsideredFlavor> skipped;
    for (const auto& request : group.requests) {
        const bool assigned =
            std::any_of(chosen.begin(), chosen.end(), [&](const FlavorChoice& choice) {
                return choice.resource == request.resource;
            });
        const std::size_t covering = group_covering(request.resource);
        const bool ignore_undeclared =
            state_.options().quota_check_strategy == QuotaCheckStrategy::IgnoreUndeclared;
        if (assigned ||
            (covering == kNoGroup && (request.amount == Amount() || ignore_undeclared))) {
            continue;
        }
        refusals_.clear();
        Found found;
        if (covering == kNoGroup) {
            refusals_.push_back(FlavorRefusal{
                .kind = FlavorRefusal::Kind::ResourceUnavailable,
                .flavor = {},
                .resource = request.resource
            });
        } else {
            found = find_flavor(group, covering, request.resource, result.usage);
        }
        if (!found.ok) {
            // Only the first resource group that fails gives reasons.
            failed = true;
            chosen.clear();
            reasons.swap(refusals_);
            skipped = std::move(found.skipped);
            break;
        }
        chosen.insert(chosen.end(), found.flavors.begin(), found.flavors.end());
        if (found.fits) {
            note_considered(covering, considered);
        } else {
            reasons.insert(reasons.end(), refusals_.begin(), refusals_.end());
            std::move(found.skipped.begin(), found.skipped.end(), std::back_inserter(skipped));
        }
    }
    for (std::size_t i = 0; i + 1 < group.members.size(); ++i) {
        PodSetChoice& pod_set = pod_sets[group.members[i]];
        pod_set.refusals = reasons;
        pod_set.considered = considered;
        pod_set.skipped = skipped;
    }
    PodSetChoice& last = pod_sets[group.members.back()];
    last.refusals = std::move(reasons);
    last.considered = std::move(considered);
    last.skipped = std::move(skipped);
    for (const auto member : group.members) {
        pod_sets[member].failed = failed;
        take_choices(chosen, pod_sets[member], result);
        result.pod_sets.push_back(std::move(pod_sets[member]));
    }
    return !failed;
}

void FlavorAssigner::take_choices(
    const FlavorChoices& chosen, PodSetChoice& pod_set, Assignment& result
) const {
    for (const auto& request : pod_set.requests) {
        const auto choice = std::find_if(chosen.begin(), chosen.end(), [&](const FlavorChoice& c) {
            return c.resource == request.resource;
        });
        if (choice == chosen.end()) {
            continue;
        }
        pod_set.flavors.push_back(*choice);
        result.level = std::max(result.level, choice->level);
        const std::string& name = record_.pod_sets[pod_set.pod_set].name;
        const Amount held =
            replaced_ == nullptr ? Amount() : replaced_->held_of(name, request.resource);
        add_to(result.usage, choice->flavor_resource, number_difference(request.amount, held));
    }
    if (pod_set.requests.empty()) {
        add_topology_of_group(chosen, pod_set);
    }
}

bool FlavorAssigner::shape_allows(
    const Group& group, std::size_t resource_group, FlavorIndex flavor
) {
    if (!state_.flavor_exists(flavor)) {
        refusals_.push_back(FlavorRefusal{
            .kind = FlavorRefusal::Kind::FlavorNotFound, .flavor = flavor, .resource = {}
        });
        return false;
    }
    for (const auto member : group.members) {
        if (const auto kind = topology_refusal(member, resource_group, flavor)) {
            refusals_.push_back(FlavorRefusal{.kind = *kind, .flavor = flavor, .resource = {}});
            return false;
        }
        const auto refusal = state_.shape_refusal(record_.pod_sets[member].shape, flavor);
        if (refusal) {
            if (refusal->kind == ShapeRefusalKind::InvalidAffinity) {
                refusals_.clear();
            }
            refusals_.push_back(FlavorRefusal{
                .kind = to_refusal_kind(refusal->kind),
                .flavor = flavor,
                .resource = {},
                .taint = refusal->taint,
                .pod_set = static_cast<std::uint32_t>(member),
            });
            return false;
        }
    }
    return true;
}

bool FlavorAssigner::is_pinned_elsewhere(
    const Group& group, FlavorIndex flavor, ResourceIndex resource
) const {
    if (pinned_ == nullptr) {
        return false;
    }
    return std::none_of(
        pinned_->pod_sets.begin(),
        pinned_->pod_sets.end(),
        [&](const PodSetChoice& p) {
            const bool member = std::find(group.members.begin(), group.members.end(), p.pod_set) !=
                                group.members.end();
            const FlavorChoice* choice = p.find(resource);
            return member && choice != nullptr && choice->flavor == flavor;
        }
    );
}

FlavorAssigner::Found FlavorAssigner::find_flavor(
    const Group& group, std::size_t resource_group, ResourceIndex resource, const Usages& assumed
) {
    const auto& flavors = queue_.groups[resource_group].flavors;
    const bool fungible = state_.options().gates.flavor_fungibility;
    std::size_t at = 0;
    if (fungible && progress_ != nullptr && pinned_ == nullptr) {
        at = progress_->next(static_cast<std::uint32_t>(group.members.front()), resource);
        if (at >= flavors.size()) {
            at = 0;  // the group has fewer flavors than when the search stopped
        }
    }
    const std::size_t skipped = at;
    Found best;
    Preference best_preference{
        .mode = FlavorMode::NoFit, .level = std::numeric_limits<std::int32_t>::max()
    };
    std::int32_t attempted = -1;
    for (; at < flavors.size(); ++at) {
        attempted = static_cast<std::int32_t>(at);
        const FlavorIndex flavor = flavors[at];
        if (is_pinned_elsewhere(group, flavor, resource)) {
            refusals_.push_back(FlavorRefusal{
                .kind = FlavorRefusal::Kind::NotNominated, .flavor = flavor, .resource = resource
            });
            continue;
        }
        const std::size_t before = refusals_.size();
        if (!shape_allows(group, resource_group, flavor)) {
            attempts_.push_back(
                {.flavor = flavor,
                 .group = resource_group,
                 .reason = WaitingReason::NoMatchingFlavor,
                 .refusals_begin = before,
                 .refusals_end = refusals_.size()}
            );
            if (refusals_.back().kind == FlavorRefusal::Kind::InvalidAffinity) {
                return {};
            }
            continue;
        }
        FlavorChoices choices;
        const Preference preference = try_flavor(group, resource_group, flavor, assumed, choices);
        if (fungible ? !should_try_next(preference) : preference.mode == FlavorMode::Fit) {
            best.flavors = std::move(choices);
            best_preference = preference;
            break;
        }
        if (fungible ? is_preferred(preference, best_preference)
                     : preference.mode > best_preference.mode) {
            best.flavors = std::move(choices);
            best_preference = preference;
        }
    }
    const bool at_last = attempted == static_cast<std::int32_t>(flavors.size()) - 1;
    for (auto& choice : best.flavors) {
        // Without the gate FlavorFungibility, Kueue leaves the index at 0, which counts as
        // progress.
        choice.tried = fungible ? (at_last ? -1 : attempted) : 0;
    }
    best.ok = !best.flavors.empty();
    best.fits = best_preference.mode == FlavorMode::Fit;
    if (!best.fits && skipped > 0 && explains_) {
        best.skipped = consider_skipped(group, resource_group, skipped, assumed);
    }
    return best;
}

FlavorAssigner::Preference FlavorAssigner::try_flavor(
    const Group& group,
    std::size_t resource_group,
    FlavorIndex flavor,
    const Usages& assumed,
    FlavorChoices& choices
) {
    const auto& covered = queue_.groups[resource_group].resources;
    Preference worst{.mode = FlavorMode::Fit, .level = 0};
    WaitingReason reason = WaitingReason::Unspecified;
    std::int32_t highest = 0;
    const std::size_t before = refusals_.size();
    for (const auto& request : group.requests) {
        if (std::find(covered.begin(), covered.end(), request.resource) == covered.end()) {
            continue;
        }
        const auto pair = state_.flavor_resource_of(flavor, request.resource);
        const auto [beyond, is_on_flavor] = beyond_replaced(group, flavor, request);
        if (!is_on_flavor) {
            worst = Preference{};
            reason = more_severe(reason, WaitingReason::NoMatchingFlavor);
        }
        const QuotaVerdict verdict = fits_quota(pair, amount_of(assumed, pair), beyond);
        reason = more_severe(reason, verdict.no_fit_reason);
        highest = std::max(highest, verdict.level);
        const Preference preference{.mode = verdict.mode, .level = verdict.level};
        if (is_preferred(worst, preference)) {
            worst = preference;
        }
        if (worst.mode == FlavorMode::NoFit) {
            continue;  // the remaining requests are tried for their reasons
        }
        choices.push_back(FlavorChoice{
            .resource = request.resource,
            .flavor = flavor,
            .flavor_resource = pair,
            .mode = verdict.mode == FlavorMode::Fit ? AssignmentMode::Fit : AssignmentMode::Preempt,
            .level = verdict.level,
        });
    }
    attempts_.push_back({
        .flavor = flavor,
        .group = resource_group,
        .mode = worst.mode,
        .level = highest,
        .reason = reason,
        .refusals_begin = before,
        .refusals_end = refusals_.size(),
    });
    if (worst.mode == FlavorMode::NoFit) {
        choices.clear();
    }
    return worst;
}

FlavorAssigner::Beyond FlavorAssigner::beyond_replaced(
    const Group& group, FlavorIndex flavor, const Request& request
) {
    Beyond beyond{.amount = request.amount};
    if (replaced_ == nullptr) {
        return beyond;
    }
    for (const auto member : group.members) {
        const FlavorIndex held = replaced_->flavor_of(member, request.resource);
        if (held != flavor) {
            refusals_.push_back(FlavorRefusal{
                .kind = FlavorRefusal::Kind::NotOfReplacedSlice,
                .flavor = flavor,
                .resource = request.resource,
                .held = held,
            });
            beyond.is_on_flavor = false;
            return beyond;
        }
        beyond.amount =
            number_difference(beyond.amount, replaced_->held_of(member, request.resource));
    }
    return beyond;
}

FlavorAssigner::QuotaVerdict FlavorAssigner::fits_quota(
    FlavorResourceIndex pair, Amount assumed, Amount requested
) {
    const UsageView& view = search_.view();
    const Amount wanted = assumed + requested;
    const Amount capacity = view.potential_available(cluster_queue_, pair);
    const auto refuse = [&](FlavorRefusal::Kind kind, Amount available) -> FlavorRefusal& {
        FlavorRefusal& refusal = refusals_.emplace_back();
        refusal.kind = kind;
        refusal.flavor = state_.flavor_of(pair);
        refusal.resource = state_.resource_of(pair);
        refusal.assumed = assumed;
        refusal.requested = requested;
        refusal.free = available;
        refusal.capacity = capacity;
        return refusal;
    };
    if (wanted > capacity) {
        refuse(
            FlavorRefusal::Kind::ExceedsCapacity,
            max(Amount(), view.available(cluster_queue_, pair))
        );
        return {
            .mode = FlavorMode::NoFit, .level = 0, .no_fit_reason = WaitingReason::ExceedsMaxQuota
        };
    }
    const auto fit = view.lowest_fit(cluster_queue_, pair, wanted);
    const auto room = view.room(cluster_queue_, pair);
    const Amount available = max(Amount(), room.available);
    if (wanted <= available) {
        return {.mode = FlavorMode::Fit, .level = fit.height};
    }
    FlavorRefusal& refusal = refuse(FlavorRefusal::Kind::InsufficientUnused, available);
    refusal.needed = wanted - available;
    refusal.node = room.bottleneck.node;
    refusal.at_borrowing_limit = room.bottleneck.is_borrowing_limit;
    if (!search_.may_help(cluster_queue_, pair, wanted)) {
        return {
            .mode = FlavorMode::NoFit,
            .level = fit.height,
            .no_fit_reason = WaitingReason::WaitingForQuota
        };
    }
    using Kind = PreemptionSearch::Possibility::Kind;
    const auto possibility = search_.simulate(workload_, cluster_queue_, pair, wanted);
    refusal.has_victims = possibility.kind != Kind::NoCandidates;
    refusal.is_spared_by_priority = possibility.is_spared_by_priority;
    switch (possibility.kind) {
        case Kind::NoCandidates:
            return {.mode = FlavorMode::NoPreemptionCandidates, .level = possibility.level};
        case Kind::Preempt:
            return {.mode = FlavorMode::Preempt, .level = possibility.level};
        case Kind::Reclaim:
            return {.mode = FlavorMode::Reclaim, .level = possibility.level};
    }
    return {};
}

bool FlavorAssigner::is_preferred(const Preference& a, const Preference& b) const {
    if (a.mode == FlavorMode::NoFit) {
        return false;
    }
    if (b.mode == FlavorMode::NoFit) {
        return true;
    }
    const bool a_none = a.mode == FlavorMode::NoPreemptionCandidates;
    const bool b_none = b.mode == FlavorMode::NoPreemptionCandidates;
    if (a_none != b_none) {
        return b_none;
    }
    if (queue_.spec.preference == FungibilityPreference::PreemptionOverBorrowing) {
        return a.level != b.level ? a.level < b.level : a.mode > b.mode;
    }
    return a.mode != b.mode ? a.mode > b.mode : a.level < b.level;
}

bool FlavorAssigner::should_try_next(const Preference& preference) const {
    switch (preference.mode) {
        case FlavorMode::NoFit:
        case FlavorMode::NoPreemptionCandidates:
            return true;
        case FlavorMode::Preempt:
        case FlavorMode::Reclaim:
            if (queue_.spec.when_can_preempt == FungibilityPolicy::TryNextFlavor) {
                return true;
            }
            break;
        case FlavorMode::Fit:
            break;
    }
    return preference.level > 0 && queue_.spec.when_can_borrow == FungibilityPolicy::TryNextFlavor;
}

}  // namespace sluice::engine
