#include "config/feature_gates.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace sluice::config {

TEST_CASE("gates have their defaults unless told otherwise", "[config][gates]") {
    const FeatureGates gates;
    CHECK(gates.is_enabled(Feature::PartialAdmission));
    CHECK(gates.is_enabled(Feature::TopologyAwareScheduling));
    CHECK_FALSE(gates.is_enabled(Feature::ConcurrentAdmission));
    CHECK_FALSE(gates.is_enabled(Feature::TASReplaceNodeDueToNotReadyOverFixedTime));
    CHECK(kFeatures.size() == 82);
    CHECK(std::ranges::is_sorted(kFeatures, {}, &FeatureSpec::name));
    CHECK(to_string(Feature::WorkloadRequestUseMergePatch) == "WorkloadRequestUseMergePatch");
}

TEST_CASE("no default breaks a dependency", "[config][gates]") {
    const FeatureGates gates;
    for (std::size_t i = 0; i < kFeatures.size(); ++i) {
        const auto feature = static_cast<Feature>(i);
        CAPTURE(kFeatures[i].name);
        for (const auto need : dependencies_of(feature)) {
            CHECK((!gates.is_enabled(feature) || gates.is_enabled(need)));
        }
    }
}

TEST_CASE("gates are read from a text", "[config][gates]") {
    const auto gates =
        FeatureGates::parse(" PartialAdmission=false , ConcurrentAdmission = T,,WatchList=true,");
    REQUIRE(gates);
    CHECK_FALSE(gates->is_enabled(Feature::PartialAdmission));
    CHECK(gates->is_enabled(Feature::ConcurrentAdmission));
    CHECK(*FeatureGates::parse("") == FeatureGates());
    CHECK(*FeatureGates::parse("PartialAdmission=0,PartialAdmission=1") == FeatureGates());
}

TEST_CASE("a group sets its stage and a named gate wins over it", "[config][gates]") {
    const auto alpha = FeatureGates::from_map({{"AllAlpha", true}, {"PriorityBoost", false}});
    REQUIRE(alpha);
    CHECK(alpha->is_enabled(Feature::ConcurrentAdmission));
    CHECK_FALSE(alpha->is_enabled(Feature::PriorityBoost));
    CHECK(alpha->is_enabled(Feature::PartialAdmission));
    CHECK_FALSE(alpha->is_enabled(Feature::TASReplaceNodeDueToNotReadyOverFixedTime));
    const auto beta = FeatureGates::from_map({{"AllBeta", false}, {"PartialAdmission", true}});
    REQUIRE(beta);
    CHECK(beta->is_enabled(Feature::PartialAdmission));
    CHECK_FALSE(beta->is_enabled(Feature::FlavorFungibility));
    CHECK(beta->is_enabled(Feature::TLSOptions));
}

TEST_CASE("a gate that cannot be as asked is refused", "[config][gates]") {
    struct Row {
        const char* text;
        const char* expected;
    };
    const auto row = GENERATE(
        Row{"NoSuchGate=true", "--feature-gates: unrecognized feature gate: NoSuchGate"},
        Row{"PartialAdmission", "missing bool value for PartialAdmission"},
        Row{"PartialAdmission=yes", "invalid value of PartialAdmission=yes"},
        Row{"TLSOptions=false",
            "cannot set feature gate TLSOptions to false, feature is locked to true"},
        Row{"FlavorFungibility=false",
            "FlavorFungibilityPreserveScanProgress is enabled, but depends on features that are "
            "disabled: [FlavorFungibility]"},
        Row{"TASFailedNodeReplacement=false",
            "TASFailedNodeReplacementFailFast is enabled, but depends on features that are "
            "disabled: [TASFailedNodeReplacement]"},
        Row{"TopologyAwareScheduling=false",
            "TASProfileMixed is enabled, but depends on features that are disabled: "
            "[TopologyAwareScheduling]"}
    );
    CAPTURE(row.text);
    const auto gates = FeatureGates::parse(row.text);
    REQUIRE_FALSE(gates);
    CAPTURE(gates.error().detail);
    CHECK(gates.error().detail.find(row.expected) != std::string::npos);
    CHECK(FeatureGates::parse("TLSOptions=true"));
    CHECK(FeatureGates::parse("FlavorFungibility=false,FlavorFungibilityPreserveScanProgress=false")
    );
}

TEST_CASE("gates come from the command line or the file, not from both", "[config][gates]") {
    const std::map<std::string, bool> none;
    CHECK(*FeatureGates::load("", std::nullopt) == FeatureGates());
    CHECK(*FeatureGates::load("", none) == FeatureGates());
    CHECK(FeatureGates::load("PriorityBoost=true", std::nullopt)->is_enabled(Feature::PriorityBoost)
    );
    CHECK(FeatureGates::load(
              "", std::map<std::string, bool>{{"PriorityBoost", true}}
    )->is_enabled(Feature::PriorityBoost));
    const auto both = FeatureGates::load("PriorityBoost=true", none);
    REQUIRE_FALSE(both);
    CHECK(both.error().detail.find("cannot both specified") != std::string::npos);
}

TEST_CASE("a gate that an earlier Kueue had is accepted and told", "[config][gates]") {
    const auto gates = FeatureGates::parse("LendingLimit=false,PartialAdmission=true");
    REQUIRE(gates);
    CHECK(gates->removed() == std::vector<std::string>{"LendingLimit"});
    CHECK(*gates == FeatureGates());
}

TEST_CASE("a gate that there is not is told with the nearest one", "[config][gates]") {
    const auto gates = FeatureGates::parse("PartialAdmision=true");
    REQUIRE_FALSE(gates);
    CHECK(
        gates.error().detail ==
        "--feature-gates: unrecognized feature gate: PartialAdmision; did you mean "
        "\"PartialAdmission\"?"
    );
    CHECK(
        FeatureGates::parse("Nothing=true").error().detail ==
        "--feature-gates: unrecognized feature gate: Nothing"
    );
}

TEST_CASE("a problem with a gate names the flag or the member that set it", "[config][gates]") {
    const std::map<std::string, bool> unknown{{"Nothing", true}};
    CHECK(
        FeatureGates::from_map(unknown).error().detail ==
        "featureGates: unrecognized feature gate: Nothing"
    );
    const auto in_file = FeatureGates::from_map({});
    REQUIRE(in_file);
    CHECK(to_string(in_file->problem_of("X", "is odd")) == "featureGates.X: is odd");
    const auto in_flag = FeatureGates::parse("PartialAdmission=true");
    REQUIRE(in_flag);
    CHECK(to_string(in_flag->problem_of("X", "is odd")) == "--feature-gates: X is odd");
}

}  // namespace sluice::config
