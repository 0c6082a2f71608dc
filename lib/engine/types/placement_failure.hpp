// The reason why the pods of a podSet got no places in a topology.
#pragma once

#include "engine/types/amount.hpp"
#include "engine/types/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sluice::engine {

/// Why a placement failed, with what its message shows.
struct PlacementFailure {
    enum class Kind : std::uint8_t {
        InvalidPods,          ///< `text` says what is wrong with the pods
        LevelNotSpecified,    ///< the podSet asks for a topology, but for no level
        UnknownLevel,         ///< the topology lacks `level`
        UnknownSliceLevel,    ///< the topology lacks `level`, which the slices ask for
        SlicesAboveLevel,     ///< the slices' `other_level` is above `level`
        SliceSizeMissing,     ///< slices without a size
        UnknownLayerLevel,    ///< the topology lacks `level`, which an inner layer asks for
        LayerNotFiner,        ///< an inner layer's `level` is not below `other_level`
        LayerNotDividing,     ///< an inner layer's `size` does not divide `other_size`
        NoDomains,            ///< no node has a value for `level`
        TooLittleRoom,        ///< `fitting` of `wanted` slices fit
        StaleDomain,          ///< the assignment names `text`, which no node has
        NodesLackRoom,        ///< flavor `text` enforces capacity; `fitting` of `wanted` pods fit
        NoReplacement,        ///< no place is left for the pods of the failed node `text`
        ElasticWithRequired,  ///< an elastic job requires a domain
        ElasticWithPreferred,
        ElasticOnLostNode,  ///< the replaced slice has pods in domain `text`, which no node has
    };
    /// The slices of one layer: those that fit, of all.
    struct Layer {
        std::string level;
        std::int64_t fitting = 0;
        std::int64_t wanted = 0;
    };
    Kind kind = Kind::TooLittleRoom;
    std::string text;
    std::string level;
    std::string other_level;
    std::int64_t size = 0;
    std::int64_t other_size = 0;
    // For TooLittleRoom:
    std::string topology;
    std::int64_t fitting = 0;
    std::int64_t wanted = 0;
    bool has_slices = false;    ///< the slices have more than one pod
    std::vector<Layer> layers;  ///< set with inner layers
    std::size_t leaves = 0;     ///< number of leaves with nodes
    /// Number of leaves that the pods may not use, by the words for the reason.
    std::map<std::string, std::size_t> refused;
    /// Number of leaves in which no pod fits, by the scarcest resource.
    std::map<ResourceIndex, std::size_t> lacking;
    /// For NodesLackRoom, what one pod takes of a node.
    std::vector<std::pair<ResourceIndex, Amount>> pod;
    std::size_t outside = 0;  ///< number of leaves outside the domain that a replacement needs
};

}  // namespace sluice::engine
