#include "apiserver/http/webhook_client.hpp"

#include "apiserver/http/answer.hpp"
#include "apiserver/server_client.hpp"
#include "kube/core/base64.hpp"
#include "net/peer.hpp"
#include "support/run_async.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>
#include <utility>

namespace sluice::test {

namespace {

using json::Value;

const std::string kOld = "/apis/example.com/v1/namespaces/default/gadgets";
const std::string kNew = "/apis/example.com/v2/namespaces/default/gadgets";

/// Converts by giving objects the version that is wanted, and denies what is named "bad".
class ReviewHandler final : public net::HttpHandler {
  public:
    boost::asio::awaitable<net::ServerResponse> handle(net::ServerRequest request) override {
        paths.emplace_back(request.target);
        Value review = *json::parse(*request.body.view());
        const Value& asked = *review.find("request");
        Value response = json::Object{{"uid", asked.string_at("uid")}};
        if (review.string_at("kind") == "ConversionReview") {
            json::Array converted;
            for (Value object : asked.find("objects")->as_array()) {
                object.set("apiVersion", asked.string_at("desiredAPIVersion"));
                object.find("spec")->set("converted", true);
                converted.push_back(std::move(object));
            }
            response.set("result", json::Object{{"status", "Success"}});
            response.set("convertedObjects", std::move(converted));
        } else {
            response.set("allowed", asked.string_at("name") != "bad");
        }
        review.erase("request");
        review.set("response", std::move(response));
        net::ServerResponse answer;
        answer.content_type = "application/json";
        answer.body = json::print(review);
        co_return answer;
    }

    std::vector<std::string> paths;
};

/// An API server, and a webhook on this machine that it calls over HTTPS.
struct Webhooked : ServerClient {
    Webhooked() {
        auto started = net::HttpServer::start(
            loop, handler, net::tls_options(authority.serve({"hook.default.svc"}))
        );
        REQUIRE(started);
        http = std::move(*started);
        webhook = [this](const apiserver::WebhookCall& call) {
            return run_async(loop, apiserver::call_webhook(call));
        };
        config = fmt::format(
            "{{caBundle: {}, service: {{namespace: default, name: hook, path: /review, port: "
            "{}}}}}",
            kube::encode_base64(authority.authority.certificate_pem),
            http->port()
        );
        version =
            "served: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: "
            "object, x-kubernetes-preserve-unknown-fields: true}}}}}";
    }
    ~Webhooked() { run_async(loop, http->stop({})); }

    void lead_to(const std::string& host) {
        REQUIRE(
            outcome(
                "POST",
                "/api/v1/namespaces/default/services",
                "{metadata: {name: hook}, spec: {type: ExternalName, externalName: " + host + "}}"
            ) == "201"
        );
    }
    void define_gadgets() {
        REQUIRE(
            outcome(
                "POST",
                kDefinitions,
                "{metadata: {name: gadgets.example.com}, spec: {group: example.com, scope: "
                "Namespaced, names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: "
                "GadgetList}, conversion: {strategy: Webhook, webhook: {conversionReviewVersions: "
                "[v1], clientConfig: " +
                    config + "}}, versions: [{name: v1, storage: true, " + version +
                    ", {name: v2, storage: false, " + version + "]}}"
            ) == "201"
        );
    }

    net::EventLoop loop;
    net::Authority authority;
    ReviewHandler handler;
    std::unique_ptr<net::HttpServer> http;
    std::string config;
    std::string version;
};

}  // namespace

TEST_CASE("webhooks behind a Service are called over TLS by its name", "[apiserver][webhooks]") {
    Webhooked client;
    client.lead_to("localhost");
    SECTION("to convert") {
        client.define_gadgets();
        REQUIRE(client.outcome("POST", kOld, "{metadata: {name: a}, spec: {}}") == "201");
        CHECK(client.at(kNew + "/a", {"spec"}) == R"({"converted":true})");
        CHECK(client.handler.paths == std::vector<std::string>{"/review?timeout=30s"});
        const apiserver::WebhookTransport transport = apiserver::call_webhook;
        REQUIRE(client.outcome("POST", kOld, "{metadata: {name: b}, spec: {}}") == "201");
        const auto watch = client.watch(kNew + "?watch=true&resourceVersion=0");
        const std::string lines = run_async(client.loop, apiserver::read_watch(watch, &transport));
        CHECK(lines.find(R"("name":"b")") != std::string::npos);
        CHECK(lines.find(R"("converted":true)") != lines.rfind(R"("converted":true)"));
    }
    SECTION("to admit") {
        REQUIRE(
            client.outcome(
                "POST",
                "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
                "{metadata: {name: h}, webhooks: [{name: h.example.com, admissionReviewVersions: "
                "[v1], sideEffects: None, timeoutSeconds: 5, clientConfig: " +
                    client.config +
                    ", rules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], "
                    "resources: [configmaps]}]}]}"
            ) == "201"
        );
        CHECK(client.outcome("POST", kConfigMaps, "{metadata: {name: good}}") == "201");
        CHECK(
            client.outcome("POST", kConfigMaps, "{metadata: {name: bad}}") ==
            "403 Forbidden: admission webhook \"h.example.com\" denied the request without "
            "explanation"
        );
        CHECK(client.handler.paths.back() == "/review?timeout=5s");
    }
}

TEST_CASE("a webhook must prove the name of its Service", "[apiserver][webhooks]") {
    Webhooked client;
    client.lead_to("localhost");
    client.config.replace(client.config.find("name: hook"), 10, "name: hack");
    REQUIRE(
        client.outcome(
            "POST",
            "/api/v1/namespaces/default/services",
            "{metadata: {name: hack}, spec: {type: ExternalName, externalName: localhost}}"
        ) == "201"
    );
    client.define_gadgets();
    REQUIRE(client.outcome("POST", kOld, "{metadata: {name: a}, spec: {}}") == "201");
    const std::string refusal = client.outcome("GET", kNew + "/a");
    CAPTURE(refusal);
    CHECK(
        refusal.starts_with("500 : conversion webhook for example.com/v1, Kind=Gadget failed: "
                            "Post \"https://hack.default.svc:")
    );
    CHECK(refusal.find("mismatch") != std::string::npos);
    CHECK(client.handler.paths.empty());
}

TEST_CASE("a call that reaches nobody names whom it was for", "[apiserver][webhooks]") {
    Webhooked client;
    client.define_gadgets();
    REQUIRE(client.outcome("POST", kOld, "{metadata: {name: a}, spec: {}}") == "201");
    CHECK(
        client.outcome("GET", kNew + "/a") ==
        fmt::format(
            "500 : conversion webhook for example.com/v1, Kind=Gadget failed: Post "
            "\"https://hook.default.svc:{}/review?timeout=30s\": service \"hook\" not found",
            client.http->port()
        )
    );
}

}  // namespace sluice::test
