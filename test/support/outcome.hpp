#pragma once

#include "engine/state/state.hpp"
#include "engine/types/decision.hpp"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a cycle decided, in names, so that decisions of different makers can be compared and
/// printed.
namespace sluice::support {

/// The flavor of one resource of a podSet, with the total of all its pods.
struct NamedAssignment {
    std::string resource;
    std::string flavor;
    std::optional<std::int64_t> amount;  ///< none: it requests nothing of it
    friend auto operator<=>(const NamedAssignment&, const NamedAssignment&) = default;
};

/// An admitted podSet; `flavors` are sorted by resource.
struct NamedPodSet {
    std::string name;
    std::int32_t count = 0;
    std::vector<NamedAssignment> flavors;
    friend bool operator==(const NamedPodSet&, const NamedPodSet&) = default;
};

struct NamedAdmission {
    std::string workload;
    std::string cluster_queue;
    std::vector<NamedPodSet> pod_sets;
    std::int32_t borrowing_level = 0;
    std::string replaces;  ///< the slice whose place it takes; "": none
    friend bool operator==(const NamedAdmission&, const NamedAdmission&) = default;
};

struct NamedPreemption {
    std::string victim;
    std::string cluster_queue;
    engine::PreemptionReason reason = engine::PreemptionReason::InClusterQueue;
    std::string preemptor;
    friend bool operator==(const NamedPreemption&, const NamedPreemption&) = default;
};

/// Why one podSet got no flavors; `reasons` are sorted texts like "InsufficientUnused default/cpu
/// needed=2 free=1 capacity=4 at=cohort".
struct NamedPodSetRefusal {
    std::string name;
    std::vector<std::string> reasons;
    friend bool operator==(const NamedPodSetRefusal&, const NamedPodSetRefusal&) = default;
};

struct NamedRefusal {
    std::string workload;
    std::string cluster_queue;
    engine::WaitingReason reason = engine::WaitingReason::WaitingForQuota;
    engine::RefusalKind kind = engine::RefusalKind::Assignment;
    engine::RequeuedTo requeued = engine::RequeuedTo::Dropped;
    std::uint32_t preemptions = 0;
    std::vector<NamedPodSetRefusal> pod_sets;
    std::vector<std::string> shortages;  ///< sorted, like the reasons of a podSet
    friend bool operator==(const NamedRefusal&, const NamedRefusal&) = default;
};

/// The decisions of one cycle. Admissions and preemptions are in processing order, refusals by
/// workload.
struct Outcome {
    std::uint64_t cycle = 0;
    std::vector<NamedAdmission> admitted;
    std::vector<NamedPreemption> preempted;
    std::vector<NamedRefusal> refused;
    friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// How the indices of a CycleResult become names.
struct NameLookup {
    std::function<std::string(engine::WorkloadIndex)> workload;
    std::function<std::string(engine::NodeIndex)> node;
    std::function<std::string(engine::FlavorIndex)> flavor;
    std::function<std::string(engine::ResourceIndex)> resource;
    std::function<std::string(engine::WorkloadIndex, std::uint32_t)> pod_set;
};

/// The names that the state knows, which must outlive the lookup.
NameLookup names_of(const engine::State& state);

/// The result of a cycle in names.
Outcome to_outcome(const engine::CycleResult& result, const NameLookup& names);

/// The order in which an Outcome keeps the parts of an admission or a refusal.
void sort_outcome(Outcome& outcome);

/// One reason of a podSet's refusal as text; `flavor`, `resource` and `other` (the node, or the
/// flavor that is held) are "" where the kind has none.
std::string describe(
    const engine::FlavorRefusal& refusal,
    std::string_view flavor,
    std::string_view resource,
    std::string_view other
);

std::string_view to_string(engine::PreemptionReason reason);
std::string_view to_string(engine::WaitingReason reason);
std::string_view to_string(engine::RefusalKind kind);
std::string_view to_string(engine::RequeuedTo requeued);

/// One line a decision: "admit ns/w in q: main x2 cpu=default:4 level 0".
std::vector<std::string> to_lines(const Outcome& outcome);
std::ostream& operator<<(std::ostream& out, const Outcome& outcome);

}  // namespace sluice::support
