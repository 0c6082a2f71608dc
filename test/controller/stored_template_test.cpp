#include "controller/jobs/stored_template.hpp"

#include "api/codec.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

namespace sluice::controller {

TEST_CASE(
    "of a variable that is there twice the last value counts, in the first place", "[controller]"
) {
    const auto live = api::decode<api::PodTemplateSpec>(R"({"spec":{"containers":[{"name":"c",
        "env":[{"name":"A","value":"1"},{"name":"B","value":"2"},{"name":"A","value":"3"}]}],
        "initContainers":[{"name":"i","env":[{"name":"A","value":"1"},{"name":"A"}]}]}})");
    REQUIRE(live);
    const auto stored = stored_template(*live, {});
    REQUIRE(stored);
    const std::string text(stored->raw.view());
    CHECK(
        text.find(R"("env":[{"name":"A","value":"3"},{"name":"B","value":"2"}])") !=
        std::string::npos
    );
    CHECK(text.find(R"("env":[{"name":"A"}])") != std::string::npos);
}

TEST_CASE("a template has what the API server adds to that of a Workload", "[controller]") {
    const auto live = api::decode<api::PodTemplateSpec>(
        R"({"spec":{"containers":[{"name":"c","ports":[{"containerPort":80},)"
        R"({"containerPort":53,"protocol":"UDP"}],"livenessProbe":{"grpc":{"port":1}},)"
        R"("startupProbe":{"grpc":{"port":1,"service":"s"}}}]}})"
    );
    REQUIRE(live);
    const auto stored = stored_template(*live, {});
    REQUIRE(stored);
    CHECK(
        stored->raw.view() ==
        R"({"spec":{"containers":[{"name":"c","ports":[{"containerPort":80,"protocol":"TCP"},)"
        R"({"containerPort":53,"protocol":"UDP"}],"livenessProbe":{"grpc":{"port":1,"service":""}},)"
        R"("startupProbe":{"grpc":{"port":1,"service":"s"}}}]}})"
    );
}

}  // namespace sluice::controller
