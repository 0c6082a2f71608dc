#include "controller/commands/capacity/live_objects.hpp"

#include "api/meta/codec.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"
#include "kube/client/http_client.hpp"
#include "kube/core/list_page.hpp"
#include "net/loop/event_loop.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <optional>
#include <string>
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

/// Lists the objects of a kind, unless a list before it failed.
template <class T>
boost::asio::awaitable<void> list_all(
    kube::Client* client, Objects<T>* into, api::Interner* templates, std::optional<Error>* error
) {
    kube::ListOptions options{.label_selector = {}, .field_selector = {}, .limit = kPageSize};
    while (!*error) {
        const kube::ResourcePath path{
            .group = std::string(T::kGroup),
            .version = std::string(T::kVersion),
            .plural = std::string(T::kPlural),
            .namespace_ = {},
            .name = {},
            .subresource = {},
        };
        const auto text = co_await client->list(path, options);
        auto next = text ? take_page(*text, *into, *templates) : Result<std::string>(text.error());
        if (!next) {
            *error = with_context(next.error(), std::string("cannot list ") + path.plural);
            co_return;
        }
        options.continue_token = *std::move(next);
        if (options.continue_token.empty()) {
            co_return;
        }
    }
}

boost::asio::awaitable<void> read_cluster(
    kube::Client* client, net::EventLoop* loop, Result<ScheduleCluster>* result
) {
    ScheduleCluster cluster;
    api::Interner templates;
    std::optional<Error> error;
    co_await list_all(client, &cluster.topologies, &templates, &error);
    co_await list_all(client, &cluster.flavors, &templates, &error);
    co_await list_all(client, &cluster.cohorts, &templates, &error);
    co_await list_all(client, &cluster.cluster_queues, &templates, &error);
    co_await list_all(client, &cluster.local_queues, &templates, &error);
    co_await list_all(client, &cluster.workloads, &templates, &error);
    co_await list_all(client, &cluster.nodes, &templates, &error);
    co_await list_all(client, &cluster.pods, &templates, &error);
    *result = error ? Result<ScheduleCluster>(*error) : std::move(cluster);
    loop->stop();
}

}  // namespace

Result<ScheduleCluster> read_live_objects(const kube::ClientConfig& config) {
    const SystemClock clock;
    net::EventLoop loop;  // the client's connections belong to it
    auto client = kube::HttpClient::make(config, clock, 1);
    if (!client) {
        return client.error();
    }
    Result<ScheduleCluster> result = make_invalid("nothing was read");
    boost::asio::co_spawn(
        loop.executor(), read_cluster(client->get(), &loop, &result), boost::asio::detached
    );
    loop.run();
    return result;
}

}  // namespace sluice::commands
