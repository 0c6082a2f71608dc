#include "server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

// What quotas, scalers, Ingresses, StatefulSets and StorageClasses must not say.
namespace sluice::test {

namespace {

struct Row {
    const char* spec;
    const char* what;  ///< from the field on; "": it is accepted
};

/// What is said to an object with that spec, from the first field on; "" for one that is made.
std::string outcome_of(std::string_view path, std::string_view spec) {
    ServerClient client;
    const std::string said =
        client.outcome("POST", path, fmt::format("{{metadata: {{name: x}}, spec: {{{}}}}}", spec));
    constexpr std::string_view kBefore = "\"x\" is invalid: ";
    const std::size_t found = said.find(kBefore);
    return said == "201"                ? ""
           : found == std::string::npos ? said
                                        : said.substr(found + kBefore.size());
}

}  // namespace

TEST_CASE("quotas limit what can be counted", "[apiserver][quotas]") {
    const auto row = GENERATE(
        Row{"hard: {pods: 1, requests.nvidia.com/gpu: 4, count/jobs.batch: 2}", ""},
        Row{"hard: {pods: '-1'}",
            "spec.hard[pods]: Invalid value: \"-1\": must be greater than or equal to 0"},
        Row{"hard: {pods: 1500m}", "spec.hard[pods]: Invalid value: \"1500m\": must be an integer"},
        Row{"hard: {odd: 1}",
            "[spec.hard[odd]: Invalid value: \"odd\": must be a standard resource type or fully "
            "qualified, spec.hard[odd]: Invalid value: \"odd\": must be a standard resource for "
            "quota]"},
        Row{"hard: {pods: 1}, scopes: [BestEffort, NotBestEffort]",
            "spec.scopes: Invalid value: [\"BestEffort\",\"NotBestEffort\"]: conflicting scopes"},
        Row{"hard: {cpu: 1}, scopes: [BestEffort]",
            "spec.scopes: Invalid value: [\"BestEffort\"]: unsupported scope applied to resource"},
        Row{"hard: {pods: 1}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, "
            "operator: In}]}",
            "spec.scopeSelector.matchExpressions.values: Required value: must be at least one "
            "value when `operator` is 'In' or 'NotIn' for scope selector"}
    );
    CAPTURE(row.spec);
    CHECK(outcome_of("/api/v1/namespaces/default/resourcequotas", row.spec) == row.what);
}

TEST_CASE("the names of CronJobs leave room for those of their Jobs", "[apiserver][jobs]") {
    ServerClient client;
    const auto create = [&client](std::size_t length) {
        return client.outcome(
            "POST",
            "/apis/batch/v1/namespaces/default/cronjobs",
            fmt::format(
                "{{metadata: {{name: {}}}, spec: {{schedule: '* * * * *', jobTemplate: {{spec: "
                "{{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: "
                "i}}]}}}}}}}}}}}}",
                std::string(length, 'a')
            )
        );
    };
    CHECK(create(52) == "201");
    CHECK(create(53).ends_with("must be no more than 52 characters"));
}

}  // namespace sluice::test
