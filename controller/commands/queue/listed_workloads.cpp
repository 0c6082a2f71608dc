#include "controller/commands/queue/listed_workloads.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "base/clock.hpp"
#include "controller/commands/offline/client_call.hpp"
#include "controller/commands/offline/live_objects.hpp"
#include "controller/commands/offline/offline_cluster.hpp"

#include <boost/asio/awaitable.hpp>
#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>

namespace sluice::commands {
namespace {

using Rows = std::vector<api::Explanation>;
using Names = std::set<std::pair<std::string, std::string>>;

/// Asks the controller, page by page.
boost::asio::awaitable<Result<Rows>> ask_pages(kube::Client* client, std::string ns) {
    const std::string root =
        fmt::format("/apis/{}/", api::kInsightApiVersion) +
        (ns.empty() ? "explanations" : fmt::format("namespaces/{}/explanations", ns));
    Rows rows;
    std::string from;
    do {
        const std::string target =
            fmt::format("{}?limit=500{}", root, from.empty() ? "" : "&continue=" + from);
        const auto text = co_await client->get_raw(target);
        if (!text) {
            co_return text.error();
        }
        auto list = api::decode<api::ExplanationList>(*text);
        if (!list) {
            co_return list.error();
        }
        for (auto& item : list->items) {
            rows.push_back(std::move(item));
        }
        from = list->metadata.continue_;
    } while (!from.empty());
    co_return rows;
}

/// Returns the names of the Workloads with such labels.
boost::asio::awaitable<Result<Names>> names_with(
    kube::Client* client, std::string ns, std::string label_selector
) {
    const auto listed =
        co_await read_workloads_of(client, std::move(ns), std::move(label_selector));
    if (!listed) {
        co_return listed.error();
    }
    Names names;
    for (const auto& workload : *listed) {
        names.emplace(workload.metadata.namespace_, workload.metadata.name);
    }
    co_return names;
}

Result<Rows> explain_cluster(
    ScheduleCluster cluster, const SourceOptions& source, const std::string& ns, Time now
) {
    const auto configuration = load_schedule_configuration(source.config);
    if (!configuration) {
        return configuration.error();
    }
    return OfflineCluster(std::move(cluster), *configuration, now).explain_all(ns);
}

Result<ListedWorkloads> list_offline(
    const kube::ClientConfig& server, const SourceOptions& source, const std::string& ns
) {
    Result<LiveObjects> objects = make_invalid("nothing was read");
    const auto called = with_client(server, [&](kube::Client* client) {
        return store_result(&objects, read_live_objects(client, LiveKinds::Decisions));
    });
    if (!called || !objects) {
        return called ? objects.error() : called.error();
    }
    auto rows = explain_cluster(std::move(objects->cluster), source, ns, SystemClock().now());
    if (!rows) {
        return rows.error();
    }
    return ListedWorkloads{.rows = *std::move(rows), .remarks = std::move(objects->left_out)};
}

Result<ListedWorkloads> list_live(
    const kube::ClientConfig& server, const SourceOptions& source, const std::string& ns
) {
    if (source.offline) {
        return list_offline(server, source, ns);
    }
    Result<Rows> rows = make_invalid("nothing was asked");
    const auto called = with_client(server, [&](kube::Client* client) {
        return store_result(&rows, ask_pages(client, ns));
    });
    if (!called) {
        return called.error();
    }
    if (rows) {
        return ListedWorkloads{.rows = *std::move(rows), .remarks = {}};
    }
    const auto code = rows.error().code;
    if (code != ErrorCode::NotFound && code != ErrorCode::Unavailable) {
        return rows.error();
    }
    auto listed = list_offline(server, source, ns);
    if (listed) {
        listed->remarks.insert(
            listed->remarks.begin(),
            "the controller does not answer, so this is worked out here: " + rows.error().detail
        );
    }
    return listed;
}

bool is_selected(const api::Explanation& row, const QueueSelection& selection) {
    const bool has_finished = row.state == api::condition::kFinished;
    return (!has_finished || selection.with_finished) &&
           (selection.cluster_queue.empty() || row.cluster_queue == selection.cluster_queue) &&
           (selection.local_queue.empty() || row.local_queue == selection.local_queue) &&
           (selection.state.empty() || row.state == selection.state);
}

}  // namespace

Result<ListedWorkloads> list_explained(
    const SourceOptions& source, const QueueSelection& selection
) {
    Result<ListedWorkloads> listed = make_invalid("nothing was read");
    std::optional<Names> names;
    if (!source.files.empty()) {
        const auto now = find_now(source);
        auto cluster = now ? read_files(source) : Result<ScheduleCluster>(now.error());
        auto rows = cluster ? explain_cluster(*std::move(cluster), source, selection.ns, *now)
                            : Result<Rows>(cluster.error());
        if (!rows) {
            return rows.error();
        }
        listed = ListedWorkloads{.rows = *std::move(rows), .remarks = {}};
    } else {
        const auto server = find_server(source);
        if (!server) {
            return server.error();
        }
        listed = list_live(*server, source, selection.ns);
        if (!selection.label_selector.empty() && listed) {
            Result<Names> found = make_invalid("nothing was read");
            const auto called = with_client(*server, [&](kube::Client* client) {
                return store_result(
                    &found, names_with(client, selection.ns, selection.label_selector)
                );
            });
            if (!called || !found) {
                return called ? found.error() : called.error();
            }
            names = *std::move(found);
        }
    }
    if (listed) {
        std::erase_if(listed->rows, [&](const api::Explanation& row) {
            const auto& metadata = row.metadata;
            return !is_selected(row, selection) ||
                   (names && !names->contains({metadata.namespace_, metadata.name}));
        });
    }
    return listed;
}

}  // namespace sluice::commands
