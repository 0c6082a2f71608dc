#include "controller/process/settings.hpp"

#include <catch2/catch_test_macros.hpp>

namespace sluice::controller {

TEST_CASE("the controller's engine decides by the gates, as offline", "[controller][settings]") {
    const config::Configuration configuration;
    const auto gates =
        config::FeatureGates::parse("PartialAdmission=false,PrioritizePreemptorWorkloads=true");
    REQUIRE(gates);
    const auto options = make_engine_options(configuration, *gates, 7);
    CHECK(!options.gates.partial_admission);
    CHECK(options.gates.prioritize_preemptor_workloads);
    CHECK(options.gates.flavor_fungibility);
    CHECK(options.wake_batch > Duration{});
    CHECK(options.hash_seed == 7);
}

}  // namespace sluice::controller
