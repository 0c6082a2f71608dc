#include "engine/state/audit.hpp"

#include <map>
#include <string>
#include <utility>

namespace sluice::engine {
namespace {

class Auditor {
  public:
    explicit Auditor(const State& state) : state_(state) {}

    std::vector<AuditFinding> run() {
        for (const auto& [name, index] : state_.tree().cluster_queues_by_name()) {
            check_queue(index);
            check_holders(index);
        }
        if (!state_.tree().is_stale()) {
            for (std::size_t i = 0; i < state_.tree().size(); ++i) {
                check_sums(make_index<NodeIndex>(i));
            }
        }
        return std::move(found_);
    }

  private:
    void fail(NodeIndex node, std::string what, std::string_view about) {
        const NodeIndex root = state_.tree().node(node).root;
        found_.push_back(
            {.root = root.is_valid() ? root : node,
             .what = std::move(what.append(": ").append(about))}
        );
    }

    void check_queue(NodeIndex index) {
        const ClusterQueueRecord& queue = state_.cluster_queue(index);
        const std::string& name = state_.node_name(index);
        if (queue.exists != state_.tree().node(index).has_object) {
            fail(index, "a ClusterQueue has an object in one place only", name);
        }
        for (const auto local_queue : queue.local_queues) {
            if (state_.local_queue(local_queue).cluster_queue != index) {
                fail(index, "a LocalQueue names another ClusterQueue", name);
            }
        }
        if (const std::string fault = queue.pending.find_fault(state_.workloads());
            !fault.empty()) {
            fail(index, fault, name);
        }
        if (!queue.pending.has_usage([&](LocalQueueIndex local_queue) {
                return state_.usage_in(queue, local_queue);
            })) {
            fail(index, "a queue orders by a usage that its LocalQueue does not have", name);
        }
        const auto check = [this, index](WorkloadIndex workload) {
            check_pending(index, state_.workload(workload));
        };
        queue.pending.for_each_waiting(check);
        queue.pending.for_each_parked(check);
        if (state_.has_heap(index) != queue.pending.has_waiting()) {
            fail(index, "a heap is not known to have entries", name);
        }
        if (queue.inflight.is_valid()) {
            fail(index, "a head is in flight outside a cycle", name);
        }
    }

    void check_pending(NodeIndex index, const WorkloadRecord& record) {
        if (!record.exists || !record.queueable || record.holding != nullptr) {
            fail(index, "a queued workload may not queue", record.key());
        }
    }

    void check_holders(NodeIndex index) {
        Usages sum;
        std::size_t at = 0;
        for (const auto workload : state_.cluster_queue(index).holders) {
            const WorkloadRecord& record = state_.workload(workload);
            if (record.holding == nullptr || record.holding->position != at ||
                record.holding->cluster_queue != index) {
                fail(index, "a holder does not know its place", record.key());
                continue;
            }
            for (const auto& usage : record.holding->usages) {
                add_to(sum, usage.flavor_resource, usage.amount);
            }
            ++at;
        }
        for (const auto& usage : state_.tree().node(index).own_usage) {
            if (amount_of(sum, usage.flavor_resource) != usage.amount) {
                fail(index, "usage is not the sum of the holders'", state_.node_name(index));
            }
        }
    }

    void check_sums(NodeIndex index) {
        const auto& node = state_.tree().node(index);
        for (const auto& cell : node.cells) {
            Amount expected;
            if (node.is_cluster_queue) {
                expected = amount_of(node.own_usage, cell.flavor_resource);
            }
            for (const auto child : node.children) {
                const QuotaCell& below = state_.tree().cell(child, cell.flavor_resource);
                expected += max(Amount(), below.usage - below.local());
            }
            if (expected != cell.usage && !expected.is_unlimited() && !cell.usage.is_unlimited()) {
                fail(index, "usage is not the sum of the children's", node.name);
            }
            check_listed(index, cell);
        }
        for (const auto& [flavor_resource, listed] : node.above_quota) {
            for (const auto queue : listed) {
                const bool is_above = state_.tree().cell(queue, flavor_resource).above_quota != 0;
                if (state_.tree().node(queue).root != index || !is_above) {
                    fail(
                        index, "one is listed above its quota that is not", state_.node_name(queue)
                    );
                }
            }
        }
    }

    void check_listed(NodeIndex index, const QuotaCell& cell) {
        const auto& node = state_.tree().node(index);
        const bool is_above = node.is_cluster_queue && cell.usage > cell.subtree;
        const auto& lists = state_.tree().node(node.root).above_quota;
        const auto list = lists.find(cell.flavor_resource);
        const bool is_listed = cell.above_quota != 0 && list != lists.end() &&
                               cell.above_quota <= list->second.size() &&
                               list->second[cell.above_quota - 1] == index;
        if (is_above != is_listed) {
            fail(index, "usage above quota is not listed as it is", node.name);
        }
    }

    const State& state_;
    std::vector<AuditFinding> found_;
};

}  // namespace

std::vector<AuditFinding> audit(const State& state) {
    return Auditor(state).run();
}

}  // namespace sluice::engine
