#include "webhook/round_trip.hpp"

#include "json/value.hpp"
#include "webhook/conversion.hpp"
#include "webhook/object_generator.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::webhook {
namespace {

constexpr std::uint64_t kSeeds = 200;

json::Value converted(json::Value object, std::string_view version) {
    REQUIRE(convert(object, version));
    return object;
}

}  // namespace

TEST_CASE("an object comes back from the other version but for the listed losses", "[webhook]") {
    for (const auto kind : test::kConvertedKinds) {
        for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
            for (const bool old : {false, true}) {
                CAPTURE(kind, old, seed);
                const auto fault = test::find_round_trip_fault(kind, old, seed);
                CAPTURE(fault.value_or(""));
                REQUIRE_FALSE(fault);
            }
        }
    }
}

TEST_CASE("no object of one version keeps a field of the other", "[webhook]") {
    const auto kind = GENERATE(Catch::Generators::from_range(test::kConvertedKinds));
    constexpr std::array kOldNames = {
        "\"cohort\"",
        "\"admissionChecks\":[\"",
        "\"flavorUsage\"",
        "\"priorityClassName\"",
        "\"priorityClassSource\"",
        "Exexcution",
        "\"domains\"",
        "\"pendingWorkloadsStatus\""
    };
    constexpr std::array kNewNames = {
        "\"cohortName\"",
        "\"flavorsUsage\"",
        "\"priorityClassRef\"",
        "PastExecution",
        "\"slices\"",
        "preemptionGates",
        "ConcurrentAdmission",
        "\"clusterSource\""
    };
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        CAPTURE(kind, seed);
        const auto to_new =
            json::print(converted(test::ObjectGenerator(seed).make(kind, true), kV1beta2));
        for (const auto* name : kOldNames) {
            CAPTURE(name);
            REQUIRE(to_new.find(name) == std::string::npos);
        }
        const auto to_old =
            json::print(converted(test::ObjectGenerator(seed).make(kind, false), kV1beta1));
        for (const auto* name : kNewNames) {
            CAPTURE(name);
            REQUIRE(to_old.find(name) == std::string::npos);
        }
    }
}

}  // namespace sluice::webhook
