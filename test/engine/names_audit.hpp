#pragma once

#include "engine/state/state.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::engine {

/// Names that users invent must go with the last that has them, or they fill the memory. Counts
/// what has each name of a LocalQueue, node and resource, and throws std::logic_error where the
/// state differs.
class NamesAudit {
  public:
    explicit NamesAudit(const State& state) : data_(state.data()) {}

    /// Where the state differs from that; "": nowhere.
    std::string run() const {
        for (const std::string& found : {check_local_queues(), check_nodes(), check_resources()}) {
            if (!found.empty()) {
                return found;
            }
        }
        return "";
    }

  private:
    std::string check_local_queues() const {
        for (std::size_t at = 0; at < data_.local_queues.size(); ++at) {
            const LocalQueueRecord& record = data_.local_queues[at];
            if (!record.key.empty() && !record.exists && record.workloads.empty()) {
                return "a LocalQueue is kept without a workload: " + record.key;
            }
        }
        return "";
    }

    std::string check_nodes() const {
        for (std::size_t at = 0; at < data_.tree.size() && !data_.tree.is_stale(); ++at) {
            const auto index = make_index<NodeIndex>(at);
            const QuotaTree::Node& node = data_.tree.node(index);
            const ClusterQueueRecord& record = data_.cluster_queues[at];
            const bool is_used = node.has_object || !node.children.empty() ||
                                 !record.local_queues.empty() || !record.holders.empty() ||
                                 data_.wake_due->contains(index);
            if (is_used == node.name.empty()) {
                return "a node is kept that nothing uses, or has ended: " + node.name;
            }
        }
        return "";
    }

    std::string check_resources() const {
        std::vector<std::uint32_t> uses(data_.resources.size(), 0);
        ++uses[data_.pods.at()];
        for (const auto& [flavor, resource] : *data_.pairs) {
            ++uses[resource.at()];
        }
        data_.pod_set_pool.for_each([&uses](const std::vector<PodSetRecord>& pod_sets) {
            for (const auto& pod_set : pod_sets) {
                for (const auto& request : pod_set.requests) {
                    ++uses[request.resource.at()];
                }
                for (const auto& request : pod_set.node_requests.value_or(std::vector<Request>())) {
                    ++uses[request.resource.at()];
                }
            }
        });
        for (std::size_t i = 0; i < data_.hosts.size(); ++i) {
            const HostRecord& host = data_.hosts[i];
            for (const auto* amounts : {&host.capacity, &host.quota_capacity}) {
                for (const auto& request : *amounts) {
                    ++uses[request.resource.at()];
                }
            }
        }
        for (const auto& [id, shape] : *data_.shapes) {
            for (const auto resource : shape.resources) {
                ++uses[resource.at()];
            }
        }
        for (const auto& [name, index] : data_.tree.cluster_queues_by_name()) {
            for (const auto& group : data_.cluster_queues[index.at()].groups) {
                for (const auto resource : group.resources) {
                    ++uses[resource.at()];
                }
            }
        }
        if (uses != *data_.resource_uses) {
            return "uses of resources are not counted as they are";
        }
        return "";
    }

    const StateData& data_;
};

}  // namespace sluice::engine
