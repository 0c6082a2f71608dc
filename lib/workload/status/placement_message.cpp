#include "workload/status/placement_message.hpp"

#include "workload/capacity/capacity_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace sluice::workload {
namespace {

using engine::PlacementFailure;

/// Returns ". Total nodes: 8; excluded: resource "cpu": 8"; empty if nothing is excluded.
std::string exclusions_of(const engine::State& state, const PlacementFailure& failure) {
    std::vector<std::string> reasons;
    reasons.reserve(failure.refused.size() + failure.lacking.size() + 1);
    for (const auto& [reason, count] : failure.refused) {
        reasons.push_back(fmt::format("{}: {}", reason, count));
    }
    for (const auto& [resource, count] : failure.lacking) {
        reasons.push_back(fmt::format("resource \"{}\": {}", state.resource_name(resource), count));
    }
    if (failure.outside > 0) {
        reasons.push_back(fmt::format("topologyDomain: {}", failure.outside));
    }
    if (reasons.empty()) {
        return "";
    }
    std::ranges::sort(reasons);
    return fmt::format(". Total nodes: {}; excluded: {}", failure.leaves, fmt::join(reasons, ", "));
}

std::string shortage_message(const engine::State& state, const PlacementFailure& failure) {
    const std::string exclusions = exclusions_of(state, failure);
    if (!failure.layers.empty()) {
        std::string text = fmt::format("topology \"{}\" doesn't allow to fit", failure.topology);
        for (const auto& layer : failure.layers) {
            text += fmt::format(
                "; {}/{} slice(s) fit on level {}", layer.fitting, layer.wanted, layer.level
            );
        }
        return text + exclusions;
    }
    const std::string_view unit = failure.has_slices ? "slice" : "pod";
    if (failure.fitting == 0) {
        return fmt::format(
            "topology \"{}\" doesn't allow to fit any of {} {}(s){}",
            failure.topology,
            failure.wanted,
            unit,
            exclusions
        );
    }
    return fmt::format(
        "topology \"{}\" allows to fit only {} out of {} {}(s){}",
        failure.topology,
        failure.fitting,
        failure.wanted,
        unit,
        exclusions
    );
}

std::string room_message(const engine::State& state, const PlacementFailure& failure) {
    Amounts pod;
    for (const auto& [resource, amount] : failure.pod) {
        pod.emplace(state.resource_name(resource), amount);
    }
    return fmt::format(
        "needs {} x {} on one node each; nodes of flavor {} have room for {}{}",
        failure.wanted,
        request_words(pod),
        failure.text,
        failure.fitting,
        exclusions_of(state, failure)
    );
}

}  // namespace

std::string placement_message(const engine::State& state, const PlacementFailure& failure) {
    switch (failure.kind) {
        using enum PlacementFailure::Kind;
        case InvalidPods:
            return failure.text;
        case LevelNotSpecified:
            return "topology level not specified";
        case UnknownLevel:
            return fmt::format("no requested topology level: {}", failure.level);
        case UnknownSliceLevel:
            return fmt::format("no requested topology level for slices: {}", failure.level);
        case SlicesAboveLevel:
            return fmt::format(
                "podset slice topology {} is above the podset topology {}",
                failure.other_level,
                failure.level
            );
        case SliceSizeMissing:
            return "slice topology requested, but slice size not provided";
        case UnknownLayerLevel:
            return fmt::format(
                "no requested topology level for additional slice layer: {}", failure.level
            );
        case LayerNotFiner:
            return fmt::format(
                "additional slice layer topology {} must be at a lower level than {}",
                failure.level,
                failure.other_level
            );
        case LayerNotDividing:
            return fmt::format(
                "additional slice layer size {} must evenly divide parent layer size {}",
                failure.size,
                failure.other_size
            );
        case NoDomains:
            return fmt::format("no topology domains at level: {}", failure.level);
        case TooLittleRoom:
            return shortage_message(state, failure);
        case NodesLackRoom:
            return room_message(state, failure);
        case StaleDomain:
            return fmt::format(
                "Cannot replace the node, because the existing topologyAssignment is invalid, as "
                "it contains the stale domain {}",
                failure.text
            );
        case NoReplacement:
            return fmt::format(
                "cannot find replacement assignment for unhealthy node: {}", failure.text
            );
        case ElasticWithRequired:
            return "required topology is not supported with ElasticJobsViaWorkloadSlices";
        case ElasticWithPreferred:
            return "preferred topology is not supported with ElasticJobsViaWorkloadSlices";
        case ElasticOnLostNode:
            return fmt::format(
                "the job has pods on {}, which is gone or takes no pods: it grows once the node is "
                "back or replaced",
                failure.text
            );
    }
    return "";
}

}  // namespace sluice::workload
