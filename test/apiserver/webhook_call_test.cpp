#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <utility>

namespace sluice::test {

namespace {

using apiserver::find_webhook;
using apiserver::WebhookTarget;
using json::Value;

const std::string kServices = "/api/v1/namespaces/default/services";

Value by_service(std::int64_t port = 443) {
    return json::Object{
        {"caBundle", "Y2E="},
        {"service",
         json::Object{
             {"namespace", "default"}, {"name", "hook"}, {"path", "/validate"}, {"port", port}
         }}
    };
}

WebhookTarget find(ServerClient& client, const Value& config) {
    return find_webhook(client.server.state().store, config);
}

void make_service(ServerClient& client, const std::string& spec) {
    REQUIRE(
        client.outcome("POST", kServices, "{metadata: {name: hook}, spec: {" + spec + "}}") == "201"
    );
}

}  // namespace

TEST_CASE("a webhook is called at its url", "[apiserver][webhooks]") {
    ServerClient client;
    const WebhookTarget target =
        find(client, json::Object{{"url", "https://127.0.0.1:9443/x"}, {"caBundle", "Y2E="}});
    CHECK(target.url == "https://127.0.0.1:9443/x");
    CHECK(target.server.empty());
    CHECK(target.ca_bundle == "Y2E=");
    CHECK(target.fault.empty());
}

TEST_CASE("a webhook behind a Service is called where it leads", "[apiserver][webhooks]") {
    ServerClient client;
    SECTION("to another host") {
        make_service(client, "type: ExternalName, externalName: hook.example.com");
        const WebhookTarget target = find(client, by_service(8443));
        CHECK(target.url == "https://hook.default.svc:8443/validate");
        CHECK(target.server == "hook.example.com:8443");
        CHECK(target.server_name == "hook.default.svc");
        CHECK(target.fault.empty());
    }
    SECTION("to an address of a slice, by the name of the port") {
        make_service(client, "ports: [{name: a, port: 80}, {name: b, port: 443}]");
        REQUIRE(
            client.outcome(
                "POST",
                "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
                "{metadata: {name: hook-1, labels: {kubernetes.io/service-name: hook}}, "
                "addressType: IPv4, ports: [{name: a, port: 1}, {name: b, port: 9443}], endpoints: "
                "[{addresses: [10.0.0.1], conditions: {ready: false}}, {addresses: [10.0.0.2]}]}"
            ) == "201"
        );
        CHECK(find(client, by_service()).server == "10.0.0.2:9443");
    }
    SECTION("to an address of its endpoints") {
        make_service(client, "ports: [{port: 443}]");
        REQUIRE(
            client.outcome(
                "POST",
                "/api/v1/namespaces/default/endpoints",
                "{metadata: {name: hook}, subsets: [{addresses: [{ip: '2001:db8::1'}], ports: "
                "[{port: 9443}]}]}"
            ) == "201"
        );
        CHECK(find(client, by_service()).server == "[2001:db8::1]:9443");
    }
}

TEST_CASE("a Service that leads nowhere is said to", "[apiserver][webhooks]") {
    ServerClient client;
    CHECK(find(client, by_service()).fault == R"(service "hook" not found)");
    make_service(client, "ports: [{port: 443}]");
    CHECK(find(client, by_service()).fault == R"(no endpoints available for service "hook")");
    CHECK(find(client, by_service(80)).fault == R"(no service port 80 found for service "hook")");
}

TEST_CASE("a Service leads to no pod, which only is simulated", "[apiserver][webhooks]") {
    ServerClient client;
    make_service(client, "ports: [{port: 443}]");
    const std::string pod = "targetRef: {kind: Pod, namespace: default, name: p}";
    const auto make_slice = [&](const std::string& name, const std::string& endpoints) {
        REQUIRE(
            client.outcome(
                "POST",
                "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
                "{metadata: {name: " + name +
                    ", labels: {kubernetes.io/service-name: hook}}, addressType: IPv4, ports: "
                    "[{name: '', port: 9443}], endpoints: [" +
                    endpoints + "]}"
            ) == "201"
        );
    };
    const auto make_endpoints = [&](const std::string& addresses) {
        REQUIRE(
            client.outcome(
                "POST",
                "/api/v1/namespaces/default/endpoints",
                "{metadata: {name: hook}, subsets: [{addresses: [" + addresses +
                    "], ports: [{port: 9443}]}]}"
            ) == "201"
        );
    };
    SECTION("it leads nowhere") {
        make_slice("hook-1", "{addresses: [10.244.1.2], " + pod + "}");
        make_endpoints("{ip: 10.244.1.2, " + pod + "}");
        const WebhookTarget target = find(client, by_service());
        CHECK(target.fault == R"(no endpoints available for service "hook")");
        CHECK(target.server.empty());
    }
    SECTION("it leads to what stands beside the pod") {
        make_slice("hook-1", "{addresses: [10.244.1.2], " + pod + "}, {addresses: [10.0.0.2]}");
        CHECK(find(client, by_service()).server == "10.0.0.2:9443");
    }
    SECTION("it leads to what stands beside the pod in its endpoints") {
        make_endpoints("{ip: 10.244.1.2, " + pod + "}, {ip: 10.0.0.3}");
        CHECK(find(client, by_service()).server == "10.0.0.3:9443");
    }
}

TEST_CASE("a webhook that cannot be called fails as its policy says", "[apiserver][webhooks]") {
    ServerClient client;
    const auto add_hook = [&](const std::string& policy) {
        return client.outcome(
            "POST",
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            "{metadata: {name: h}, webhooks: [{name: h.example.com, admissionReviewVersions: [v1], "
            "sideEffects: None, failurePolicy: " +
                policy +
                ", clientConfig: {service: {namespace: default, name: hook}}, rules: [{apiGroups: "
                "[''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}]}"
        );
    };
    client.webhook = [](const apiserver::WebhookCall& call) -> Result<Value> {
        CHECK(call.target.url == "https://hook.default.svc:443/");
        return make_invalid(call.target.fault);
    };
    SECTION("it refuses") {
        REQUIRE(add_hook("Fail") == "201");
        CHECK(
            client.outcome("POST", kConfigMaps, "{metadata: {name: a}}") ==
            "500 InternalError: Internal error occurred: failed calling webhook \"h.example.com\": "
            "failed to call webhook: service \"hook\" not found"
        );
    }
    SECTION("it is passed over") {
        REQUIRE(add_hook("Ignore") == "201");
        CHECK(client.outcome("POST", kConfigMaps, "{metadata: {name: a}}") == "201");
    }
}

}  // namespace sluice::test
