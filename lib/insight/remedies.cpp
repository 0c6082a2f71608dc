#include "insight/remedies.hpp"

#include "engine/quota/usage_view.hpp"
#include "engine/trial/pending_form.hpp"
#include "engine/trial/trial.hpp"
#include "insight/quota_changes.hpp"
#include "workload/pods/amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::insight {
namespace {

using api::ExplainedRemedy;
using engine::Amount;
using engine::Event;
using Events = std::vector<Event>;

constexpr std::size_t kQueuesMax = 16;
constexpr std::size_t kClassesMax = 16;
constexpr char kAdministrator[] = "administrator";

/// The outcome of a cycle for the workload alone.
struct Alone {
    bool admits = false;  // at once, or after evictions
    bool evicts = false;
};

/// The missing amounts of one flavor, by resource.
struct Shortage {
    engine::FlavorIndex flavor;
    std::map<engine::ResourceIndex, Amount> missing;
};

class RemedyFinder {
  public:
    explicit RemedyFinder(const Situation& situation)
        : situation_(situation),
          key_(situation.workload->metadata.namespace_ + "/" + situation.workload->metadata.name) {}

    std::vector<ExplainedRemedy> find(
        const engine::RefusalDecision& refusal, const std::vector<workload::Constraint>& constraints
    ) {
        pending_ = engine::pending_form(*situation_.state, refusal.workload);
        pending_.scheduling_class = 0;
        ++pending_.generation;
        if (!constraints.empty()) {
            scarce_ = constraints.front().resource;
        }
        try_fewer_pods();
        try_translated();
        try_local_queues();
        try_priority_classes();
        const auto shortages = shortages_of(refusal);
        try_nominal_quota(refusal.cluster_queue, shortages);
        try_limits(constraints, shortages);
        return std::move(found_);
    }

    std::vector<ExplainedRemedy> find_start() {
        try_translated();
        return std::move(found_);
    }

  private:
    /// A copy of the cluster on which changes replace each other.
    engine::Trial make_trial() const { return {*situation_.state, situation_.now}; }

    Alone decide_alone(engine::Trial& trial) const {
        const auto index = trial.state().find_workload(key_);
        if (!index.is_valid()) {
            return {};
        }
        const auto& record = trial.state().workload(index);
        if (record.holding != nullptr || !record.queueable ||
            !trial.state().cluster_queue_of(record).is_valid()) {
            return {};
        }
        const auto result = trial.decide_alone(index);
        const bool preempts = !result.refused.empty() &&
                              result.refused.front().kind == engine::RefusalKind::PendingPreemption;
        return {.admits = !result.admitted.empty() || preempts, .evicts = preempts};
    }
    Alone try_alone(engine::Trial& trial, const Events& events) const {
        for (const Event& event : events) {
            trial.apply(event);
        }
        return decide_alone(trial);
    }
    Alone try_alone(const Events& events) const {
        engine::Trial trial = make_trial();
        return try_alone(trial, events);
    }

    /// Returns the root of the workload's tree of cohorts.
    engine::NodeIndex root_of(const engine::State& state) const {
        const auto index = state.find_workload(key_);
        const auto queue =
            index.is_valid() ? state.cluster_queue_of(state.workload(index)) : engine::NodeIndex{};
        return queue.is_valid() ? state.tree().node(queue).root : queue;
    }

    /// Runs cycles with the change and all other workloads, and adds the remedy.
    void add(ExplainedRemedy remedy, const Events& events) {
        engine::Trial trial = make_trial();
        for (const Event& event : events) {
            trial.apply(event);
        }
        const engine::TrialOutcome outcome = trial.run({.root = root_of(trial.state())});
        const auto* admitted = outcome.find_admitted(key_);
        if (admitted == nullptr) {
            remedy.when = "AtItsTurn";
        } else {
            const bool moves = remedy.kind == "toleration" || remedy.kind == "affinity" ||
                               remedy.kind == "localQueue";
            std::set<std::string> flavors;
            for (const auto& pod_set : admitted->decision.pod_sets) {
                for (const auto& flavor : pod_set.flavors) {
                    flavors.insert(trial.state().flavor_name(flavor.flavor));
                    if (moves && trial.state().resource_name(flavor.resource) == scarce_) {
                        remedy.free = free_before(
                            trial.state(), admitted->decision.cluster_queue, flavor.flavor
                        );
                    }
                }
            }
            remedy.flavors.assign(flavors.begin(), flavors.end());
            if (flavors.size() > 1) {
                remedy.free.clear();
            }
            for (const auto& evicted : outcome.evicted) {
                if (evicted.preemptor == key_) {
                    remedy.evicts.push_back(evicted.workload);
                }
            }
        }
        found_.push_back(std::move(remedy));
    }

