#include "engine/placement/node_replacement.hpp"

#include <algorithm>
#include <utility>

namespace sluice::engine {
namespace {

using Kind = PlacementFailure::Kind;

PlacementFailure replacement_failure(Kind kind, std::string text) {
    PlacementFailure made;
    made.kind = kind;
    made.text = std::move(text);
    return made;
}

class ReplacementSearch {
  public:
    ReplacementSearch(
        const State& state,
        RoomCache& rooms,
        const HeldTopology& topology,
        const LeafCapacity& capacity,
        PodsToPlace pods
    )
        : state_(state),
          rooms_(rooms),
          flavor_(topology.flavor),
          of_(*state.topologies().find(topology.flavor)),
          domains_(topology.domains),
          capacity_(capacity),
          pods_(std::move(pods)) {}

    std::variant<Replacement, PlacementFailure> run(const std::string& node) {
        pods_.count = 0;
        for (const DomainPods& domain : domains_) {
            if (domain.id == node) {
                pods_.count = domain.count;
                continue;
            }
            const auto leaf = of_.find_leaf(domain.id);
            if (!leaf || !of_.is_present(*leaf)) {
                return replacement_failure(Kind::StaleDomain, domain.id);
            }
            rest_.push_back({.leaf = *leaf, .count = domain.count});
        }
        if (!slices().empty() && slices().front().size <= 0) {
            PlacementFailure failure;
            failure.kind = Kind::SliceSizeMissing;
            return failure;
        }
        pods_.within = confinement();
        if (breaks_slice() && pods_.within.is_valid()) {
            keep_innermost_whole_slices();
        }
        auto found = place_pods(state_, rooms_, flavor_, capacity_, pods_);
        if (auto* failure = std::get_if<PlacementFailure>(&found)) {
            return std::move(*failure);
        }
        Replacement made;
        for (const PlacedPods& placed : std::get<std::vector<PlacedPods>>(found)) {
            made.replacing.push_back(
                {.leaf = placed.leaf.value - of_.tree().leaves().first, .count = placed.count}
            );
        }
        if (made.replacing.empty()) {
            return replacement_failure(Kind::NoReplacement, node);
        }
        made.all = sum_by_leaf(rest_, made.replacing);
        return made;
    }

  private:
    const std::vector<SliceRequest>& slices() const { return pods_.terms.request.slices; }
    /// Returns true if the failed node had a part of a slice.
    bool breaks_slice() const {
        return !slices().empty() && pods_.count % slices().front().size != 0;
    }

    DomainIndex ancestor(std::uint32_t leaf, std::size_t level) const {
        DomainIndex at = of_.domain_of(leaf);
        for (std::size_t i = of_.levels().size() - 1; i > level; --i) {
            at = of_.tree().parent(at);
        }
        return at;
    }

    /// Returns the domain that the pods must stay in; an invalid index without one.
    DomainIndex confinement() const {
        const auto name = pods_.terms.level_in(of_);
        const auto level = name ? of_.find_level(*name) : std::nullopt;
        if (!level || rest_.empty()) {
            return {};
        }
        if (breaks_slice()) {
            // The innermost broken layer is the narrowest domain that the pods must complete.
            for (std::size_t i = slices().size(); i-- > 0;) {
                if (slices()[i].size > 0 && pods_.count % slices()[i].size != 0) {
                    return incomplete_slice(slices()[i]);
                }
            }
        }
        return pods_.terms.request.required ? ancestor(rest_.front().leaf, *level) : DomainIndex{};
    }

    /// Returns the first domain of the layer's level that the pods would complete.
    DomainIndex incomplete_slice(const SliceRequest& layer) const {
        const auto level = of_.find_level(layer.level);
        if (!level) {
            return {};
        }
        std::map<DomainIndex, std::int64_t> pods;
        for (const LeafPods& each : rest_) {
            pods[ancestor(each.leaf, *level)] += each.count;
        }
        for (const auto& [domain, count] : pods) {
            if ((count + pods_.count) % layer.size == 0) {
                return domain;
            }
        }
        return {};
    }

    /// Lets the pods keep the innermost layer whose slices they fill, and no other.
    void keep_innermost_whole_slices() {
        auto& slices = pods_.terms.request.slices;
        const auto whole =
            std::find_if(slices.rbegin(), slices.rend(), [this](const SliceRequest& layer) {
                return layer.size > 0 && pods_.count % layer.size == 0;
            });
        slices = whole == slices.rend() ? std::vector<SliceRequest>()
                                        : std::vector<SliceRequest>{*whole};
    }

    const State& state_;
    RoomCache& rooms_;
    FlavorIndex flavor_;
    const FlavorTopology& of_;
    const std::vector<DomainPods>& domains_;
    const LeafCapacity& capacity_;
    PodsToPlace pods_;
    std::vector<LeafPods> rest_;  // in the order of the assignment
};

}  // namespace

std::variant<Replacement, PlacementFailure> find_replacement(
    const State& state,
    RoomCache& rooms,
    const HeldTopology& topology,
    const std::string& node,
    const LeafCapacity& capacity,
    PodsToPlace pods
) {
    return ReplacementSearch(state, rooms, topology, capacity, std::move(pods)).run(node);
}

}  // namespace sluice::engine
