#include "journal/decision_digest.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace sluice::journal {
namespace {

using engine::State;

class DecisionPrinter {
  public:
    explicit DecisionPrinter(const State& state) : state_(state) {}

    std::string run(const engine::CycleResult& result) {
        print("cycle {}\n", result.cycle);
        for (const auto& decision : result.admitted) {
            print(
                "admit {} in {} level {} replaces {}\n",
                key(decision.workload),
                state_.node_name(decision.cluster_queue),
                decision.borrowing_level,
                key(decision.replaces)
            );
            for (const auto& pod_set : decision.pod_sets) {
                put(pod_set);
            }
        }
        for (const auto& decision : result.preempted) {
            print(
                "preempt {} for {} reason {}\n",
                key(decision.victim),
                key(decision.preemptor),
                static_cast<int>(decision.reason)
            );
        }
        for (const auto& refusal : result.refused) {
            put(refusal);
        }
        for (const auto& pass : result.second_passes) {
            print(
                "second pass {} outcome {}\n", key(pass.workload), static_cast<int>(pass.outcome)
            );
            for (const auto& pod_set : pass.pod_sets) {
                put(pod_set);
            }
        }
        return std::move(text_);
    }

  private:
    template <class... Arguments>
    void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    }
    std::string_view key(engine::WorkloadIndex workload) const {
        return workload.is_valid() ? state_.workload_key(workload) : std::string_view("-");
    }

    void put(const engine::AssignedPodSet& pod_set) {
        print("  {} x {}", pod_set.pod_set, pod_set.count);
        for (const auto& flavor : pod_set.flavors) {
            print(
                " {}={}:{}",
                state_.resource_name(flavor.resource),
                state_.flavor_name(flavor.flavor),
                flavor.amount ? flavor.amount->value() : -1
            );
        }
        if (pod_set.leaves) {
            print(" on {}", state_.flavor_name(pod_set.topology));
            for (const auto& leaf : *pod_set.leaves) {
                print(" {}x{}", leaf.leaf, leaf.count);
            }
        }
        print(" delayed {}\n", static_cast<int>(pod_set.delayed));
    }

    void put(const engine::RefusalDecision& refusal) {
        print(
            "refuse {} in {} kind {} reason {} evicts {} to {}\n",
            key(refusal.workload),
            state_.node_name(refusal.cluster_queue),
            static_cast<int>(refusal.kind),
            static_cast<int>(refusal.reason),
            refusal.preemptions,
            static_cast<int>(refusal.requeued)
        );
    }

    const State& state_;
    std::string text_;
};

}  // namespace

std::string print_decisions(const State& state, const engine::CycleResult& result) {
    return DecisionPrinter(state).run(result);
}

std::uint64_t digest_of(const State& state, const engine::CycleResult& result) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char byte : print_decisions(state, result)) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
    return hash;
}

}  // namespace sluice::journal
