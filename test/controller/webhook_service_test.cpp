#include "controller/process/webhooks/webhook_service.hpp"

#include "api/schema/crd.hpp"
#include "api/schema/scheme.hpp"
#include "kube/core/base64.hpp"
#include "net/http/http_client.hpp"
#include "net/transport/tls.hpp"
#include "serving/authority_bundle.hpp"
#include "support/embedded_server.hpp"
#include "support/manual_clock.hpp"
#include "support/run_async.hpp"
#include "support/temporary_folder.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

// The webhooks as a replica runs them: certificates, the port, what the definitions say.
namespace sluice::controller {
namespace {

using namespace std::chrono_literals;
using test::run_async;

constexpr std::string_view kReview =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u",
    "desiredAPIVersion":"kueue.x-k8s.io/v1beta2","objects":[{"apiVersion":"kueue.x-k8s.io/v1beta1",
    "kind":"ClusterQueue","metadata":{"name":"q"},"spec":{"cohort":"team"}}]}})";

kube::ResourcePath definition_path(const std::string& name = "") {
    return {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "", name, ""};
}

/// An API server with two definitions as crds/ has them; the others are not installed.
struct Cluster {
    // The present: certificates are judged by it, and OpenSSL has no other clock.
    test::ManualClock clock{SystemClock().now()};
    net::EventLoop loop;
    test::EmbeddedServer client{loop.executor(), clock};

    Cluster() {
        for (const auto* name : {"clusterqueues", "workloads"}) {
            apply(name);
        }
    }
    void apply(const std::string& name) {
        for (const api::KindInfo& kind : api::kueue_kinds()) {
            if (kind.plural == name) {
                client.put(definition_path(), api::make_crd(kind));
            }
        }
    }
    json::Value published(const std::string& name = "clusterqueues") const {
        const auto object = client.find_value(definition_path(name + ".kueue.x-k8s.io"));
        REQUIRE(object != nullptr);
        return *object->find_path({"spec", "conversion", "webhook", "clientConfig"});
    }
    std::string authority(const std::string& name = "clusterqueues") const {
        return *kube::decode_base64(published(name).string_at("caBundle"));
    }
    std::optional<api::Secret> secret() const {
        return client.find<api::Secret>("kueue-system", "kueue-webhook-server-cert");
    }
    /// Makes the APIServices of the visibility API.
    void put_api_services() {
        for (const std::string version : {"v1beta1", "v1beta2"}) {
            client.put(
                api_service_path(""),
                *json::parse(
                    R"({"metadata":{"name":")" + version +
                    R"(.visibility.kueue.x-k8s.io"},"spec":{
                "service":{"name":"kueue-visibility-server","namespace":"kueue-system"}}})"
                )
            );
        }
    }
    static kube::ResourcePath api_service_path(const std::string& name) {
        return {"apiregistration.k8s.io", "v1", "apiservices", "", name, ""};
    }
    json::Value api_service(const std::string& version) const {
        const auto object =
            client.find_value(api_service_path(version + ".visibility.kueue.x-k8s.io"));
        REQUIRE(object != nullptr);
        return *object->find("spec");
    }
    std::size_t patches_of_definitions() const {
        const auto writes = client.writes();
        return static_cast<std::size_t>(
            std::ranges::count(writes, "MergePatch customresourcedefinitions")
        );
    }
};

/// One replica. Its port is any free one.
struct Replica {
    config::Configuration configuration = config::default_configuration("kueue-system");
    metrics::Registry registry;
    metrics::RuntimeMetrics metrics{registry};
    std::unique_ptr<WebhookService> service;

    explicit Replica(Cluster& cluster, bool in_cluster = false, const std::string& cert_dir = "") {
        configuration.webhook = {.port = 0, .host = "127.0.0.1", .cert_dir = cert_dir};
        configuration.internal_cert_management.enable = cert_dir.empty();
        service = std::make_unique<WebhookService>(WebhookService::Parts{
            .client = cluster.client,
            .clock = cluster.clock,
            .configuration = configuration,
            .in_cluster = in_cluster,
            .metrics = &metrics,
        });
    }
};

std::string url_of(const Replica& replica) {
    return replica.service->origin() + "/convert";
}

Result<void> start(Cluster& cluster, Replica& replica) {
    const auto started = run_async(cluster.loop, replica.service->start());
    return started ? run_async(cluster.loop, replica.service->publish()) : started;
}