    /// Returns what is free in the ClusterQueue, before the change, of the resource that binds
    /// first. The indices are those of `tried`, a state after the change.
    std::string free_before(
        const engine::State& tried, engine::NodeIndex queue, engine::FlavorIndex flavor
    ) const {
        const engine::State& state = *situation_.state;
        const auto at = state.find_cluster_queue(tried.node_name(queue));
        const std::string& name = tried.flavor_name(flavor);
        for (const auto& cell : state.tree().node(at).cells) {
            if (state.flavor_name(state.flavor_of(cell.flavor_resource)) == name &&
                state.resource_name(state.resource_of(cell.flavor_resource)) == scarce_) {
                const engine::UsageView view(state.tree());
                const Amount room = view.available(at, cell.flavor_resource);
                return workload::to_text(scarce_, max(Amount(), room));
            }
        }
        return "";
    }

    /// Takes pods from the podSet with the most of them.
    void try_fewer_pods() {
        const auto& pod_sets = pending_.pod_sets;
        const auto largest = std::ranges::max_element(pod_sets, {}, &engine::PodSet::count);
        if (largest == pod_sets.end() || largest->count < 2) {
            return;
        }
        const auto at = static_cast<std::size_t>(largest - pod_sets.begin());
        engine::Trial trial = make_trial();
        std::int32_t low = 0;  // enough is known to be too much above `high`
        std::int32_t high = largest->count - 1;
        while (low < high) {
            const std::int32_t middle = low + (high - low + 1) / 2;
            if (try_alone(trial, with_count(at, middle)).admits) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        if (low == 0) {
            return;
        }
        ExplainedRemedy remedy;
        remedy.kind = "fewerPods";
        remedy.value = std::to_string(low);
        remedy.change = fmt::format(
            "{} {} instead of {}{}{}",
            low,
            low == 1 ? "pod" : "pods",
            largest->count,
            pod_sets.size() == 1 ? "" : " in podSet " + largest->name,
            print_scarce(*largest, low)
        );
        add(std::move(remedy), with_count(at, low));
    }
    Events with_count(std::size_t pod_set, std::int32_t count) const {
        engine::Workload changed = pending_;
        changed.pod_sets[pod_set].count = count;
        changed.pod_sets[pod_set].min_count = std::nullopt;
        changed.pod_sets[pod_set].reclaimable = 0;
        return {engine::WorkloadChanged{std::move(changed)}};
    }
    std::string print_scarce(const engine::PodSet& pod_set, std::int32_t count) const {
        for (const auto& request : pod_set.requests) {
            if (request.resource == scarce_) {
                return fmt::format(
                    " ({} {})", workload::to_text(scarce_, request.amount * count), scarce_
                );
            }
        }
        return "";
    }

    void try_translated() {
        for (const TranslatedChange& change : situation_.changes) {
            if (!try_alone(change.events).admits) {
                continue;
            }
            ExplainedRemedy remedy;
            remedy.kind = change.kind;
            remedy.change = change.change;
            remedy.object = change.object;
            remedy.value = change.value;
            remedy.needs = change.needs;
            add(std::move(remedy), change.events);
        }
    }

    void try_local_queues() {
        std::size_t tried = 0;
        for (const auto& queue : situation_.local_queues) {
            const std::string& name = queue->metadata.name;
            const std::string& present = situation_.local_queue->spec.cluster_queue;
            if (name == pending_.local_queue || queue->spec.cluster_queue == present) {
                continue;
            }
            if (++tried > kQueuesMax) {
                return;
            }
            engine::Workload changed = pending_;
            changed.local_queue = name;
            const Events events{engine::WorkloadChanged{std::move(changed)}};
            if (!try_alone(events).admits) {
                continue;
            }
            ExplainedRemedy remedy;
            remedy.kind = "localQueue";
            remedy.change =
                fmt::format("LocalQueue {} (ClusterQueue {})", name, queue->spec.cluster_queue);
            remedy.value = name;
            add(std::move(remedy), events);
        }
    }

    void try_priority_classes() {
        std::vector<const api::WorkloadPriorityClass*> higher;
        const std::int64_t present = situation_.workload->spec.priority.value_or(0);
        for (const auto& priority : situation_.priority_classes) {
            if (priority->value > present) {
                higher.push_back(priority.get());
            }
        }
        std::ranges::stable_sort(higher, {}, [](const auto* priority) { return priority->value; });
        higher.resize(std::min(higher.size(), kClassesMax));
        engine::Trial trial = make_trial();
        for (const auto* priority : higher) {
            engine::Workload changed = pending_;
            changed.priority += priority->value - present;
            const Events events{engine::WorkloadChanged{std::move(changed)}};
            if (!try_alone(trial, events).admits) {
                continue;
            }
            ExplainedRemedy remedy;
            remedy.kind = "priorityClass";
            remedy.change = fmt::format(
                "WorkloadPriorityClass {} ({})", priority->metadata.name, priority->value
            );
            remedy.value = priority->metadata.name;
            add(std::move(remedy), events);
            return;
        }
    }

    /// Returns what is missing in each flavor, then what is missing in the flavors that the
    /// workload would take together.
    std::vector<Shortage> shortages_of(const engine::RefusalDecision& refusal) const {
        std::vector<Shortage> made;
        const auto note = [&](const engine::FlavorRefusal& found) {
            using enum engine::FlavorRefusal::Kind;
            if (found.kind != InsufficientUnused && found.kind != ExceedsCapacity) {
                return;
            }
            auto at = std::ranges::find(made, found.flavor, &Shortage::flavor);
            if (at == made.end()) {
                at = made.insert(made.end(), Shortage{.flavor = found.flavor, .missing = {}});
            }
            Amount& missing = at->missing[found.resource];
            missing = max(missing, found.wanted() - found.free);
        };
        for (const auto& found : refusal.shortages) {
            note(found);
        }
        for (const auto& pod_set : refusal.pod_sets) {
            for (const auto& found : pod_set.flavors) {
                note(found);
            }
        }
        return made;
    }

    /// Raises the ClusterQueue's quota of one flavor by what is missing there.
    void try_nominal_quota(engine::NodeIndex queue, const std::vector<Shortage>& shortages) {
        for (const Shortage& shortage : shortages) {
            if (add_raised(queue, shortage, QuotaPart::Nominal)) {
                return;
            }
        }
    }

    void try_limits(
        const std::vector<workload::Constraint>& constraints, const std::vector<Shortage>& shortages
    ) {
        for (const char* kind : {"borrowingLimit", "lendingLimit"}) {
            for (const auto& constraint : constraints) {
                if (constraint.kind == kind && try_limit(constraint, shortages)) {
                    break;
                }
            }
        }
    }
    bool try_limit(const workload::Constraint& constraint, const std::vector<Shortage>& shortages) {
        const std::string_view node = constraint.node;
        const std::string_view name = node.substr(node.find('/') + 1);
        const auto& tree = situation_.state->tree();
        const auto at =
            node.starts_with("cohort/") ? tree.find_cohort(name) : tree.find_cluster_queue(name);
        const auto shortage = std::ranges::find_if(shortages, [&](const Shortage& candidate) {
            return situation_.state->flavor_name(candidate.flavor) == constraint.flavor;
        });
        return at.is_valid() && shortage != shortages.end() &&
               add_raised(
                   at,
                   *shortage,
                   constraint.kind == "lendingLimit" ? QuotaPart::LendingLimit
                                                     : QuotaPart::BorrowingLimit
               );
    }

    /// Adds the remedy that raises these quotas of the node, if it helps: the smallest raise, and
    /// the smallest one that evicts nobody.
    bool add_raised(engine::NodeIndex node, const Shortage& shortage, QuotaPart part) {
        std::vector<std::pair<QuotaPlace, Amount>> raised;
        for (const auto& [resource, missing] : shortage.missing) {
            const QuotaPlace place{
                .node = node, .flavor = shortage.flavor, .resource = resource, .part = part
            };
            const auto present = find_quota(*situation_.state, place);
            if (!present || missing <= Amount() || missing.is_saturated()) {
                return false;
            }
            raised.emplace_back(place, min(missing, most_to_raise(place)));
        }
        const Alone whole = try_alone(raise(raised));
        if (raised.empty() || !whole.admits) {
            return false;
        }
        const bool is_one = raised.size() == 1;
        const Amount least = is_one ? find_least(raised.front()) : Amount();
        if (is_one && least < raised.front().second) {
            add_raise({{raised.front().first, least}});
            if (whole.evicts) {
                return true;
            }
        }
        add_raise(raised);
        return true;
    }
    /// Returns how far the API lets the quota rise: no queue lends more than it has.
    Amount most_to_raise(const QuotaPlace& place) const {
        if (place.part != QuotaPart::LendingLimit) {
            return Amount::unlimited();
        }
        QuotaPlace whole = place;
        whole.part = QuotaPart::Nominal;
        const engine::State& state = *situation_.state;
        return find_quota(state, whole).value_or(Amount()) -
               find_quota(state, place).value_or(Amount());
    }
    /// Returns the smallest raise that admits the workload, at once or after evictions.
    Amount find_least(const std::pair<QuotaPlace, Amount>& raised) const {
        engine::Trial trial = make_trial();
        std::int64_t low = 1;
        std::int64_t high = raised.second.value();
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (try_alone(trial, raise({{raised.first, Amount(middle)}})).admits) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return Amount(low);
    }
    Events raise(const std::vector<std::pair<QuotaPlace, Amount>>& raised) const {
        if (raised.size() == 1) {
            return {raised_by(*situation_.state, raised.front())};
        }
        // Each event has the whole object: the last one has all changes.
        engine::Trial trial = make_trial();
        Events events;
        for (const auto& one : raised) {
            events.assign(1, raised_by(trial.state(), one));
            trial.apply(events.front());
        }
        return events;
    }
    static Event raised_by(
        const engine::State& state, const std::pair<QuotaPlace, Amount>& raised
    ) {
        const auto present = find_quota(state, raised.first);
        return make_quota_change(state, raised.first, present.value_or(Amount()) + raised.second);
    }
    void add_raise(const std::vector<std::pair<QuotaPlace, Amount>>& raised) {
        const engine::State& state = *situation_.state;
        const QuotaPlace& first = raised.front().first;
        std::vector<std::string> texts;
        std::vector<std::string> values;
        for (const auto& [place, amount] : raised) {
            const std::string& resource = state.resource_name(place.resource);
            const Amount present = find_quota(state, place).value_or(Amount());
            texts.push_back(fmt::format(
                "{} + {}", raised.size() == 1 ? "" : resource, workload::to_text(resource, amount)
            ));
            values.push_back(
                fmt::format("{}={}", resource, workload::to_text(resource, present + amount))
            );
        }
        const bool is_queue = state.tree().node(first.node).is_cluster_queue;
        ExplainedRemedy remedy;
        remedy.kind = print_part(first.part);
        remedy.object =
            fmt::format("{}/{}", is_queue ? "clusterqueue" : "cohort", state.node_name(first.node));
        remedy.change = fmt::format(
            "{} of {} in {}{}",
            remedy.kind,
            state.node_name(first.node),
            state.flavor_name(first.flavor),
            raised.size() == 1 ? texts.front() : fmt::format(": {}", fmt::join(texts, ", "))
        );
        remedy.value = fmt::format("{}", fmt::join(values, ","));
        remedy.flavor = state.flavor_name(first.flavor);
        remedy.needs = kAdministrator;
        add(std::move(remedy), raise(raised));
    }

    const Situation& situation_;
    std::string key_;
    engine::Workload pending_;  // as it waits, in a class of its own
    std::string scarce_;        // the resource that binds first
    std::vector<ExplainedRemedy> found_;
};

}  // namespace

std::vector<api::ExplainedRemedy> find_remedies(
    const Situation& situation,
    const engine::RefusalDecision& refusal,
    const std::vector<workload::Constraint>& constraints
) {
    return RemedyFinder(situation).find(refusal, constraints);
}

std::vector<api::ExplainedRemedy> find_remedies_of_stop(const Situation& situation) {
    return RemedyFinder(situation).find_start();
}

}  // namespace sluice::insight
