#include "workload/capacity/capacity_rule.hpp"

#include "support/objects.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace sluice::workload {
namespace {

api::ResourceFlavor flavor_with(std::string_view annotations, std::string_view topology = "") {
    return test::object<api::ResourceFlavor>(fmt::format(
        "{{metadata: {{name: f, annotations: {{{}}}}}, spec: {{topologyName: '{}'}}}}",
        annotations,
        topology
    ));
}

std::string faults(std::string_view annotations, bool can_enforce = true) {
    std::string text;
    for (const auto& error : validate_annotations(flavor_with(annotations), can_enforce)) {
        text += error.field + ": " + error.detail + "\n";
    }
    return text;
}

}  // namespace

TEST_CASE("a flavor enforces capacity if its annotation says so", "[workload][capacity]") {
    CHECK(enforces_capacity(flavor_with("sluice.dev/capacity: Enforce")));
    CHECK_FALSE(enforces_capacity(flavor_with("sluice.dev/capacity: Observe")));
    CHECK_FALSE(enforces_capacity(flavor_with("")));
    CHECK_FALSE(enforces_capacity(flavor_with("sluice.dev/capacity: enforce")));
    CHECK_FALSE(enforces_capacity(flavor_with("sluice.dev/capacity: Enforce", "racks")));
}

TEST_CASE("a wrong annotation of a flavor is refused with its name", "[workload][capacity]") {
    CHECK(faults("").empty());
    CHECK(faults("sluice.dev/capacity: Enforce, sluice.dev/may-grow-to: '5'").empty());
    CHECK(
        faults("sluice.dev/capacity: enforce") ==
        "metadata.annotations[sluice.dev/capacity]: must be Observe or Enforce\n"
    );
    CHECK(
        faults("sluice.dev/capacity: Enforce", false) ==
        "metadata.annotations[sluice.dev/capacity]: Enforce needs the feature gate "
        "TopologyAwareScheduling\n"
    );
    CHECK(
        faults("sluice.dev/may-grow-to: many") ==
        "metadata.annotations[sluice.dev/may-grow-to]: must be a number of nodes from 0 to 5000\n"
    );
    CHECK(
        faults("sluice.dev/may-grow-to: '5', sluice.dev/node-shape: big") ==
        "metadata.annotations[sluice.dev/node-shape]: must be amounts above 0, such as "
        "cpu=96,nvidia.com/gpu=8\n"
    );
}

}  // namespace sluice::workload
