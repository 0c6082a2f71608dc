#include "validation/topology_request_rules.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

namespace sluice::validation {
namespace {

using config::FeatureGates;

const std::string kPath = "spec.template.metadata";
const std::string kPrefix = "kueue.x-k8s.io/podset-";

api::ObjectMeta annotated(const api::StringMap& annotations) {
    api::ObjectMeta meta;
    for (const auto& [key, value] : annotations) {
        meta.annotations[kPrefix + key] = value;
    }
    return meta;
}

std::string at(const std::string& key) {
    return kPath + ".annotations[" + kPrefix + key + "]";
}

struct Row {
    api::StringMap annotations;
    std::string errors;
};

}  // namespace

TEST_CASE("topology annotations of a pod template", "[validation]") {
    const std::string layers = "slice-required-topology-constraints";
    const auto row = GENERATE_COPY(
        Row{{{"required-topology", "a.b/rack"}}, ""},
        Row{{{"unconstrained-topology", "true"}}, ""},
        Row{{{"unconstrained-topology", "yes"}},
            at("unconstrained-topology") + ": Invalid value: \"yes\": must be a boolean value"},
        Row{{{"required-topology", "rack"}, {"preferred-topology", "rack"}},
            kPath + ".annotations: Invalid value: must not contain more than one topology "
                    "annotation: [\"kueue.x-k8s.io/podset-required-topology\", "
                    "\"kueue.x-k8s.io/podset-preferred-topology\", "
                    "\"kueue.x-k8s.io/podset-unconstrained-topology\"]"},
        Row{{{"unconstrained-topology", "yes"}, {"group-name", "g"}, {"slice-size", "x"}},
            "[" + at("group-name") +
                ": Forbidden: may not be set when 'kueue.x-k8s.io/podset-slice-size' is "
                "specified, " +
                at("group-name") +
                ": Forbidden: may not be set when neither "
                "'kueue.x-k8s.io/podset-preferred-topology' nor "
                "'kueue.x-k8s.io/podset-required-topology' is specified, " +
                at("unconstrained-topology") +
                ": Invalid value: \"yes\": must be a boolean value, " + at("slice-size") +
                ": Invalid value: \"x\": must be a numeric value, " + at("slice-size") +
                ": Forbidden: may not be set when "
                "'kueue.x-k8s.io/podset-slice-required-topology' is not specified]"},
        Row{{{"slice-required-topology", "rack"}, {"slice-size", "2"}}, ""},
        Row{{{"slice-required-topology", "rack"}},
            at("slice-size") + ": Required value: must be set when "
                               "'kueue.x-k8s.io/podset-slice-required-topology' is specified"},
        Row{{{"slice-size", "2"}},
            at("slice-size") + ": Forbidden: may not be set when "
                               "'kueue.x-k8s.io/podset-slice-required-topology' is not specified"},
        Row{{{"slice-required-topology", "rack"}, {"slice-size", "x"}},
            at("slice-size") + ": Invalid value: \"x\": must be a numeric value"},
        Row{{{"slice-required-topology", "rack"}, {"slice-size", "0"}},
            at("slice-size") + ": Invalid value: \"0\": must be greater than or equal to 1"},
        Row{{{"group-name", "g"}, {"required-topology", "rack"}}, ""},
        Row{{{"group-name", "7"}, {"required-topology", "rack"}},
            at("group-name") + ": Invalid value: \"7\": must not be a number"},
        Row{{{"group-name", "g"}},
            at("group-name") + ": Forbidden: may not be set when neither "
                               "'kueue.x-k8s.io/podset-preferred-topology' nor "
                               "'kueue.x-k8s.io/podset-required-topology' is specified"},
        Row{{{layers, R"([{"topology":"block","size":8},{"topology":"rack","size":4}])"}}, ""},
        Row{{{layers, "[]"}},
            at(layers) + ": Invalid value: \"[]\": topology constraints must contain between 1 and "
                         "3 entries"},
        Row{{{layers, R"([{"topology":"block","size":8},{"topology":"block","size":3}])"}},
            "[" + at(layers) + "[1].topology: Duplicate value: \"block (also at index 0)\", " +
                at(layers) +
                "[1].size: Invalid value: 3: must evenly divide the parent layer size "
                "8]"},
        Row{{{layers, R"([{"topology":"block","size":0}])"}},
            at(layers) + "[0].size: Invalid value: 0: must be greater than or equal to 1"}
    );
    CAPTURE(row.annotations);
    CHECK(
        aggregate_text(
            validate_topology_annotations(annotated(row.annotations), kPath, FeatureGates())
        ) == row.errors
    );
}

TEST_CASE("layers that are no list of layers are refused", "[validation]") {
    for (const char* text : {"{", "{}", "[1]", R"([{"size":"8"}])", R"([{"topology":1}])"}) {
        CAPTURE(text);
        const auto errors = validate_topology_annotations(
            annotated({{"slice-required-topology-constraints", text}}), kPath, FeatureGates()
        );
        REQUIRE(errors.size() == 1);
        CHECK(errors.front().detail.starts_with("must be a valid JSON array: "));
    }
}

TEST_CASE("layers need their gate", "[validation]") {
    const auto gates = *FeatureGates::from_map({{"TASMultiLayerTopology", false}});
    CHECK(
        aggregate_text(validate_topology_annotations(
                           annotated({{"slice-required-topology-constraints", "[]"}}), kPath, gates
                       ))
            .ends_with("Forbidden: the TASMultiLayerTopology feature gate must be enabled to use "
                       "this annotation")
    );
}

TEST_CASE("a slice is no larger than its pod set", "[validation]") {
    const auto slice = annotated({{"slice-size", "4"}});
    CHECK(validate_slice_sizes(slice, kPath, 4).empty());
    CHECK(
        aggregate_text(validate_slice_sizes(slice, kPath, 3)) ==
        at("slice-size") + ": Invalid value: \"4\": must not be greater than pod set count 3"
    );
    const auto layers =
        annotated({{"slice-required-topology-constraints", R"([{"topology":"a","size":4}])"}});
    CHECK(validate_slice_sizes(layers, kPath, 4).empty());
    CHECK(validate_slice_sizes(layers, kPath, 3).size() == 1);
}

}  // namespace sluice::validation
