#include "engine/placement/workload_placer.hpp"

#include "engine/placement/node_replacement.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

namespace sluice::engine {
namespace {

PlacementFailure shortage_of(
    const std::string& flavor,
    const PlacementShortage& shortage,
    const FlavorTopology& topology,
    const PodsToPlace& pods,
    const PlacementRequest& request
) {
    PlacementFailure made;
    if (topology.enforces_capacity()) {
        made.text = flavor;
        made.kind = PlacementFailure::Kind::NodesLackRoom;
        for (const Request& each : pods.pod) {
            made.pod.emplace_back(each.resource, each.amount);
        }
    } else {
        made.kind = PlacementFailure::Kind::TooLittleRoom;
    }
    made.topology = topology.name();
    made.fitting = shortage.fitting;
    made.wanted = shortage.wanted;
    made.has_slices = request.slices.size != 1;
    made.leaves = topology.present();
    for (std::size_t i = 0; i < shortage.fitting_by_layer.size(); ++i) {
        const SliceRequest& layer = pods.terms.request.slices[i];
        made.layers.push_back(
            {.level = layer.level,
             .fitting = shortage.fitting_by_layer[i],
             .wanted = pods.count / layer.size}
        );
    }
    return made;
}

}  // namespace

std::variant<std::vector<PlacedPods>, PlacementFailure> place_pods(
    const State& state,
    RoomCache& rooms,
    FlavorIndex flavor,
    const LeafCapacity& capacity,
    const PodsToPlace& pods
) {
    const FlavorTopology& topology = *state.topologies().find(flavor);
    const ShapeRecord* shape = state.find_shape(pods.shape);
    if (shape != nullptr && !shape->placement_fault.empty()) {
        PlacementFailure failure;
        failure.kind = PlacementFailure::Kind::InvalidPods;
        failure.text = shape->placement_fault;
        return failure;
    }
    auto resolved =
        resolve(pods.terms, topology, state.options().gates, pods.count, !pods.leader.empty());
    if (auto* failure = std::get_if<PlacementFailure>(&resolved)) {
        return std::move(*failure);
    }
    const auto& request = std::get<PlacementRequest>(resolved);
    if (topology.present() == 0 && topology.enforces_capacity()) {
        return shortage_of(
            state.flavor_name(flavor),
            {.fitting = 0, .wanted = pods.count, .fitting_by_layer = {}},
            topology,
            pods,
            request
        );
    }
    if (topology.present() == 0) {
        PlacementFailure failure;
        failure.kind = PlacementFailure::Kind::NoDomains;
        failure.level = topology.levels()[request.level];
        return failure;
    }
    CountedRooms& counted = rooms.find(state, flavor, capacity, pods, request);
    Placement found = place(topology.tree(), request, counted.counts);
    if (!found.shortage) {
        return std::move(found.leaves);
    }
    PlacementFailure failure =
        shortage_of(state.flavor_name(flavor), *found.shortage, topology, pods, request);
    failure.refused = counted.choice.refused;
    failure.outside = counted.choice.outside;
    failure.lacking = counted.rooms.lacking();
    return failure;
}

WorkloadPlacer::WorkloadPlacer(
    const State& state,
    RoomCache& rooms,
    WorkloadIndex workload,
    const LeafView& view,
    Occupancy occupancy
)
    : state_(state),
      rooms_(rooms),
      record_(state.workload(workload)),
      view_(view),
      occupancy_(occupancy) {}

const LeafCapacity& WorkloadPlacer::capacity_of(FlavorIndex flavor) const {
    if (const auto at = assumed_.find(flavor); at != assumed_.end()) {
        return at->second;
    }
    return occupancy_ == Occupancy::Empty ? state_.topologies().find(flavor)->idle()
                                          : view_.free(flavor);
}

LeafCapacity& WorkloadPlacer::write_capacity(FlavorIndex flavor) {
    const auto at = assumed_.find(flavor);
    return at != assumed_.end() ? at->second
                                : assumed_.emplace(flavor, capacity_of(flavor)).first->second;
}

void WorkloadPlacer::assume(const LeafDemand& demand) {
    const FlavorTopology& of = *state_.topologies().find(demand.flavor);
    for (const LeafPods& pods : demand.leaves) {
        write_capacity(demand.flavor).take(pods.leaf, demand.pod, pods.count);
        for (const LeafOfFlavor& twin : of.twins_of(pods.leaf)) {
            write_capacity(twin.flavor).take(twin.leaf, demand.pod, pods.count);
        }
    }
}

std::vector<WorkloadPlacer::Group> WorkloadPlacer::groups_on(
    FlavorIndex flavor, const std::vector<PodSetToPlace>& pod_sets
) const {
    std::vector<Group> groups;
    std::map<std::string_view, std::size_t> by_name;
    for (const PodSetToPlace& pod_set : pod_sets) {
        if (pod_set.flavor != flavor) {
            continue;
        }
        static const std::string kAlone;
        const bool is_together = !state_.topologies().find(flavor)->enforces_capacity();
        const std::string& name = is_together ? record_.pod_sets[pod_set.pod_set].group : kAlone;
        const auto at =
            name.empty() ? groups.size() : by_name.emplace(name, groups.size()).first->second;
        if (at == groups.size()) {
            groups.emplace_back();
        }
        groups[at].push_back(pod_set);
    }
    return groups;
}

bool WorkloadPlacer::replaces_node() const {
    return record_.holding != nullptr && record_.holding->placement != nullptr &&
           !record_.holding->placement->unhealthy_nodes.empty();
}

void WorkloadPlacer::largest_first(FlavorIndex flavor, std::vector<Group>& groups) const {
    const LeafCapacity& idle = state_.topologies().find(flavor)->idle();
    std::map<std::uint32_t, std::int64_t> room;  // by podSet: pods of it for which nodes have room
    for (const Group& group : groups) {
        const LeafDemand demand = demand_of(group.front());
        const Rooms rooms = count_rooms(idle, {.pod = demand.pod, .leader = {}, .allowed = {}});
        std::int64_t& sum = room[group.front().pod_set];
        for (const LeafRoom& leaf : rooms.leaves) {
            sum += std::min<std::int64_t>(leaf.pods, std::numeric_limits<std::int32_t>::max());
        }
    }
    std::ranges::stable_sort(groups, {}, [&room](const Group& group) {
        return room.at(group.front().pod_set);
    });
}

WorkloadPlacement WorkloadPlacer::place(const std::vector<PodSetToPlace>& pod_sets, KeptPods kept) {
    kept_ = kept;
    std::vector<FlavorIndex> flavors;
    flavors.reserve(pod_sets.size());
    for (const PodSetToPlace& pod_set : pod_sets) {
        flavors.push_back(pod_set.flavor);
    }
    std::sort(flavors.begin(), flavors.end(), [this](FlavorIndex a, FlavorIndex b) {
        return state_.flavor_name(a) < state_.flavor_name(b);
    });
    flavors.erase(std::unique(flavors.begin(), flavors.end()), flavors.end());
    for (const FlavorIndex flavor : flavors) {
        std::vector<Group> groups = groups_on(flavor, pod_sets);
        if (groups.size() > 1 && state_.topologies().find(flavor)->enforces_capacity()) {
            largest_first(flavor, groups);
        }
        for (const Group& group : groups) {
            const bool found =
                replaces_node()
                    ? std::all_of(
                          group.begin(),
                          group.end(),
                          [this](const PodSetToPlace& pod_set) { return replace_node(pod_set); }
                      )
                    : place_group(group);
            if (!found) {
                break;  // the other groups of the flavor are not placed
            }
        }
    }
    return std::move(result_);
}

void WorkloadPlacer::fail(
    const PodSetToPlace& pod_set, std::shared_ptr<const PlacementFailure> failure
) {
    if (!result_.unplaced || pod_set.pod_set < result_.unplaced->pod_set) {
        result_.unplaced = UnplacedPodSet{
            .pod_set = pod_set.pod_set, .flavor = pod_set.flavor, .failure = std::move(failure)
        };
    }
}

LeafDemand WorkloadPlacer::demand_of(const PodSetToPlace& pod_set) const {
    return {
        .flavor = pod_set.flavor,
        .pod = state_.node_request(record_.pod_sets[pod_set.pod_set]),
        .leaves = {},
    };
}

namespace {

PodsToPlace pods_of(
    const State& state, const PodSetToPlace& pod_set, std::uint32_t shape, std::vector<Request> pod
) {
    PodsToPlace made{
        .terms = {.request = {}, .is_implied = pod_set.is_implied},
        .count = pod_set.count,
        .shape = shape,
        .pod = std::move(pod),
        .leader = {},
        .within = {},
    };
    const ShapeRecord* record = state.find_shape(shape);
    if (record != nullptr && record->topology &&
        !state.topologies().find(pod_set.flavor)->enforces_capacity()) {
        made.terms.request = *record->topology;
    }
    return made;
}

}  // namespace

bool WorkloadPlacer::place_group(const Group& group) {
    // The podSet with fewer pods leads, of equals the second.
    const bool has_leader = group.size() > 1;
    const bool is_first_leader = has_leader && group[1].count > group[0].count;
    const PodSetToPlace& workers = group[is_first_leader ? 1 : 0];
    const PodSetToPlace* leading = has_leader ? &group[is_first_leader ? 0 : 1] : nullptr;
    if (!workers.kept.empty() && (leading == nullptr || !leading->kept.empty())) {
        return grow_group(workers, leading);
    }
    LeafDemand demand = demand_of(workers);
    PodsToPlace pods =
        pods_of(state_, workers, record_.pod_sets[workers.pod_set].shape, demand.pod);
    std::optional<LeafDemand> leader;
    if (has_leader) {
        leader = demand_of(*leading);
        pods.leader = leader->pod;
    }
    pods.occupancy = occupancy_;
    auto found = place_pods(state_, rooms_, workers.flavor, capacity_of(workers.flavor), pods);
    if (auto* failure = std::get_if<PlacementFailure>(&found)) {
        const auto shared = std::make_shared<const PlacementFailure>(std::move(*failure));
        for (const PodSetToPlace& member : group) {
            fail(member, shared);
        }
        return false;
    }
    const std::uint32_t first = state_.topologies().find(workers.flavor)->tree().leaves().first;
    for (const PlacedPods& placed : std::get<std::vector<PlacedPods>>(found)) {
        const std::uint32_t leaf = placed.leaf.value - first;
        if (placed.count > 0) {
            demand.leaves.push_back({.leaf = leaf, .count = placed.count});
        }
        if (placed.with_leader && leader) {
            leader->leaves.push_back({.leaf = leaf, .count = 1});
        }
    }
    const auto keep = [this](const PodSetToPlace& pod_set, LeafDemand made) {
        assume(made);
        result_.placed.push_back(
            {.pod_set = pod_set.pod_set, .demand = std::move(made), .replacing = {}}
        );
    };
    keep(workers, std::move(demand));
    if (leader) {
        keep(*leading, *std::move(leader));
    }
    return true;
}

namespace {

std::int64_t pods_in(const std::vector<LeafPods>& leaves) {
    std::int64_t sum = 0;
    for (const LeafPods& each : leaves) {
        sum += each.count;
    }
    return sum;
}

}  // namespace

bool WorkloadPlacer::grow_group(const PodSetToPlace& workers, const PodSetToPlace* leader) {
    const auto kept_of = [this](const PodSetToPlace& pod_set) {
        LeafDemand kept = demand_of(pod_set);
        kept.leaves = sum_by_leaf(pod_set.kept, {});
        if (occupancy_ == Occupancy::Empty || kept_ == KeptPods::Removed) {
            assume(kept);
        }
        return kept;
    };
    LeafDemand all = kept_of(workers);
    LeafDemand leading = leader == nullptr ? LeafDemand() : kept_of(*leader);
    const std::int64_t missing = workers.count - pods_in(all.leaves);
    if (missing > 0) {
        auto found = place_more(workers, missing);
        if (auto* failure = std::get_if<PlacementFailure>(&found)) {
            const auto shared = std::make_shared<const PlacementFailure>(std::move(*failure));
            fail(workers, shared);
            if (leader != nullptr) {
                fail(*leader, shared);
            }
            return false;
        }
        all.leaves = sum_by_leaf(all.leaves, std::get<std::vector<LeafPods>>(found));
    }
    result_.placed.push_back({.pod_set = workers.pod_set, .demand = std::move(all)});
    if (leader != nullptr) {
        result_.placed.push_back({.pod_set = leader->pod_set, .demand = std::move(leading)});
    }
    return true;
}

std::variant<std::vector<LeafPods>, PlacementFailure> WorkloadPlacer::place_more(
    const PodSetToPlace& pod_set, std::int64_t count
) {
    LeafDemand more = demand_of(pod_set);
    PodsToPlace pods = pods_of(state_, pod_set, record_.pod_sets[pod_set.pod_set].shape, more.pod);
    pods.count = count;
    pods.occupancy = occupancy_;
    auto found = place_pods(state_, rooms_, pod_set.flavor, capacity_of(pod_set.flavor), pods);
    if (auto* failure = std::get_if<PlacementFailure>(&found)) {
        return std::move(*failure);
    }
    const std::uint32_t first = state_.topologies().find(pod_set.flavor)->tree().leaves().first;
    for (const PlacedPods& placed : std::get<std::vector<PlacedPods>>(found)) {
        more.leaves.push_back({.leaf = placed.leaf.value - first, .count = placed.count});
    }
    assume(more);
    return std::move(more.leaves);
}

bool WorkloadPlacer::replace_node(const PodSetToPlace& pod_set) {
    const HeldPlacement& held = *record_.holding->placement;
    const auto topology = std::find_if(
        held.topologies.begin(),
        held.topologies.end(),
        [&pod_set](const HeldTopology& each) {
            return each.pod_set == pod_set.pod_set && each.flavor == pod_set.flavor;
        }
    );
    if (topology == held.topologies.end()) {
        return true;
    }
    LeafDemand demand = demand_of(pod_set);
    if (held.is_of_one_pod && state_.options().gates.tas_skip_reassignment_for_pods) {
        result_.placed.push_back(
            {.pod_set = pod_set.pod_set,
             .demand = std::move(demand),
             .replacing = {},
             .is_kept = true}
        );
        return true;
    }
    auto found = find_replacement(
        state_,
        rooms_,
        *topology,
        held.unhealthy_nodes.front(),
        capacity_of(pod_set.flavor),
        pods_of(state_, pod_set, record_.pod_sets[pod_set.pod_set].shape, demand.pod)
    );
    if (auto* failure = std::get_if<PlacementFailure>(&found)) {
        fail(pod_set, std::make_shared<const PlacementFailure>(std::move(*failure)));
        return false;
    }
    auto& replacement = std::get<Replacement>(found);
    demand.leaves = replacement.replacing;
    assume(demand);
    demand.leaves = std::move(replacement.all);
    result_.placed.push_back(
        {.pod_set = pod_set.pod_set,
         .demand = std::move(demand),
         .replacing = std::move(replacement.replacing)}
    );
    return true;
}

}  // namespace sluice::engine
