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
    RoomCounter(const LeafCapacity& capacity, const RoomRequest& request)
        : capacity_(capacity), request_(request) {}

    Rooms count() {
        Rooms rooms;
        rooms.leaves.resize(capacity_.leaves());
        std::vector<ResourceIndex> scarcest(capacity_.leaves());
        fill_pods(rooms, scarcest);
        if (!request_.leader.empty()) {
            fill_leaders(rooms);
        }
        for (std::size_t leaf = 0; leaf < rooms.leaves.size(); ++leaf) {
            LeafRoom& room = rooms.leaves[leaf];
            if (!is_allowed(leaf)) {
                room = {};
            } else if (room.pods == 0 && scarcest[leaf].is_valid()) {
                ++rooms.lacking[scarcest[leaf]];
            }
        }
        return rooms;
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

    void fill_pods(Rooms& rooms, std::vector<ResourceIndex>& scarcest) const {
        for (LeafRoom& room : rooms.leaves) {
            room.pods = std::numeric_limits<std::int64_t>::max();
        }
        for (const Request& request : request_.pod) {
            if (request.amount <= Amount()) {
                continue;
            }
            const LeafCapacity::Column* column = capacity_.find(request.resource);
            for (std::size_t leaf = 0; leaf < rooms.leaves.size(); ++leaf) {
                const Amount free = column == nullptr ? Amount() : (*column)[leaf];
                const std::int64_t pods = quotient(free, request.amount);
                if (pods < rooms.leaves[leaf].pods) {
                    rooms.leaves[leaf].pods = pods;
                    scarcest[leaf] = request.resource;
                }
            }
        }
        for (LeafRoom& room : rooms.leaves) {
            room.pods_beside_leader = room.pods;
        }
    }

    void fill_leaders(Rooms& rooms) const {
        for (std::size_t leaf = 0; leaf < rooms.leaves.size(); ++leaf) {
            LeafRoom& room = rooms.leaves[leaf];
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
};

}  // namespace

Rooms count_rooms(const LeafCapacity& capacity, const RoomRequest& request) {
    return RoomCounter(capacity, request).count();
}

}  // namespace sluice::engine
