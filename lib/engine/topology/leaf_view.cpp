#include "engine/topology/leaf_view.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <utility>

namespace sluice::engine {
namespace {

/// An amount that pods take in a leaf.
struct Taken {
    FlavorIndex flavor;
    std::uint32_t leaf = 0;
    ResourceIndex resource;
    Amount amount;
    bool is_checked = false;  // false: on the same host, for pods of another flavor

    auto key() const { return std::tuple(flavor, leaf, resource); }
};

void list_taken(
    std::vector<Taken>& into, FlavorIndex flavor, const LeafDemand& demand, LeafPods pods, bool own
) {
    for (const Request& request : demand.pod) {
        into.push_back(
            {.flavor = flavor,
             .leaf = pods.leaf,
             .resource = request.resource,
             .amount = request.amount * pods.count,
             .is_checked = own && request.amount > Amount()}
        );
    }
}

}  // namespace

void take(Topologies& topologies, const LeafDemand& demand, std::int64_t times) {
    FlavorTopology& of = topologies.write(demand.flavor);
    for (const LeafPods& pods : demand.leaves) {
        of.take(pods.leaf, demand.pod, pods.count * times);
        for (const LeafOfFlavor& twin : of.twins_of(pods.leaf)) {
            topologies.write(twin.flavor).take(twin.leaf, demand.pod, pods.count * times);
        }
    }
}

bool LeafView::fits(LeafDemands demands) const {
    const auto has_nodes = [this](const LeafDemand& demand) {
        const FlavorTopology* of = topologies_->find(demand.flavor);
        return of != nullptr && std::ranges::all_of(demand.leaves, [of](const LeafPods& pods) {
                   return of->is_present(pods.leaf);
               });
    };
    if (!std::ranges::all_of(demands, has_nodes)) {
        return false;
    }
    const bool is_strict = rule_.is_strict || std::ranges::any_of(demands, [this](const auto& d) {
                               return topologies_->find(d.flavor)->enforces_capacity();
                           });
    return is_strict ? fit_together(demands)
                     : std::ranges::all_of(demands, [this](const LeafDemand& demand) {
                           return fits_alone(demand);
                       });
}

bool LeafView::fits_alone(const LeafDemand& demand) const {
    const LeafCapacity& capacity = free(demand.flavor);
    return std::ranges::all_of(demand.leaves, [&](const LeafPods& pods) {
        return std::ranges::all_of(demand.pod, [&](const Request& request) {
            return request.resource == rule_.pods || request.amount <= Amount() ||
                   request.amount * pods.count <= capacity.free(pods.leaf, request.resource);
        });
    });
}

bool LeafView::fit_together(LeafDemands demands) const {
    std::vector<Taken> taken;
    for (const LeafDemand& demand : demands) {
        const FlavorTopology* of = topologies_->find(demand.flavor);
        for (const LeafPods& pods : demand.leaves) {
            list_taken(taken, demand.flavor, demand, pods, true);
            for (const LeafOfFlavor& twin : of->twins_of(pods.leaf)) {
                const LeafPods same{.leaf = twin.leaf, .count = pods.count};
                list_taken(taken, twin.flavor, demand, same, false);
            }
        }
    }
    std::sort(taken.begin(), taken.end(), [](const Taken& a, const Taken& b) {
        return a.key() < b.key();
    });
    for (auto at = taken.begin(); at != taken.end();) {
        Amount sum;
        bool is_checked = false;
        const auto first = at;
        for (; at != taken.end() && at->key() == first->key(); ++at) {
            sum += at->amount;
            is_checked = is_checked || at->is_checked;
        }
        if (is_checked && sum > free(first->flavor).free(first->leaf, first->resource)) {
            return false;
        }
    }
    return true;
}

void LeafView::save(FlavorIndex flavor) {
    const auto since = undo_.begin() + static_cast<std::ptrdiff_t>(mark_);
    const bool is_saved = std::any_of(since, undo_.end(), [flavor](const Saved& saved) {
        return saved.flavor == flavor;
    });
    if (!is_saved) {
        const auto at = changed_.find(flavor);
        undo_.push_back(
            {.flavor = flavor,
             .before = at == changed_.end() ? std::nullopt : std::optional(at->second)}
        );
    }
}

LeafCapacity& LeafView::write(FlavorIndex flavor) {
    if (trials_ > 0) {
        save(flavor);
    }
    const auto at = changed_.lower_bound(flavor);
    return at != changed_.end() && at->first == flavor
               ? at->second
               : changed_.emplace_hint(at, flavor, topologies_->find(flavor)->free())->second;
}

void LeafView::take(LeafDemands demands, std::int64_t times, bool starts) {
    for (const LeafDemand& demand : demands) {
        const FlavorTopology* of = topologies_->find(demand.flavor);
        if (of == nullptr) {
            continue;
        }
        LeafCapacity& free = write(demand.flavor);
        for (const LeafPods& pods : demand.leaves) {
            free.take(pods.leaf, demand.pod, pods.count * times);
            for (const LeafOfFlavor& twin : of->twins_of(pods.leaf)) {
                const bool sees_all = topologies_->find(twin.flavor)->enforces_capacity();
                if (!sees_all && (!starts || !rule_.is_strict)) {
                    continue;
                }
                write(twin.flavor).take(twin.leaf, demand.pod, pods.count * times);
            }
        }
    }
}

std::size_t LeafView::begin_trial() {
    ++trials_;
    return std::exchange(mark_, undo_.size());
}

void LeafView::take_back(std::size_t outer) {
    while (undo_.size() > mark_) {
        Saved saved = std::move(undo_.back());
        undo_.pop_back();
        if (saved.before) {
            changed_.at(saved.flavor) = *std::move(saved.before);
        } else {
            changed_.erase(saved.flavor);
        }
    }
    end_trial(outer);
}

void LeafView::keep(std::size_t outer) {
    end_trial(outer);
    if (trials_ == 0) {
        undo_.clear();
    }
}

void LeafView::end_trial(std::size_t outer) {
    --trials_;
    mark_ = outer;
}

}  // namespace sluice::engine