/// The answer to a review, sent as the API server would: to that URL, trusting that authority.
std::string convert(Cluster& cluster, const std::string& text, const std::string& authority) {
    const auto url = serving::parse_https_url(text);
    REQUIRE(url);
    net::HttpClientOptions options;
    options.host = url->host;
    options.port = url->port;
    options.tls = *net::make_client_tls({authority, {}, true, {}, {}});
    net::HttpClient client(options);
    net::ClientRequest request;
    request.method = "POST";
    request.target = url->path;
    request.body = kReview;
    const auto outcome = run_async(cluster.loop, client.send(request, 10s));
    return outcome.response ? outcome.response->body : "";
}

std::string convert(Cluster& cluster) {
    return convert(cluster, std::string(cluster.published().string_at("url")), cluster.authority());
}

bool is_converted(const std::string& answer) {
    return answer.find(R"("cohortName":"team")") != std::string::npos;
}

/// The webhook answers before and after a check: under the authorities that are published now, and
/// while the API server still knows only those that were published before.
void check_without_a_gap(Cluster& cluster, Replica& replica) {
    const auto before = cluster.authority();
    CHECK(is_converted(convert(cluster)));
    REQUIRE(run_async(cluster.loop, replica.service->check()));
    CHECK(is_converted(convert(cluster, url_of(replica), before)));
    CHECK(is_converted(convert(cluster)));
}

/// tls.crt and tls.key, and with `with_authority` ca.crt, as another tool would put them there.
std::string write_certificates(const test::TemporaryFolder& folder, bool with_authority) {
    const net::Validity day{SystemClock().now(), 24h};
    const auto authority = *net::make_authority("company", day);
    const auto serving = *net::make_serving_certificate(authority, {"127.0.0.1"}, day);
    folder.write("tls.crt", serving.certificate_pem);
    folder.write("tls.key", serving.private_key_pem);
    if (with_authority) {
        folder.write("ca.crt", authority.certificate_pem);
    }
    return authority.certificate_pem;
}

}  // namespace

TEST_CASE("outside a cluster the definitions name a URL that converts", "[conversion]") {
    Cluster cluster;
    Replica replica(cluster);
    REQUIRE(start(cluster, replica));
    for (const auto* name : {"clusterqueues", "workloads"}) {
        const auto config = cluster.published(name);
        CHECK(config.string_at("url") == url_of(replica));
        CHECK(config.find("service") == nullptr);
    }
    CHECK(is_converted(convert(cluster)));
    REQUIRE(cluster.secret());
    CHECK(*kube::decode_base64(cluster.secret()->data.at("ca.crt")) == cluster.authority());
}

TEST_CASE("the requests to a webhook are counted by their answers", "[conversion]") {
    Cluster cluster;
    Replica replica(cluster);
    REQUIRE(start(cluster, replica));
    const auto has = [&replica](const std::string& metric, const std::string& series) {
        const std::string line = "\ncontroller_runtime_webhook_" + metric + "{" + series + "\n";
        return replica.registry.print().find(line) != std::string::npos;
    };
    CHECK(has("requests_total", R"(code="200",webhook="/convert"} 0)"));
    CHECK(has("requests_total", R"(code="500",webhook="/convert"} 0)"));
    CHECK(is_converted(convert(cluster)));
    CHECK(is_converted(convert(cluster)));
    CHECK(has("requests_total", R"(code="200",webhook="/convert"} 2)"));
    CHECK(has("requests_total", R"(code="500",webhook="/convert"} 0)"));
    CHECK(has("latency_seconds_count", R"(webhook="/convert"} 2)"));
    CHECK(has("requests_in_flight", R"(webhook="/convert"} 0)"));
}

TEST_CASE("in a cluster the definitions name the Service and the authority", "[conversion]") {
    Cluster cluster;
    Replica replica(cluster, true);
    REQUIRE(start(cluster, replica));
    const auto config = cluster.published();
    CHECK(config.find("url") == nullptr);
    CHECK(config.find("service")->string_at("name") == "kueue-webhook-service");
    CHECK(config.find("service")->string_at("namespace") == "kueue-system");
    const auto info =
        net::parse_certificate(*kube::decode_base64(cluster.secret()->data.at("tls.crt")));
    REQUIRE(info);
    CHECK(
        std::ranges::find(info->names, "kueue-webhook-service.kueue-system.svc") !=
        info->names.end()
    );
    const auto signed_by = net::is_signed_by(
        *kube::decode_base64(cluster.secret()->data.at("tls.crt")), cluster.authority()
    );
    CHECK((signed_by && *signed_by));
}

