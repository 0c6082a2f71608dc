#include "controller/visibility/pending_workloads.hpp"

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/kueue/visibility.hpp"
#include "api/meta/codec.hpp"

#include <utility>

namespace sluice::controller {

namespace {

api::PendingWorkload to_api(const PendingRow& row) {
    const api::Workload& workload = *row.workload;
    api::PendingWorkload made;
    made.metadata.name = workload.metadata.name;
    made.metadata.namespace_ = workload.metadata.namespace_;
    made.metadata.creation_timestamp = workload.metadata.creation_timestamp;
    for (const api::OwnerReference& owner : workload.metadata.owner_references) {
        made.metadata.owner_references.push_back({
            .api_version = owner.api_version,
            .kind = owner.kind,
            .name = owner.name,
            .uid = owner.uid,
            .controller = {},
            .block_owner_deletion = {},
        });
    }
    made.priority = workload.spec.priority.value_or(0);
    made.local_queue_name = workload.spec.queue_name;
    made.position_in_cluster_queue = row.in_cluster_queue;
    made.position_in_local_queue = row.in_local_queue;
    return made;
}

/// The type of version v1beta1: only its apiVersion differs.
const api::TypeInfo& type_of_v1beta1() {
    static const api::TypeInfo kInfo = [] {
        api::TypeInfo info = api::PendingWorkloadsSummary::type();
        info.api_version = api::kVisibilityApiVersionV1beta1;
        return info;
    }();
    return kInfo;
}

}  // namespace

std::optional<PendingRows> PendingWorkloads::find(
    const VisibilityPath& queue, const workload::PendingPage& page
) {
    const bool is_local = queue.queue == QueueKind::LocalQueue;
    const bool is_known = is_local
                              ? stores_.of<api::LocalQueue>().find(queue.ns, queue.name) != nullptr
                              : stores_.of<api::ClusterQueue>().find(queue.name) != nullptr;
    if (!is_known) {
        return std::nullopt;
    }
    std::vector<workload::PendingPlace> places;
    if (is_local) {
        const auto index = state_.find_local_queue(queue.ns + "/" + queue.name);
        places = index.is_valid() ? order().of_local_queue(index, page) : std::move(places);
    } else {
        const auto index = state_.find_cluster_queue(queue.name);
        places = index.is_valid() ? order().of_cluster_queue(index, page) : std::move(places);
    }
    PendingRows rows;
    rows.reserve(places.size());
    for (const workload::PendingPlace& place : places) {
        auto found = stores_.of<api::Workload>().find(
            kube::parse_namespaced_name(state_.workload_key(place.workload))
        );
        if (found) {
            rows.push_back({
                std::move(found),
                static_cast<std::int32_t>(place.in_cluster_queue),
                static_cast<std::int32_t>(place.in_local_queue),
            });
        }
    }
    return rows;
}

std::optional<workload::PlaceInQueues> PendingWorkloads::find_place(engine::WorkloadIndex workload
) {
    return order().find(workload);
}

workload::PendingOrder& PendingWorkloads::order() {
    if (!order_) {
        order_.emplace(state_);
    }
    return *order_;
}

std::string print_summary(const PendingRows& rows, std::string_view version) {
    api::PendingWorkloadsSummary summary;
    summary.items.reserve(rows.size());
    for (const PendingRow& row : rows) {
        summary.items.push_back(to_api(row));
    }
    std::string text;
    const bool is_older = version == "v1beta1";
    api::encode_to(
        is_older ? type_of_v1beta1() : api::PendingWorkloadsSummary::type(), &summary, text
    );
    return text;
}

}  // namespace sluice::controller
