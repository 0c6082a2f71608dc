#include "controller/commands/offline/live_objects.hpp"

#include "api/meta/codec.hpp"
#include "json/value.hpp"
#include "kube/core/list_page.hpp"

#include <set>
#include <utility>

namespace sluice::commands {
namespace {

constexpr std::int64_t kPageSize = 500;

/// Takes the objects of one page. Returns the token of the next one; empty after the last.
template <class T>
Result<std::string> take_page(const std::string& text, Objects<T>& into, api::Interner& templates) {
    const auto page = kube::decode_list_page(text);
    if (!page) {
        return page.error();
    }
    for (const std::string_view item : page->items) {
        const auto value = json::parse(item);
        if (!value) {
            return value.error();
        }
        auto object = api::from_value<T>(*value, {.limits = {}, .interner = &templates});
        if (!object) {
            return object.error();
        }
        into.push_back(*std::move(object));
    }
    return page->continue_token;
}

template <class T>
boost::asio::awaitable<Result<void>> list_all(
    kube::Client* client,
    kube::ListOptions options,
    std::string ns,
    Objects<T>* into,
    api::Interner* templates
) {
    options.limit = kPageSize;
    do {
        const auto path = kube::path_of<T>(ns);
        const auto text = co_await client->list(path, options);
        auto next = text ? take_page(*text, *into, *templates) : Result<std::string>(text.error());
        if (!next) {
            co_return with_context(
                next.error(), std::string("cannot list ") + std::string(T::kPlural)
            );
        }
        options.continue_token = *std::move(next);
    } while (!options.continue_token.empty());
    co_return Result<void>();
}

/// Lists the kinds one after the other, until one cannot be read.
class LiveReader {
  public:
    explicit LiveReader(kube::Client* client) : client_(client) {}

    /// `may_be_forbidden`: then the kind is left out, as if it had no objects.
    template <class T>
    boost::asio::awaitable<void> list(Objects<T>* into, bool may_be_forbidden = false) {
        if (error_) {
            co_return;
        }
        const auto listed =
            co_await list_all(client_, kube::ListOptions(), std::string(), into, &templates_);
        if (listed) {
            co_return;
        }
        const auto code = listed.error().code;
        if (may_be_forbidden && (code == ErrorCode::Forbidden || code == ErrorCode::NotFound)) {
            made_.left_out.push_back(listed.error().detail);
            into->clear();
            co_return;
        }
        error_ = listed.error();
    }

    ScheduleCluster& cluster() { return made_.cluster; }
    Result<LiveObjects> take() { return error_ ? Result<LiveObjects>(*error_) : std::move(made_); }

  private:
    kube::Client* client_;
    api::Interner templates_;
    LiveObjects made_;
    std::optional<Error> error_;
};

/// Makes the namespaces of the queues, if the user may not list them: with the label that the API
/// server gives each namespace.
void make_namespaces(ScheduleCluster& cluster) {
    std::set<std::string> names;
    for (const auto& queue : cluster.local_queues) {
        names.insert(queue.metadata.namespace_);
    }
    for (const std::string& name : names) {
        api::Namespace made;
        made.metadata.name = name;
        made.metadata.labels["kubernetes.io/metadata.name"] = name;
        cluster.namespaces.push_back(std::move(made));
    }
}

}  // namespace

boost::asio::awaitable<Result<LiveObjects>> read_live_objects(
    kube::Client* client, LiveKinds kinds
) {
    LiveReader reader(client);
    ScheduleCluster& cluster = reader.cluster();
    const bool for_decisions = kinds == LiveKinds::Decisions;
    if (kinds == LiveKinds::Queues) {
        co_await reader.list(&cluster.cohorts);
        co_await reader.list(&cluster.cluster_queues);
        co_await reader.list(&cluster.workloads, true);
        co_return reader.take();
    }
    if (for_decisions) {
        co_await reader.list(&cluster.namespaces, true);
        co_await reader.list(&cluster.limit_ranges, true);
        co_await reader.list(&cluster.runtime_classes, true);
        co_await reader.list(&cluster.admission_checks, true);
        co_await reader.list(&cluster.priority_classes, true);
    }
    co_await reader.list(&cluster.topologies, for_decisions);
    co_await reader.list(&cluster.flavors);
    co_await reader.list(&cluster.cohorts, for_decisions);
    co_await reader.list(&cluster.cluster_queues);
    co_await reader.list(&cluster.local_queues);
    co_await reader.list(&cluster.workloads);
    co_await reader.list(&cluster.nodes, for_decisions);
    co_await reader.list(&cluster.pods, for_decisions);
    if (for_decisions && cluster.namespaces.empty()) {
        make_namespaces(cluster);
    }
    co_return reader.take();
}

boost::asio::awaitable<Result<Objects<api::Workload>>> read_workloads_of(
    kube::Client* client, std::string ns, std::string label_selector
) {
    Objects<api::Workload> workloads;
    api::Interner templates;
    kube::ListOptions options;
    options.label_selector = std::move(label_selector);
    const auto listed =
        co_await list_all(client, std::move(options), std::move(ns), &workloads, &templates);
    if (!listed) {
        co_return listed.error();
    }
    co_return workloads;
}

}  // namespace sluice::commands
