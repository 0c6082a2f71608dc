#include "engine/preemption/queues_above_quota.hpp"

namespace sluice::engine {

QueuesAboveQuota::QueuesAboveQuota(
    const PreemptionContext& context, NodeIndex root, const FlavorResources& needed
)
    : context_(context), needed_(needed), order_(Before{&context.state}) {
    for (const auto queue : context.view.above_quota(root, needed_)) {
        update(queue);
    }
}

void QueuesAboveQuota::update(NodeIndex cluster_queue) {
    const bool is_above = context_.view.is_above_quota(cluster_queue, needed_);
    const Candidate* first =
        is_above ? context_.candidates.in(cluster_queue, needed_).first_but(context_.removed)
                 : nullptr;
    const auto before = first_.find(cluster_queue);
    if (before != first_.end()) {
        if (before->second == first) {
            return;
        }
        order_.erase({before->second, cluster_queue});
        first_.erase(before);
    }
    if (first != nullptr) {
        order_.insert({first, cluster_queue});
        first_.emplace(cluster_queue, first);
    }
}

}  // namespace sluice::engine
