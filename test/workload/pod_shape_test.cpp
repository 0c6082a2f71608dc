#include "workload/pods/pod_shape.hpp"

#include "support/objects.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

namespace sluice::workload {
namespace {

using test::object;

/// "fits", "affinity", "taint N", or what cannot be read.
std::string verdict(std::string_view pod, std::string_view flavor) {
    const auto shape = make_pod_shape(object<api::PodSpec>(pod));
    const auto refusal = find_refusal(shape, object<api::ResourceFlavor>(flavor), {});
    if (!refusal) {
        return "fits";
    }
    if (refusal->kind == engine::ShapeRefusalKind::InvalidAffinity) {
        return affinity_problem(shape, object<api::ResourceFlavor>(flavor));
    }
    return refusal->kind == engine::ShapeRefusalKind::NodeAffinity
               ? "affinity"
               : "taint " + std::to_string(refusal->taint);
}

std::string term(std::string_view expressions) {
    return "{matchExpressions: [" + std::string(expressions) + "]}";
}

std::string required(std::string_view terms) {
    return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
           "{nodeSelectorTerms: [" +
           std::string(terms) + "]}}}";
}

constexpr std::string_view kZoned = "spec: {nodeLabels: {zone: a, size: \"8\"}}";

struct Case {
    std::string promise;
    std::string pod;
    std::string verdict;
};

}  // namespace

TEST_CASE(
    "affinity is compared on the keys that the flavor labels its nodes with",
    "[workload][pod_shape]"
) {
    const auto c = GENERATE(
        Case{"no wishes", "{}", "fits"},
        Case{"the selector matches", "nodeSelector: {zone: a}", "fits"},
        Case{"the selector differs", "nodeSelector: {zone: b}", "affinity"},
        Case{"an unknown key excludes nothing", "nodeSelector: {rack: r1}", "fits"},
        Case{"In", required(term("{key: zone, operator: In, values: [b, a]}")), "fits"},
        Case{"In fails", required(term("{key: zone, operator: In, values: [b]}")), "affinity"},
        Case{
            "NotIn fails", required(term("{key: zone, operator: NotIn, values: [a]}")), "affinity"
        },
        Case{"Exists", required(term("{key: zone, operator: Exists}")), "fits"},
        Case{
            "DoesNotExist of a known key",
            required(term("{key: zone, operator: DoesNotExist}")),
            "affinity"
        },
        Case{
            "DoesNotExist of an unknown key",
            required(term("{key: rack, operator: DoesNotExist}")),
            "fits"
        },
        Case{"Gt", required(term("{key: size, operator: Gt, values: [\"7\"]}")), "fits"},
        Case{"Lt fails", required(term("{key: size, operator: Lt, values: [\"8\"]}")), "affinity"},
        Case{
            "terms are alternatives",
            required(
                term("{key: zone, operator: In, values: [b]}") + "," +
                term("{key: zone, operator: In, values: [a]}")
            ),
            "fits"
        },
        Case{
            "one term of unknown keys lets everything pass",
            required(
                term("{key: zone, operator: In, values: [b]}") + "," +
                term("{key: rack, operator: Exists}")
            ),
            "fits"
        },
        Case{
            "unknown keys within a term are left out",
            required(term(
                "{key: rack, operator: In, values: [r1]}, {key: zone, operator: In, values: [b]}"
            )),
            "affinity"
        },
        Case{
            "a term of matchFields alone lets everything pass",
            required("{matchFields: [{key: metadata.name, operator: In, values: [node]}]}"),
            "fits"
        },
        Case{
            "an unknown operator is an error",
            required(term("{key: zone, operator: Near}")),
            "nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: \"Near\": "
            "supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\""
        },
        Case{
            "a number that is none is an error",
            required(term("{key: size, operator: Gt, values: [x]}")),
            "nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: \"x\": for 'Gt', "
            "'Lt' operators, the value must be an integer"
        },
        Case{
            "an error does not count where another term matches",
            required(
                term("{key: size, operator: Gt, values: [x]}") + ", " +
                term("{key: zone, operator: In, values: [a]}")
            ),
            "fits"
        },
        Case{
            "an error on a key that is no label does not count",
            required(term("{key: rack, operator: Gt, values: [x]}")),
            "fits"
        },
        Case{
            "all errors are told, by the places among the expressions that count",
            required(
                term("{key: rack, operator: Exists}, {key: size, operator: Gt}") + ", " +
                term("{key: zone, operator: In}, {key: zone, operator: Exists, values: [a]}")
            ),
            "[nodeSelectorTerms[0].matchExpressions[0].values: Invalid value: null: for 'Gt', 'Lt' "
            "operators, exactly one value is required, "
            "nodeSelectorTerms[1].matchExpressions[0].values: Invalid value: null: for 'in', "
            "'notin' operators, values set can't be empty, "
            "nodeSelectorTerms[1].matchExpressions[1].values: Invalid value: [\"a\"]: values set "
            "must be empty for exists and does not exist]"
        }
    );
    CAPTURE(c.promise);
    CHECK(verdict(c.pod, kZoned) == c.verdict);
}

TEST_CASE("a taint must be tolerated by the pod or the flavor", "[workload][pod_shape]") {
    constexpr std::string_view kTainted =
        "spec: {nodeTaints: [{key: soft, effect: PreferNoSchedule}, {key: spot, value: \"true\", "
        "effect: NoSchedule},"
        " {key: gpu, effect: NoExecute}]}";
    CHECK(verdict("{}", kTainted) == "taint 1");
    CHECK(verdict("tolerations: [{key: spot, operator: Exists}]", kTainted) == "taint 2");
    CHECK(verdict("tolerations: [{key: spot, value: \"false\"}]", kTainted) == "taint 1");
    CHECK(verdict("tolerations: [{operator: Exists}]", kTainted) == "fits");
    CHECK(verdict("tolerations: [{operator: Exists, effect: NoSchedule}]", kTainted) == "taint 2");
    CHECK(
        verdict(
            "{}",
            "spec: {nodeTaints: [{key: a, effect: NoSchedule}], tolerations: [{key: a, operator: "
            "Exists}]}"
        ) == "fits"
    );
    constexpr std::string_view kRated =
        "spec: {nodeTaints: [{key: sla, value: \"950\", effect: NoSchedule}]}";
    CHECK(verdict("tolerations: [{key: sla, operator: Gt, value: \"900\"}]", kRated) == "fits");
    CHECK(verdict("tolerations: [{key: sla, operator: Lt, value: \"900\"}]", kRated) == "taint 0");
}

TEST_CASE("like pods have like keys, and others have others", "[workload][pod_shape]") {
    const auto key = [](std::string_view pod) {
        return to_key(make_pod_shape(object<api::PodSpec>(pod)));
    };
    CHECK(key("nodeSelector: {a: b}") == key("{nodeSelector: {a: b}, containers: [{name: x}]}"));
    CHECK(key("nodeSelector: {a: b, c: d}") != key("nodeSelector: {a: b}"));
    CHECK(key("nodeSelector: {ab: c}") != key("nodeSelector: {a: bc}"));
    CHECK(key("tolerations: [{key: a}]") != key("tolerations: [{value: a}]"));
    CHECK(
        key(required(term("{key: a, operator: Exists}") + "," + term("{key: b, operator: Exists}"))
        ) != key(required(term("{key: a, operator: Exists}, {key: b, operator: Exists}")))
    );
}

}  // namespace sluice::workload
