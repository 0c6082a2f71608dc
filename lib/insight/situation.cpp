#include "insight/situation.hpp"

#include "insight/translated_changes.hpp"

#include <utility>

namespace sluice::insight {

namespace {

/// Takes what both depths need.
Situation take(
    const Surroundings& from,
    std::shared_ptr<const api::Workload> workload,
    std::shared_ptr<engine::State> state,
    Depth depth
) {
    const std::string& ns = workload->metadata.namespace_;
    auto local_queue = from.objects.find_local_queue(ns, workload->spec.queue_name);
    auto cluster_queue = local_queue == nullptr
                             ? nullptr
                             : from.objects.find_cluster_queue(local_queue->spec.cluster_queue);
    const auto index = from.state.find_workload(ns + "/" + workload->metadata.name);
    const auto& translator = from.translator;
    Situation made{
        .now = from.now,
        .depth = depth,
        .state = std::move(state),
        .workload = std::move(workload),
        .local_queue = std::move(local_queue),
        .cluster_queue = std::move(cluster_queue),
        .local_queues = {},
        .priority_classes = {},
        .flavors = {},
        .obstacle = {},
        .activity = {},
        .place = {},
        .changes = {},
    };
    made.obstacle = workload::find_obstacle(
        *made.workload,
        made.local_queue.get(),
        made.cluster_queue.get(),
        translator,
        translator.settings().gates
    );
    if (made.cluster_queue != nullptr) {
        made.activity = translator.activity(*made.cluster_queue);
        for (const auto& group : made.cluster_queue->spec.resource_groups) {
            for (const auto& quotas : group.flavors) {
                const auto at = translator.references().flavors.find(quotas.name);
                if (at != translator.references().flavors.end()) {
                    made.flavors.emplace(at->first, at->second);
                }
            }
        }
    }
    if (index.is_valid()) {
        made.place = from.find_place(index);
    }
    return made;
}

std::shared_ptr<engine::State> fork(const engine::State& state) {
    return std::make_shared<engine::State>(state.fork());
}

}  // namespace

std::optional<Situation> take_situation(
    const Surroundings& from, std::string_view ns, std::string_view name
) {
    auto workload = from.objects.find_workload(ns, name);
    if (workload == nullptr) {
        return std::nullopt;
    }
    Situation made = take(from, std::move(workload), fork(from.state), Depth::Full);
    made.local_queues = from.objects.local_queues_of(ns);
    made.priority_classes = from.objects.priority_classes();
    add_translated_changes(from.translator, made);
    return made;
}

std::vector<Situation> take_situations(
    const Surroundings& from, std::string_view ns, std::string_view after, std::size_t limit
) {
    const auto state = fork(from.state);
    std::vector<Situation> made;
    for (auto& workload : from.objects.list_workloads(ns, after, limit)) {
        made.push_back(take(from, std::move(workload), state, Depth::Summary));
        if (made.back().local_queue == nullptr) {
            made.back().local_queues = from.objects.local_queues_of(ns);
        }
    }
    return made;
}

}  // namespace sluice::insight