TEST_CASE("APIServices trust the authority of the certificate that is shown", "[conversion]") {
    Cluster cluster;
    cluster.put_api_services();
    Replica replica(cluster, true);
    REQUIRE(start(cluster, replica));
    for (const auto* version : {"v1beta1", "v1beta2"}) {
        const json::Value spec = cluster.api_service(version);
        CHECK(*kube::decode_base64(spec.string_at("caBundle")) == cluster.authority());
    }
    const auto* shown = replica.service->find_shown();
    REQUIRE(shown != nullptr);
    const auto signed_by = net::is_signed_by(shown->serving.certificate_pem, cluster.authority());
    CHECK((signed_by && *signed_by));
    // The API server asks by this name.
    const auto info = net::parse_certificate(shown->serving.certificate_pem);
    REQUIRE(info);
    CHECK(
        std::ranges::find(info->names, "kueue-visibility-server.kueue-system.svc") !=
        info->names.end()
    );
}

TEST_CASE("a missing right to APIServices keeps no webhook from its start", "[conversion]") {
    Cluster cluster;
    cluster.put_api_services();
    for (int calls = 0; calls < 6; ++calls) {
        cluster.client.fail_next(
            test::Verb::Get, "apiservices", Error{ErrorCode::Forbidden, "no", {}}
        );
    }
    Replica replica(cluster, true);
    REQUIRE(start(cluster, replica));
    CHECK_FALSE(cluster.authority("workloads").empty());
    CHECK(cluster.api_service("v1beta2").find("caBundle") == nullptr);
    // The right comes later.
    REQUIRE(run_async(cluster.loop, replica.service->check()));
    CHECK(cluster.api_service("v1beta2").find("caBundle") != nullptr);
}

TEST_CASE("certificates from files leave APIServices to their maker", "[conversion]") {
    Cluster cluster;
    cluster.put_api_services();
    const test::TemporaryFolder folder;
    write_certificates(folder, true);
    Replica replica(cluster, true, folder.path());
    REQUIRE(start(cluster, replica));
    CHECK(cluster.api_service("v1beta2").find("caBundle") == nullptr);
}

TEST_CASE("certificates of certDir are served, and their authority is published", "[conversion]") {
    const bool in_cluster = GENERATE(true, false);
    Cluster cluster;
    const test::TemporaryFolder folder;
    const auto authority = write_certificates(folder, true);
    Replica replica(cluster, in_cluster, folder.path());
    REQUIRE(start(cluster, replica));
    CHECK(cluster.authority() == authority);
    CHECK((cluster.published().find("url") == nullptr) == in_cluster);
    CHECK_FALSE(cluster.secret());
    if (!in_cluster) {
        CHECK(is_converted(convert(cluster)));
    }
}

TEST_CASE("without an authority the Service's definitions are left alone", "[conversion]") {
    Cluster cluster;
    const test::TemporaryFolder folder;
    write_certificates(folder, false);
    Replica replica(cluster, true, folder.path());
    REQUIRE(start(cluster, replica));
    CHECK(cluster.patches_of_definitions() == 0);
}

TEST_CASE("a URL is published even where the authority is not known", "[conversion]") {
    Cluster cluster;
    const test::TemporaryFolder folder;
    const auto authority = write_certificates(folder, false);
    Replica replica(cluster, false, folder.path());
    REQUIRE(start(cluster, replica));
    CHECK(cluster.published().find("caBundle") == nullptr);
    CHECK(is_converted(convert(cluster, url_of(replica), authority)));
}

TEST_CASE("certificates that cannot be read refuse the start with the file", "[conversion]") {
    Cluster cluster;
    const test::TemporaryFolder folder;
    write_certificates(folder, true);
    const auto* file = GENERATE("tls.crt", "tls.key");
    if (GENERATE(true, false)) {
        folder.remove(file);
    } else {
        folder.write(file, "no PEM");
    }
    Replica replica(cluster, false, folder.path());
    const auto started = start(cluster, replica);
    REQUIRE_FALSE(started);
    CAPTURE(started.error().detail);
    CHECK(cluster.patches_of_definitions() == 0);
}

TEST_CASE("an authority that is there and cannot be read refuses the start", "[conversion]") {
    Cluster cluster;
    const test::TemporaryFolder folder;
    write_certificates(folder, false);
    std::filesystem::create_directory(folder.path() + "/ca.crt");
    Replica replica(cluster, GENERATE(true, false), folder.path());
    const auto started = start(cluster, replica);
    REQUIRE_FALSE(started);
    CHECK(started.error().code == ErrorCode::Invalid);
    CHECK(started.error().detail.find("/ca.crt") != std::string::npos);
    CHECK(cluster.patches_of_definitions() == 0);
}

