#include "server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

// What Services are refused, given, and warned of.
namespace sluice::test {

namespace {

constexpr std::string_view kServices = "/api/v1/namespaces/default/services";
constexpr std::string_view kMerge = "application/merge-patch+json";

/// Reads `said` without what is said of every Service.
std::string shortened(const std::string& said) {
    constexpr std::string_view kBefore = "422 Invalid: Service \"s\" is invalid: spec.";
    return said.starts_with(kBefore) ? said.substr(kBefore.size()) : said;
}

std::string body_of(std::string_view spec) {
    return fmt::format("{{metadata: {{name: s}}, spec: {{{}}}}}", spec);
}

std::string outcome_of(std::string_view spec) {
    ServerClient client;
    return shortened(client.outcome("POST", kServices, body_of(spec)));
}

/// What an update of a Service comes to.
std::string outcome_of_change(std::string_view spec, std::string_view change) {
    ServerClient client;
    REQUIRE(client.outcome("POST", kServices, body_of(spec)) == "201");
    return shortened(client.outcome(
        "PATCH", std::string(kServices) + "/s", fmt::format("{{spec: {{{}}}}}", change), kMerge
    ));
}

/// A member of the spec of a Service after a change.
std::string after(std::string_view spec, std::string_view change, const char* member) {
    ServerClient client;
    REQUIRE(client.outcome("POST", kServices, body_of(spec)) == "201");
    const std::string path = std::string(kServices) + "/s";
    REQUIRE(
        client.outcome("PATCH", path, fmt::format("{{spec: {{{}}}}}", change), kMerge) == "200"
    );
    return client.at(path, {"spec", member});
}

constexpr std::string_view kPorts = "ports: [{port: 80}]";

std::string with_ports(std::string_view more) {
    return fmt::format("{}, {}", kPorts, more);
}

}  // namespace

TEST_CASE("ports of a Service are told apart", "[apiserver][services]") {
    CHECK(outcome_of("ports: [{port: 80, name: a}, {port: 80, name: b, protocol: UDP}]") == "201");
    CHECK(
        outcome_of("ports: [{port: 80, name: a}, {port: 80, name: b}]") ==
        R"(ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,)"
        R"("TargetPort":0,"NodePort":0})"
    );
    CHECK(
        outcome_of("ports: [{port: 80, targetPort: a-name-that-is-long}]") ==
        "ports[0].targetPort: Invalid value: \"a-name-that-is-long\": must be no more than 15 "
        "characters"
    );
    CHECK(outcome_of("ports: [{port: 80, targetPort: http}]") == "201");
    CHECK(
        outcome_of("ports: [{port: 80, nodePort: 30001}]") ==
        "ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"
    );
    CHECK(
        outcome_of("type: NodePort, ports: [{port: 80, nodePort: 80}]") ==
        "ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range "
        "of valid ports is 30000-32767"
    );
}

TEST_CASE("addresses of a Service fit its families and its type", "[apiserver][services]") {
    CHECK(outcome_of("clusterIP: None") == "201");
    CHECK(
        outcome_of(with_ports("clusterIP: x")) ==
        "clusterIPs[0]: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or "
        "2001:db8::ffff)"
    );
    CHECK(
        outcome_of(with_ports("clusterIP: 10.96.00.7")) ==
        "clusterIPs[0]: Invalid value: \"10.96.00.7\": must not have leading 0s"
    );
    CHECK(
        outcome_of(with_ports("clusterIP: 1.2.3.4")) ==
        "clusterIPs: Invalid value: [\"1.2.3.4\"]: failed to allocate IP 1.2.3.4: the provided IP "
        "(1.2.3.4) is not in the valid range. The range of valid IPs is 10.96.0.0/12"
    );
    CHECK(
        outcome_of(with_ports("clusterIP: '2001:db8::1'")) ==
        "clusterIPs[0]: Invalid value: [\"2001:db8::1\"]: IPv6 is not configured on this cluster"
    );
    CHECK(
        outcome_of(with_ports("ipFamilies: [IPv6]")) ==
        "ipFamilies[0]: Invalid value: \"IPv6\": not configured on this cluster"
    );
    CHECK(
        outcome_of(with_ports("ipFamilyPolicy: RequireDualStack")) ==
        "ipFamilyPolicy: Invalid value: \"RequireDualStack\": this cluster is not configured for "
        "dual-stack services"
    );
    CHECK(outcome_of(with_ports("ipFamilyPolicy: PreferDualStack")) == "201");
    CHECK(
        outcome_of(with_ports("clusterIP: None, type: NodePort")) ==
        "clusterIPs[0]: Invalid value: \"None\": may not be set to 'None' for NodePort services"
    );
    CHECK(outcome_of("type: ExternalName") == "externalName: Required value");
    CHECK(
        outcome_of("type: ExternalName, externalName: a, clusterIP: 10.96.0.9") ==
        "clusterIPs: Forbidden: may not be set for ExternalName services"
    );
}

TEST_CASE("what is for Services from outside is for them alone", "[apiserver][services]") {
    CHECK(
        outcome_of(with_ports("externalTrafficPolicy: Local")) ==
        "externalTrafficPolicy: Invalid value: \"Local\": may only be set for "
        "externally-accessible services"
    );
    CHECK(
        outcome_of(with_ports("healthCheckNodePort: 30100")) ==
        "healthCheckNodePort: Invalid value: 30100: may only be set when `type` is 'LoadBalancer' "
        "and `externalTrafficPolicy` is 'Local'"
    );
    CHECK(
        outcome_of(with_ports("loadBalancerSourceRanges: [10.0.0.0/8]")) ==
        "LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'"
    );
    CHECK(
        outcome_of(with_ports("type: LoadBalancer, loadBalancerSourceRanges: [10.0.0.1/8]")) ==
        "LoadBalancerSourceRanges[0]: Invalid value: \"10.0.0.1/8\": must not have bits set beyond "
        "the prefix length"
    );
    CHECK(
        outcome_of(with_ports("externalIPs: [127.0.0.1]")) ==
        "externalIPs[0]: Invalid value: \"127.0.0.1\": may not be in the loopback range "
        "(127.0.0.0/8, ::1/128)"
    );
    CHECK(
        outcome_of(with_ports("externalIPs: ['::ffff:1.2.3.4']")) ==
        "externalIPs[0]: Invalid value: \"::ffff:1.2.3.4\": must not be an IPv4-mapped IPv6 address"
    );
}

TEST_CASE(
    "a balancer for its nodes' own pods has a port for their health", "[apiserver][services]"
) {
    ServerClient client;
    REQUIRE(
        client.outcome(
            "POST",
            kServices,
            body_of(with_ports("type: LoadBalancer, externalTrafficPolicy: Local"))
        ) == "201"
    );
    const std::string path = std::string(kServices) + "/s";
    const std::string port = client.at(path, {"spec", "healthCheckNodePort"});
    CHECK(std::stoi(port) >= 30'000);
    // It stays, and goes when it is for nothing.
    REQUIRE(client.outcome("PATCH", path, "{spec: {selector: {a: b}}}", kMerge) == "200");
    CHECK(client.at(path, {"spec", "healthCheckNodePort"}) == port);
    CHECK(
        client.outcome("PATCH", path, "{spec: {healthCheckNodePort: 30999}}", kMerge) ==
        "422 Invalid: Service \"s\" is invalid: spec.healthCheckNodePort: Forbidden: field is "
        "immutable"
    );
    REQUIRE(
        client.outcome("PATCH", path, "{spec: {externalTrafficPolicy: Cluster}}", kMerge) == "200"
    );
    CHECK(client.at(path, {"spec", "healthCheckNodePort"}).empty());
}

TEST_CASE("the address of a Service stays while it has one", "[apiserver][services]") {
    const std::string own = with_ports("clusterIP: 10.96.0.40");
    CHECK(
        outcome_of_change(own, "clusterIP: 10.96.0.41") ==
        "clusterIPs[0]: Invalid value: [\"10.96.0.41\"]: may not change once set"
    );
    CHECK(after(own, "clusterIP: null", "clusterIPs") == R"(["10.96.0.40"])");
    CHECK(after(own, "type: ExternalName, externalName: a", "clusterIP").empty());
    CHECK(after(own, "type: ExternalName, externalName: a", "ipFamilies").empty());
    CHECK(after(own, "type: NodePort", "clusterIP") == "10.96.0.40");
    CHECK(
        after("type: ExternalName, externalName: a", with_ports("type: ClusterIP"), "ipFamilies") ==
        R"(["IPv4"])"
    );
    CHECK(
        outcome_of_change(
            with_ports("type: LoadBalancer, loadBalancerClass: a/b"), "loadBalancerClass: c/d"
        ) == "loadBalancerClass: Invalid value: \"c/d\": may not change once set"
    );
}

TEST_CASE("a port of nodes is one Service's, whatever the protocol", "[apiserver][services]") {
    ServerClient client;
    const auto make = [&client](const char* name, std::string_view spec) {
        return client.outcome(
            "POST", kServices, fmt::format("{{metadata: {{name: {}}}, spec: {{{}}}}}", name, spec)
        );
    };
    REQUIRE(make("a", "type: NodePort, ports: [{port: 80, nodePort: 30080}]") == "201");
    constexpr std::string_view kTaken =
        ": Invalid value: 30080: provided port is already allocated";
    CHECK(
        make("b", "type: NodePort, ports: [{port: 80, protocol: UDP, nodePort: 30080}]") ==
        "422 Invalid: Service \"b\" is invalid: spec.ports[0].nodePort" + std::string(kTaken)
    );
    // What is asked for is respected also where none would be given.
    constexpr std::string_view kGivesNone =
        "type: LoadBalancer, allocateLoadBalancerNodePorts: false, ";
    CHECK(
        make("c", std::string(kGivesNone) + "ports: [{port: 80, nodePort: 30080}]") ==
        "422 Invalid: Service \"c\" is invalid: spec.ports[0].nodePort" + std::string(kTaken)
    );
    CHECK(
        make(
            "d",
            "type: LoadBalancer, externalTrafficPolicy: Local, healthCheckNodePort: 30080, ports: "
            "[{port: 80}]"
        ) ==
        "500 InternalError: Internal error occurred: failed to allocate requested HealthCheck "
        "NodePort 30080: provided port is already allocated"
    );
    // Ports of one number share theirs.
    REQUIRE(
        make(
            "e",
            "type: NodePort, ports: [{name: t, port: 53, nodePort: 30053}, {name: u, port: 53, "
            "protocol: UDP}]"
        ) == "201"
    );
    const std::string ports = client.at(std::string(kServices) + "/e", {"spec", "ports"});
    const auto first = ports.find(R"("nodePort":30053)");
    REQUIRE(first != std::string::npos);
    CHECK(ports.find(R"("nodePort":30053)", first + 1) != std::string::npos);
    // And go where no more are wanted.
    const std::string balancer = std::string(kServices) + "/f";
    REQUIRE(make("f", "type: LoadBalancer, ports: [{port: 80}]") == "201");
    CHECK(
        client.outcome(
            "PATCH",
            balancer,
            "{spec: {allocateLoadBalancerNodePorts: false, ports: [{port: 80}]}}",
            kMerge
        ) == "200"
    );
    CHECK(client.at(balancer, {"spec", "ports"}).find("nodePort") == std::string::npos);
}

TEST_CASE("a balancer that becomes none loses what it was reached by", "[apiserver][services]") {
    ServerClient client;
    const std::string path = std::string(kServices) + "/s";
    REQUIRE(client.outcome("POST", kServices, body_of(with_ports("type: LoadBalancer"))) == "201");
    REQUIRE(
        client.outcome(
            "PATCH",
            path + "/status",
            "{status: {loadBalancer: {ingress: [{ip: 1.2.3.4}]}}}",
            kMerge
        ) == "200"
    );
    CHECK(
        client.at(path, {"status", "loadBalancer", "ingress"}) ==
        R"([{"ip":"1.2.3.4","ipMode":"VIP"}])"
    );
    CHECK(
        client.outcome(
            "PATCH", path + "/status", "{status: {loadBalancer: {ingress: [{ip: x}]}}}", kMerge
        ) ==
        "422 Invalid: Service \"s\" is invalid: status.loadBalancer.ingress[0].ip: Invalid "
        "value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
    );
    // One of its ports of nodes may go along.
    REQUIRE(client.outcome("PATCH", path, "{spec: {type: ClusterIP}}", kMerge) == "200");
    CHECK(client.at(path, {"status", "loadBalancer"}) == "{}");
}

TEST_CASE("ports of nodes follow the names of ports", "[apiserver][services]") {
    ServerClient client;
    REQUIRE(
        client.outcome(
            "POST",
            kServices,
            body_of("type: NodePort, ports: [{port: 80, name: a, nodePort: 30080}]")
        ) == "201"
    );
    const std::string path = std::string(kServices) + "/s";
    REQUIRE(
        client.outcome("PATCH", path, "{spec: {ports: [{port: 81, name: a}]}}", kMerge) == "200"
    );
    CHECK(client.at(path, {"spec", "ports"}).find(R"("nodePort":30080)") != std::string::npos);
    REQUIRE(client.outcome("PATCH", path, "{spec: {type: ClusterIP}}", kMerge) == "200");
    CHECK(client.at(path, {"spec", "ports"}).find("nodePort") == std::string::npos);
}

TEST_CASE("what a Service says in vain is warned of", "[apiserver][services]") {
    const auto warnings = [](std::string_view spec) {
        ServerClient client;
        const auto response = client.send("POST", kServices, body_of(spec));
        CHECK(response.status == 201);
        return response.warnings;
    };
    using Texts = std::vector<std::string>;
    CHECK(warnings(kPorts).empty());
    CHECK(
        warnings(with_ports("externalName: a")) ==
        Texts{"spec.externalName is ignored when spec.type is not \"ExternalName\""}
    );
    CHECK(
        warnings(with_ports("externalIPs: ['2001:DB8::1']")) ==
        Texts{
            "spec.externalIPs[0]: IPv6 address \"2001:DB8::1\" should be in RFC 5952 canonical "
            "format (\"2001:db8::1\")",
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
        }
    );
    CHECK(
        warnings("clusterIP: None, sessionAffinity: ClientIP") ==
        Texts{"spec.SessionAffinity is ignored for headless services"}
    );
}

}  // namespace sluice::test
