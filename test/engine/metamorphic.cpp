#include "engine/metamorphic.hpp"

#include "base/prng.hpp"
#include "engine/audited.hpp"
#include "engine/case_rewriting.hpp"
#include "engine/engine.hpp"
#include "support/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace sluice::reference {

using engine::Amount;
using Kind = Step::Kind;

namespace {

/// The name that stands for the one in the state.
using Translation = std::map<std::string, std::string>;

struct Reading {
    Translation names;
    std::int64_t divisor = 1;  ///< of amounts
};

Amount divided(Amount amount, std::int64_t divisor) {
    return amount.is_unlimited() ? amount : Amount(amount.value() / divisor);
}

engine::CycleResult divided(engine::CycleResult result, std::int64_t divisor) {
    for (auto& admission : result.admitted) {
        for (auto& pod_set : admission.pod_sets) {
            for (auto& flavor : pod_set.flavors) {
                if (flavor.amount) {
                    flavor.amount = divided(*flavor.amount, divisor);
                }
            }
        }
    }
    for (auto& refusal : result.refused) {
        const auto divide = [&](engine::FlavorRefusal& reason) {
            for (Amount* amount :
                 {&reason.needed, &reason.assumed, &reason.requested, &reason.free, &reason.capacity
                 }) {
                *amount = divided(*amount, divisor);
            }
        };
        for (auto& pod_set : refusal.pod_sets) {
            std::ranges::for_each(pod_set.flavors, divide);
        }
        std::ranges::for_each(refusal.shortages, divide);
    }
    return result;
}

support::NameLookup translated_names(const engine::State& state, const Translation& names) {
    const auto translated = [&names](const std::string& name) {
        const auto found = names.find(name);
        return found == names.end() ? name : found->second;
    };
    support::NameLookup made = support::names_of(state);
    made.workload = [&state, translated](engine::WorkloadIndex index) {
        const std::string key(state.workload_key(index));
        const std::size_t slash = key.find('/');
        return translated(key.substr(0, slash)) + "/" + translated(key.substr(slash + 1));
    };
    made.node = [&state, translated](engine::NodeIndex i) {
        return translated(state.node_name(i));
    };
    made.flavor = [&state, translated](engine::FlavorIndex i) {
        return translated(state.flavor_name(i));
    };
    return made;
}

/// The decisions of all cycles, read so.
std::vector<support::Outcome> play(const Case& played, const Reading& reading = {}) {
    engine::State state(played.options);
    View view;
    engine::Time now(std::chrono::seconds(1'000'000));
    std::vector<support::Outcome> outcomes;
    for (const Step& step : played.steps) {
        if (step.kind == Kind::Advance) {
            now += engine::Duration(step.number);
        }
        for (const engine::Event& event : view.events_of(step, now)) {
            engine::apply_audited(state, event, now);
        }
        if (step.kind == Kind::Cycle) {
            const engine::CycleResult result = engine::run_cycle_audited(state, now);
            view.take(to_outcome(result, support::names_of(state)), now);
            outcomes.push_back(
                to_outcome(divided(result, reading.divisor), translated_names(state, reading.names))
            );
        }
    }
    return outcomes;
}

std::optional<std::string> compare(
    const Case& one, const Case& other, const Reading& reading_of_other = {}
) {
    const auto expected = play(one);
    const auto found = play(other, reading_of_other);
    for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
        if (i >= expected.size() || i >= found.size() || expected[i] != found[i]) {
            std::ostringstream out;
            out << "cycle " << i + 1 << "\nas it is: ";
            if (i < expected.size()) {
                out << expected[i];
            }
            out << "changed:  ";
            if (i < found.size()) {
                out << found[i];
            }
            return out.str() + "\nchanged case:\n" + to_text(other);
        }
    }
    return std::nullopt;
}

std::size_t first_cycle(const Case& of) {
    std::size_t at = 0;
    while (at < of.steps.size() && of.steps[at].kind != Kind::Cycle) {
        ++at;
    }
    return at;
}

/// Without the waits whose end history decides; see the header.
Case without_early_waits(Case of) {
    const std::size_t end = first_cycle(of);
    for (std::size_t i = 0; i < end; ++i) {
        if (of.steps[i].kind == Kind::Submit) {
            auto& workload = std::get<engine::WorkloadChanged>(*of.steps[i].event).workload;
            workload.requeue_at.reset();
            workload.requeued_false = false;
        }
    }
    return of;
}

/// With all wake-ups of before the first cycle done.
Case with_late_wakes_over(Case of) {
    constexpr std::int64_t kLateWake = 1'000'000'000;
    const std::int64_t enough = kLateWake + of.options.wake_batch.count();
    const auto at = of.steps.begin() + std::ptrdiff_t(first_cycle(of));
    of.steps.insert(
        at,
        {Step{Kind::Advance, "", "", enough, std::nullopt},
         Step{Kind::Timer, "", "", 0, std::nullopt}}
    );
    return of;
}

