#include "engine/placement/placement_terms.hpp"

#include <cstddef>
#include <utility>

namespace sluice::engine {
namespace {

using Kind = PlacementFailure::Kind;

PlacementFailure request_failure(Kind kind, std::string level = "", std::string other_level = "") {
    PlacementFailure made;
    made.kind = kind;
    made.level = std::move(level);
    made.other_level = std::move(other_level);
    return made;
}

/// Adds the layers within the outermost slices. Returns what is wrong with them.
std::optional<PlacementFailure> add_inner_layers(
    const std::vector<SliceRequest>& slices, const FlavorTopology& topology, PlacementRequest& into
) {
    SliceLayer outer = into.slices;
    for (std::size_t i = 1; i < slices.size(); ++i) {
        const SliceRequest& layer = slices[i];
        const auto level = topology.find_level(layer.level);
        if (!level) {
            return request_failure(Kind::UnknownLayerLevel, layer.level);
        }
        if (*level <= outer.level) {
            return request_failure(
                Kind::LayerNotFiner, layer.level, topology.levels()[outer.level]
            );
        }
        if (layer.size <= 0 || outer.size % layer.size != 0) {
            auto failure = request_failure(Kind::LayerNotDividing);
            failure.size = layer.size;
            failure.other_size = outer.size;
            return failure;
        }
        outer = {.level = *level, .size = layer.size};
        into.inner_layers.push_back(outer);
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> PlacementTerms::level_in(const FlavorTopology& topology) const {
    if (request.required) {
        return request.required;
    }
    if (request.preferred) {
        return request.preferred;
    }
    if (is_of_slices_alone()) {
        return topology.levels().front();
    }
    return request.unconstrained || is_implied ? std::optional(topology.levels().back())
                                               : std::nullopt;
}

std::variant<PlacementRequest, PlacementFailure> resolve(
    const PlacementTerms& terms,
    const FlavorTopology& topology,
    const Gates& gates,
    std::int64_t count,
    bool has_leader
) {
    const auto& slices = terms.request.slices;
    if (!slices.empty() && slices.front().size <= 0) {
        return request_failure(Kind::SliceSizeMissing);
    }
    const auto level_name = terms.level_in(topology);
    if (!level_name) {
        return request_failure(Kind::LevelNotSpecified);
    }
    const auto level = topology.find_level(*level_name);
    if (!level) {
        return request_failure(Kind::UnknownLevel, *level_name);
    }
    const std::string& slice_level_name =
        slices.empty() ? topology.levels().back() : slices.front().level;
    const auto slice_level = topology.find_level(slice_level_name);
    if (!slice_level) {
        return request_failure(Kind::UnknownSliceLevel, slice_level_name);
    }
    if (*level > *slice_level) {
        return request_failure(Kind::SlicesAboveLevel, *level_name, slice_level_name);
    }
    const bool is_required = terms.request.required.has_value();
    const bool is_unconstrained = terms.is_unconstrained();
    PlacementRequest made{
        .count = count,
        .has_leader = has_leader,
        .level = *level,
        .is_required = is_required,
        .is_unconstrained = is_unconstrained,
        .least_room_first = is_unconstrained && gates.tas_profile_mixed,
        .prefers_affinity = gates.tas_respect_node_affinity_preferred,
        .prefers_balance = gates.tas_balanced_placement && !is_required && !is_unconstrained,
        .slices = {.level = *slice_level, .size = slices.empty() ? 1 : slices.front().size},
        .inner_layers = {},
    };
    if (auto fault = add_inner_layers(slices, topology, made)) {
        return *std::move(fault);
    }
    return made;
}

}  // namespace sluice::engine
