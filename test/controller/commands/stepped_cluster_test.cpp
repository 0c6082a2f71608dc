#include "controller/commands/cluster/stepped_cluster.hpp"

#include "net/loop/event_loop.hpp"

#include <boost/asio/this_coro.hpp>
#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <stop_token>
#include <string_view>

namespace sluice::test {

namespace {

using commands::SteppedCluster;

constexpr std::string_view kHook = R"({
  "apiVersion": "admissionregistration.k8s.io/v1",
  "kind": "ValidatingWebhookConfiguration",
  "metadata": {"name": "mine"},
  "webhooks": [{
    "name": "mine.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
    "clientConfig": {"url": "https://127.0.0.1:9/admit"},
    "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"],
               "resources": ["configmaps"]}]
  }]
})";
constexpr std::string_view kMap = R"({
  "apiVersion": "v1", "kind": "ConfigMap",
  "metadata": {"name": "m", "namespace": "default"}
})";

}  // namespace

TEST_CASE("a call of a webhook ends before the cluster that makes it", "[step]") {
    std::stop_source stop;
    bool has_begun = false;
    bool has_ended = false;
    SteppedCluster::Options options;
    options.stop = stop.get_token();
    options.cluster.foreign_webhooks =
        [&](const apiserver::WebhookCall&) -> boost::asio::awaitable<Result<json::Value>> {
        has_begun = true;
        net::Notifier never(co_await boost::asio::this_coro::executor);
        stop.request_stop();
        co_await never.wait();
        has_ended = true;
        co_return make_invalid("it was cancelled");
    };
    auto cluster = SteppedCluster::start(std::move(options));
    REQUIRE(cluster);
    REQUIRE((*cluster)->apply(*json::parse(kHook)));
    const auto applied = (*cluster)->apply(*json::parse(kMap));
    REQUIRE(!applied);
    CHECK(applied.error().code == ErrorCode::Canceled);
    CHECK(has_begun);
    CHECK(!has_ended);
    cluster->reset();
    CHECK(has_ended);
}

}  // namespace sluice::test