std::size_t place(Prng& prng, std::size_t low, std::size_t high) {
    return low + prng.below(high - low + 1);
}

void insert(Case& into, std::size_t at, engine::Event event) {
    into.steps.insert(
        into.steps.begin() + std::ptrdiff_t(at), Step{Kind::Object, "", "", 0, std::move(event)}
    );
}

}  // namespace

std::optional<std::string> differs_when_permuted(const Case& played, std::uint64_t seed) {
    Prng prng(seed);
    const Case base = without_early_waits(played);
    Case permuted = base;
    for (std::size_t left = first_cycle(permuted); left > 1; --left) {
        std::swap(permuted.steps[left - 1], permuted.steps[prng.below(left)]);
    }
    return compare(with_late_wakes_over(base), with_late_wakes_over(permuted));
}

std::optional<std::string> differs_when_renamed(const Case& played, std::uint64_t seed) {
    Prng prng(seed);
    Case renamed = played;
    std::set<std::string> names;
    visit_names(renamed, [&](std::string& name) { names.insert(name); });
    Translation forth;
    Reading back;
    std::uint64_t number = prng.below(1000);
    for (const std::string& name : names) {
        number += 1 + prng.below(50);
        forth[name] = fmt::format("k{:06}", number);
        back.names[forth[name]] = name;
    }
    visit_names(renamed, [&](std::string& name) { name = forth.at(name); });
    return compare(played, renamed, back);
}

std::optional<std::string> differs_with_empty_trees(const Case& played, std::uint64_t seed) {
    Prng prng(seed);
    Case changed = played;
    std::vector<std::vector<engine::ResourceGroup>> groups;
    for (const Step& step : played.steps) {
        if (step.event && std::holds_alternative<engine::ClusterQueueChanged>(*step.event)) {
            groups.push_back(
                std::get<engine::ClusterQueueChanged>(*step.event).cluster_queue.resource_groups
            );
        }
    }
    if (groups.empty()) {
        return std::nullopt;
    }
    for (const char* name : {"0empty", "bempty", "zempty"}) {
        const std::string tree = prng.chance(70) ? std::string(name) + "-tree" : "";
        engine::ClusterQueue queue;
        queue.name = name;
        queue.cohort = tree;
        queue.resource_groups = groups[prng.below(groups.size())];
        queue.preemption.reclaim_within_cohort = engine::PreemptionPolicy::Any;
        insert(changed, place(prng, 0, changed.steps.size()), engine::ClusterQueueChanged{queue});
        if (!tree.empty() && prng.chance(60)) {
            engine::Cohort cohort;
            cohort.name = tree;
            cohort.parent = prng.chance(50) ? tree + "-root" : "";
            cohort.resource_groups = groups[prng.below(groups.size())];
            insert(changed, place(prng, 0, changed.steps.size()), engine::CohortChanged{cohort});
        }
    }
    return compare(played, changed);
}

std::optional<std::string> differs_when_doubled(const Case& played, std::uint64_t) {
    constexpr std::int64_t kLarge = std::int64_t{1} << 40;
    if (played.options.admission_fair_sharing) {
        return std::nullopt;
    }
    Case doubled = played;
    bool is_doubled = true;
    visit_covered_resources(doubled, [&](const std::string& resource) {
        is_doubled = is_doubled && resource != "pods";
    });
    visit_amounts(doubled, [&](Amount& amount) {
        is_doubled = is_doubled && (amount.is_unlimited() || amount.value() < kLarge);
        amount = amount * 2;
    });
    return is_doubled ? compare(played, doubled, {.names = {}, .divisor = 2}) : std::nullopt;
}

std::optional<std::string> differs_after_detours(const Case& played, std::uint64_t seed) {
    Prng prng(seed);
    const Case base = without_early_waits(played);
    Case changed = base;
    for (std::size_t i = 0; i < first_cycle(changed); ++i) {
        if (!prng.chance(40) || !changed.steps[i].event) {
            continue;
        }
        for (auto& event : detour_to(*changed.steps[i].event, base, prng)) {
            insert(changed, place(prng, 0, i), std::move(event));
            ++i;
        }
    }
    return compare(with_late_wakes_over(base), with_late_wakes_over(changed));
}

std::optional<std::string> find_metamorphic_fault(const Case& played) {
    const auto named = [&](const char* name, const auto& check) -> std::optional<std::string> {
        const auto difference = check(played, played.seed * 31 + 7);
        return difference ? std::optional(std::string(name) + ": " + *difference) : std::nullopt;
    };
    for (auto& fault :
         {named("permuted", differs_when_permuted),
          named("renamed", differs_when_renamed),
          named("empty trees", differs_with_empty_trees),
          named("doubled", differs_when_doubled),
          named("detours", differs_after_detours)}) {
        if (fault) {
            return fault;
        }
    }
    return std::nullopt;
}

}  // namespace sluice::reference