TEST_CASE("new certificates in certDir are served and published", "[conversion]") {
    Cluster cluster;
    const test::TemporaryFolder folder;
    write_certificates(folder, true);
    Replica replica(cluster, false, folder.path());
    REQUIRE(start(cluster, replica));
    const auto first = cluster.authority();
    const auto next = write_certificates(folder, true);
    for (int checks = 0; checks < 3; ++checks) {
        check_without_a_gap(cluster, replica);
        CHECK(cluster.authority() == next + first);
        cluster.clock.advance(15s);
    }
    CHECK(is_converted(convert(cluster, url_of(replica), next)));
}

TEST_CASE("an authority that is deleted to be replaced leaves no gap", "[conversion]") {
    Cluster cluster;
    // Certificates of the future are valid for no client.
    cluster.clock.step_wall(-3h);
    Replica replica(cluster);
    REQUIRE(start(cluster, replica));
    cluster.clock.advance(2h);
    REQUIRE(run_async(cluster.loop, replica.service->check()));
    const auto first = cluster.authority();
    cluster.client.erase<api::Secret>("kueue-system", "kueue-webhook-server-cert");
    for (int checks = 0; checks < 3; ++checks) {
        check_without_a_gap(cluster, replica);
        CHECK(serving::split_certificates(cluster.authority()).size() == 2);
        cluster.clock.advance(15s);
    }
    const auto fresh = *kube::decode_base64(cluster.secret()->data.at("ca.crt"));
    REQUIRE(fresh != first);
    CHECK(is_converted(convert(cluster, url_of(replica), fresh)));
    check_without_a_gap(cluster, replica);
    CHECK(cluster.authority() == fresh + first);
    cluster.clock.advance(1h);
    check_without_a_gap(cluster, replica);
    CHECK(cluster.authority() == fresh);
}

TEST_CASE("a new authority is published by the Service before it is used", "[conversion]") {
    Cluster cluster;
    Replica running(cluster, true);
    REQUIRE(start(cluster, running));
    const auto first = cluster.authority();
    cluster.client.erase<api::Secret>("kueue-system", "kueue-webhook-server-cert");
    Replica started(cluster, true);
    REQUIRE(run_async(cluster.loop, started.service->start()));
    const auto both = cluster.authority();
    const auto fresh = *kube::decode_base64(cluster.secret()->data.at("ca.crt"));
    CHECK(both == fresh + first);
    const auto published = cluster.patches_of_definitions();
    for (int checks = 0; checks < 4; ++checks) {
        REQUIRE(run_async(cluster.loop, running.service->check()));
        REQUIRE(run_async(cluster.loop, started.service->check()));
        CHECK(cluster.authority() == both);
        cluster.clock.advance(15s);
    }
    CHECK(cluster.patches_of_definitions() == published);
}

TEST_CASE("replicas start by the Service while nothing can be published", "[conversion]") {
    Cluster cluster;
    cluster.client.fail_next(
        test::Verb::Get, "customresourcedefinitions", Error{ErrorCode::Forbidden, "no", {}}
    );
    Replica replica(cluster, true);
    REQUIRE(run_async(cluster.loop, replica.service->start()));
    CHECK(replica.service->is_serving());
    CHECK(cluster.patches_of_definitions() == 0);
    REQUIRE(run_async(cluster.loop, replica.service->publish()));
    CHECK_FALSE(cluster.authority().empty());
}

TEST_CASE("replicas with different files publish the authorities of both", "[conversion]") {
    Cluster cluster;
    const test::TemporaryFolder one;
    const test::TemporaryFolder another;
    const auto old = write_certificates(one, true);
    const auto fresh = write_certificates(another, true);
    Replica first(cluster, true, one.path());
    Replica second(cluster, true, another.path());
    REQUIRE(start(cluster, first));
    REQUIRE(start(cluster, second));
    const auto published = cluster.patches_of_definitions();
    for (int hour = 0; hour < 3; ++hour) {
        REQUIRE(run_async(cluster.loop, first.service->check()));
        REQUIRE(run_async(cluster.loop, second.service->check()));
        CHECK(cluster.authority() == fresh + old);
        cluster.clock.advance(1h);
    }
    CHECK(cluster.patches_of_definitions() == published);
    // The old one goes with the first of their writes after its end.
    cluster.clock.advance(24h);
    REQUIRE(run_async(cluster.loop, second.service->check()));
    CHECK(cluster.authority() == fresh);
}

