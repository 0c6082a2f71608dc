#include "engine/topology/leaf_capacity.hpp"

#include <algorithm>
#include <limits>

namespace sluice::engine {

LeafCapacity::Column& LeafCapacity::column(ResourceIndex resource) {
    const auto at = free_.lower_bound(resource);
    return at != free_.end() && at->first == resource
               ? at->second
               : free_.emplace_hint(at, resource, Column(leaves_))->second;
}

void LeafCapacity::add(std::size_t leaf, std::span<const Request> amounts, std::int64_t times) {
    for (const Request& request : amounts) {
        column(request.resource).write(leaf) += request.amount * times;
    }
}

void LeafCapacity::take(std::size_t leaf, std::span<const Request> amounts, std::int64_t times) {
    for (const Request& request : amounts) {
        column(request.resource).write(leaf) -= request.amount * times;
    }
}

const LeafCapacity::Column* LeafCapacity::find(ResourceIndex resource) const {
    const auto at = free_.find(resource);
    return at == free_.end() ? nullptr : &at->second;
}

Amount LeafCapacity::free(std::size_t leaf, ResourceIndex resource) const {
    const Column* of = find(resource);
    return of == nullptr ? Amount() : (*of)[leaf];
}

namespace {

/// Counts rooms resource by resource, so that the amounts of one resource are read in a row.
class RoomCounter {
  public:
    RoomCounter(
        const LeafCapacity& capacity, const RoomRequest& request, LeafRange leaves, Rooms& rooms
    )
        : capacity_(capacity), request_(request), leaves_(leaves), rooms_(rooms) {}

    void count() {
        fill_pods();
        if (!request_.leader.empty()) {
            fill_leaders();
        }
        for (std::size_t leaf = leaves_.first; leaf < leaves_.last; ++leaf) {
            LeafRoom& room = rooms_.leaves[leaf];
            if (!is_allowed(leaf)) {
                room = {};
            }
            if (room.pods > 0 || !is_allowed(leaf)) {
                rooms_.scarcest[leaf] = {};
            }
        }
    }

  private:
    bool is_allowed(std::size_t leaf) const {
        return request_.allowed.empty() || request_.allowed[leaf];
    }
    /// Returns how many requests of that size are free.
    static std::int64_t quotient(Amount free, Amount request) {
        if (free < request) {
            return 0;
        }
        return request.value() == 1 ? free.value() : free.value() / request.value();
    }

    void fill_pods() {
        for (std::size_t leaf = leaves_.first; leaf < leaves_.last; ++leaf) {
            rooms_.leaves[leaf] = {};
            rooms_.leaves[leaf].pods = std::numeric_limits<std::int64_t>::max();
            rooms_.scarcest[leaf] = {};
        }
        for (const Request& request : request_.pod) {
            if (request.amount <= Amount()) {
                continue;
            }
            const LeafCapacity::Column* column = capacity_.find(request.resource);
            for (std::size_t leaf = leaves_.first; leaf < leaves_.last; ++leaf) {
                const Amount free = column == nullptr ? Amount() : (*column)[leaf];
                const std::int64_t pods = quotient(free, request.amount);
                if (pods < rooms_.leaves[leaf].pods) {
                    rooms_.leaves[leaf].pods = pods;
                    rooms_.scarcest[leaf] = request.resource;
                }
            }
        }
        for (std::size_t leaf = leaves_.first; leaf < leaves_.last; ++leaf) {
            rooms_.leaves[leaf].pods_beside_leader = rooms_.leaves[leaf].pods;
        }
    }

    void fill_leaders() {
        for (std::size_t leaf = leaves_.first; leaf < leaves_.last; ++leaf) {
            LeafRoom& room = rooms_.leaves[leaf];
            const auto fits = [&](const Request& request) {
                return request.amount <= Amount() ||
                       request.amount <= capacity_.free(leaf, request.resource);
            };
            room.fits_leader = std::all_of(request_.leader.begin(), request_.leader.end(), fits);
            if (room.fits_leader) {
                room.pods_beside_leader = pods_beside_leader(leaf, room.pods);
            }
        }
    }

    std::int64_t pods_beside_leader(std::size_t leaf, std::int64_t pods) const {
        for (const Request& request : request_.pod) {
            if (request.amount <= Amount()) {
                continue;
            }
            Amount free = capacity_.free(leaf, request.resource);
            for (const Request& taken : request_.leader) {
                if (taken.resource == request.resource) {
                    free -= taken.amount;
                }
            }
            pods = std::min(pods, quotient(free, request.amount));
        }
        return pods;
    }

    const LeafCapacity& capacity_;
    const RoomRequest& request_;
    LeafRange leaves_;
    Rooms& rooms_;
};

}  // namespace

std::map<ResourceIndex, std::size_t> Rooms::lacking() const {
    std::map<ResourceIndex, std::size_t> counts;
    for (const ResourceIndex resource : scarcest) {
        if (resource.is_valid()) {
            ++counts[resource];
        }
    }
    return counts;
}

Rooms count_rooms(const LeafCapacity& capacity, const RoomRequest& request) {
    const std::size_t leaves = capacity.leaves();
    Rooms rooms{
        .leaves = std::vector<LeafRoom>(leaves), .scarcest = std::vector<ResourceIndex>(leaves)
    };
    recount_rooms(capacity, request, {.first = 0, .last = leaves}, rooms);
    return rooms;
}

void recount_rooms(
    const LeafCapacity& capacity, const RoomRequest& request, LeafRange leaves, Rooms& rooms
) {
    RoomCounter(capacity, request, leaves, rooms).count();
}

std::vector<LeafRange> changed_leaves(
    const LeafCapacity& before, const LeafCapacity& after, const RoomRequest& request
) {
    std::vector<LeafRange> changed;
    const auto differs = [&](const Request& of, std::size_t leaf) {
        const LeafCapacity::Column* a = before.find(of.resource);
        const LeafCapacity::Column* b = after.find(of.resource);
        return a == nullptr || b == nullptr ? a != b : !a->shares_with(*b, leaf);
    };
    for (std::size_t leaf = 0; leaf < after.leaves(); leaf += LeafCapacity::kChunk) {
        const auto is_changed = [&](const Request& of) { return differs(of, leaf); };
        if (std::any_of(request.pod.begin(), request.pod.end(), is_changed) ||
            std::any_of(request.leader.begin(), request.leader.end(), is_changed)) {
            changed.push_back(
                {.first = leaf, .last = std::min(after.leaves(), leaf + LeafCapacity::kChunk)}
            );
        }
    }
    return changed;
}

}  // namespace sluice::engine
