#include "controller/jobs/members/role_hash.hpp"

#include "yaml/parse.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>
#include <string_view>

namespace sluice::controller {

namespace {

/// What the API server gives every pod.
constexpr std::string_view kDefaults = R"(
priority: 0
tolerations:
- {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
- {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
)";

std::string hash(std::string_view yaml, std::string_view more = kDefaults) {
    const auto spec = yaml::parse_document(std::string(yaml) + std::string(more));
    REQUIRE(spec);
    return role_hash(*spec);
}

}  // namespace

TEST_CASE("role hashes are Kueue's", "[pods]") {
    CHECK(hash("containers: [{name: c}]") == "bf90803c");
    CHECK(hash("containers: [{name: c, resources: {requests: {cpu: '1'}}}]") == "4b0469f7");
    // As it is when no API server has completed it.
    CHECK(hash("containers: [{name: c, resources: {requests: {}}}]", "") == "a9f06f3a");
}

TEST_CASE("a role is what a pod asks for, however that is written", "[pods]") {
    const auto with_cpu = [](std::string_view cpu) {
        return hash(
            "containers: [{name: c, resources: {requests: {cpu: " + std::string(cpu) + "}}}]"
        );
    };
    CHECK(with_cpu("1000m") == with_cpu("'1'"));
    CHECK(with_cpu("1001m") != with_cpu("'1'"));
    CHECK(
        hash("containers: [{name: c, image: a, env: [{name: A}]}]") ==
        hash("containers: [{image: b, name: d}]")
    );
    CHECK(
        hash("containers: [{name: c}]\nnodeSelector: {a: b, c: d}") ==
        hash("containers: [{name: c}]\nnodeSelector: {c: d, a: b}")
    );
    CHECK(hash("containers: [{name: c}]\nnodeSelector: {a: b}") != hash("containers: [{name: c}]"));
    CHECK(
        hash("containers: [{name: c, ports: [{containerPort: 80}]}]") !=
        hash("containers: [{name: c}]")
    );
    CHECK(
        hash("containers: [{name: c}]\nresources: {requests: {cpu: '1'}}") !=
        hash("containers: [{name: c}]")
    );
}

}  // namespace sluice::controller
