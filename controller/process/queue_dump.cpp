#include "controller/process/queue_dump.hpp"

#include "api/kueue/cluster_queue.hpp"
#include "api/meta/codec.hpp"
#include "base/log.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "json/value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <vector>

namespace sluice::controller {

namespace {

constexpr std::size_t kNamesMax = 1000;

using Names = std::vector<std::string>;

std::string join(const Names& names) {
    return fmt::format("{}", fmt::join(names, " "));
}

/// Returns the workloads that hold quota, by ClusterQueue.
std::map<std::string, Names> find_holders(const Stores& stores) {
    std::map<std::string, Names> holders;
    for (const auto& [key, workload] : stores.of<api::Workload>().all()) {
        const auto& admission = workload->status.admission;
        if (!admission || !has_quota_reserved(*workload) || is_finished(*workload)) {
            continue;
        }
        Names& names = holders[admission->cluster_queue];
        if (names.size() < kNamesMax) {
            names.push_back(workload->metadata.namespace_ + "/" + workload->metadata.name);
        }
    }
    return holders;
}

Names find_waiting(PendingWorkloads& pending, const std::string& cluster_queue) {
    const VisibilityPath path{
        .version = {}, .queue = QueueKind::ClusterQueue, .ns = {}, .name = cluster_queue
    };
    Names names;
    if (const auto rows = pending.find(path, {.offset = 0, .limit = kNamesMax})) {
        for (const PendingRow& row : *rows) {
            names.push_back(row.workload->metadata.namespace_ + "/" + row.workload->metadata.name);
        }
    }
    return names;
}

}  // namespace

void log_queues(const Stores& stores, PendingWorkloads* pending) {
    const auto holders = find_holders(stores);
    for (const auto& [key, queue] : stores.of<api::ClusterQueue>().all()) {
        const std::string& name = queue->metadata.name;
        const auto found = holders.find(name);
        const json::Value status = api::to_value(queue->status);
        const json::Value* usage = status.find("flavorsReservation");
        log::info(
            "ClusterQueue",
            {{"name", name},
             {"reserved", usage == nullptr ? "" : json::print(*usage)},
             {"holding", found == holders.end() ? "" : join(found->second)},
             {"waiting", join(find_waiting(*pending, name))}}
        );
    }
}

}  // namespace sluice::controller
