#include "yaml/find_line.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string_view>

namespace sluice::yaml {
namespace {

constexpr std::string_view kText = R"(# a comment
apiVersion: v1
integrations:
  frameworks:
  - batch/job
  - "pod"
featureGates: {A: true,
  B: false}
controller:
  groupKindConcurrency:
    Job.batch: 5
)";

}  // namespace

TEST_CASE("the line of a member is that of its key", "[yaml]") {
    CHECK(find_line(kText, "apiVersion") == 2);
    CHECK(find_line(kText, "integrations.frameworks") == 4);
    CHECK(find_line(kText, "featureGates.B") == 8);
}

TEST_CASE("the line of an item is found by its place, its text or its key", "[yaml]") {
    CHECK(find_line(kText, "integrations.frameworks[1]") == 6);
    CHECK(find_line(kText, "integrations.frameworks[pod]") == 6);
    CHECK(find_line(kText, "controller.groupKindConcurrency[Job.batch]") == 11);
}

TEST_CASE("what is not there has the line of what would hold it", "[yaml]") {
    CHECK(find_line(kText, "integrations.labelKeysToCopy") == 3);
    CHECK(find_line(kText, "integrations.frameworks[7]") == 4);
    CHECK(find_line(kText, "integrations.frameworks[0].deeper") == 5);
    CHECK(find_line(kText, "") == 2);
}

TEST_CASE("a path of any form does no harm", "[yaml]") {
    CHECK(find_line(kText, "integrations.frameworks[1") == 6);
    CHECK(find_line(kText, "...") == 2);
    CHECK(find_line("", "a") == 1);
    CHECK(find_line("{\"a\":\t1}", "a") >= 1);
}

}  // namespace sluice::yaml