TEST_CASE("a certificate is renewed before its end under the same authority", "[conversion]") {
    Cluster cluster;
    Replica replica(cluster);
    REQUIRE(start(cluster, replica));
    const auto first = cluster.secret()->data;
    const auto published = cluster.patches_of_definitions();
    cluster.clock.advance(24h * 200);
    REQUIRE(run_async(cluster.loop, replica.service->check()));
    CHECK(cluster.secret()->data == first);
    cluster.clock.advance(24h * 100);
    REQUIRE(run_async(cluster.loop, replica.service->check()));
    const auto second = cluster.secret()->data;
    CHECK(second.at("tls.crt") != first.at("tls.crt"));
    CHECK(second.at("ca.crt") == first.at("ca.crt"));
    CHECK(cluster.patches_of_definitions() == published);
    cluster.clock.advance(24h * 3650);
    REQUIRE(run_async(cluster.loop, replica.service->check()));
    CHECK(cluster.secret()->data.at("ca.crt") != first.at("ca.crt"));
    CHECK(kube::encode_base64(cluster.authority()) == cluster.secret()->data.at("ca.crt"));
}

TEST_CASE("a definition that was applied again gets its URL back", "[conversion]") {
    Cluster cluster;
    Replica replica(cluster);
    REQUIRE(start(cluster, replica));
    cluster.apply("workloads");
    REQUIRE(run_async(cluster.loop, replica.service->check()));
    CHECK(cluster.published("workloads").string_at("url") == url_of(replica));
    CHECK(cluster.published("workloads").find("service") == nullptr);
}

TEST_CASE("of two replicas the one that is published stays while it answers", "[conversion]") {
    Cluster cluster;
    auto first = std::make_unique<Replica>(cluster);
    REQUIRE(start(cluster, *first));
    Replica second(cluster);
    const auto published = cluster.patches_of_definitions();
    const std::string url = url_of(*first);
    REQUIRE(start(cluster, second));
    REQUIRE(url != url_of(second));
    for (int i = 0; i < 3; ++i) {
        REQUIRE(run_async(cluster.loop, first->service->check()));
        REQUIRE(run_async(cluster.loop, second.service->check()));
    }
    CHECK(cluster.patches_of_definitions() == published);
    CHECK(cluster.published().string_at("url") == url);

    run_async(cluster.loop, first->service->stop(0s));
    first.reset();
    REQUIRE(run_async(cluster.loop, second.service->check()));
    CHECK(cluster.published().string_at("url") == url_of(second));
    CHECK(is_converted(convert(cluster)));
}

TEST_CASE("replicas of two authorities leave the one that answers", "[conversion]") {
    Cluster cluster;
    const test::TemporaryFolder folder;
    const auto authority = write_certificates(folder, true);
    auto first = std::make_unique<Replica>(cluster, false, folder.path());
    REQUIRE(start(cluster, *first));
    const auto published = cluster.patches_of_definitions();
    Replica second(cluster);
    REQUIRE(start(cluster, second));
    for (int i = 0; i < 3; ++i) {
        REQUIRE(run_async(cluster.loop, second.service->check()));
        REQUIRE(run_async(cluster.loop, first->service->check()));
    }
    CHECK(cluster.patches_of_definitions() == published);
    CHECK(cluster.published().string_at("url") == url_of(*first));
    CHECK(cluster.authority() == authority);
    CHECK(is_converted(convert(cluster)));

    run_async(cluster.loop, first->service->stop(0s));
    first.reset();
    REQUIRE(run_async(cluster.loop, second.service->check()));
    CHECK(cluster.published().string_at("url") == url_of(second));
    CHECK(cluster.authority() != authority);
    CHECK(is_converted(convert(cluster)));
}

TEST_CASE("a webhook whose published authority is not its own is replaced", "[conversion]") {
    Cluster cluster;
    const test::TemporaryFolder folder;
    write_certificates(folder, false);  // without the authority, so that no client can trust it
    Replica stranger(cluster, false, folder.path());
    REQUIRE(start(cluster, stranger));
    Replica replica(cluster);
    REQUIRE(start(cluster, replica));
    CHECK(cluster.published().string_at("url") == url_of(replica));
    CHECK(is_converted(convert(cluster)));
}

}  // namespace sluice::controller
