#include "controller/jobs/job/semantic_equality.hpp"

#include "api/core/effective_requests.hpp"
#include "api/meta/codec.hpp"
#include "support/objects.hpp"
#include "workload/pods/pod_demand.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace sluice::controller {
namespace {

using test::object;

const std::string kContainers = "containers: [{name: c, resources: {requests: {cpu: 1}}}]";

/// For each field of a pod's spec that Sluice reads: two contents that differ as much as they can.
/// A field that is new needs a row.
const std::map<std::string_view, std::pair<std::string_view, std::string_view>> kContents{
    {"affinity",
     {"{}",
      "{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
      "[{matchExpressions: [{key: a, operator: Exists}]}]}}}"}},
    {"containers",
     {"[{name: c, resources: {limits: {cpu: 1}}}]", "[{name: c, resources: {limits: {cpu: 2}}}]"}},
    {"initContainers",
     {"[{name: i, resources: {limits: {cpu: 1}}}]",
      "[{name: i, restartPolicy: Always, resources: {limits: {cpu: 1}}}]"}},
    {"nodeName", {"''", "node"}},
    {"nodeSelector", {"{}", "{a: b}"}},
    {"overhead", {"{}", "{cpu: 1}"}},
    {"priority", {"0", "5"}},
    {"priorityClassName", {"''", "high"}},
    {"resourceClaims", {"[]", "[{name: d, resourceClaimTemplateName: t}]"}},
    {"resources", {"{}", "{limits: {memory: 1Gi}}"}},
    {"restartPolicy", {"Never", "OnFailure"}},
    {"runtimeClassName", {"''", "kata"}},
    {"schedulerName", {"''", "other"}},
    {"schedulingGates", {"[]", "[{name: g}]"}},
    {"terminationGracePeriodSeconds", {"0", "5"}},
    {"tolerations", {"[]", "[{operator: Exists}]"}},
    {"topologySpreadConstraints",
     {"[]", "[{maxSkew: 1, topologyKey: k, whenUnsatisfiable: DoNotSchedule}]"}},
};

api::PodTemplateSpec with(std::string_view field, std::string_view content) {
    const std::string rest = field == "containers" ? "" : kContainers + ", ";
    return object<api::PodTemplateSpec>(fmt::format("{{spec: {{{}{}: {}}}}}", rest, field, content)
    );
}

/// Returns the pod's count where "kata" has an overhead and no devices are counted.
std::pair<api::ResourceList, bool> count_of(const api::PodSpec& pod) {
    const api::ResourceList kata{{"cpu", api::Quantity(7)}};
    const auto* overhead = pod.runtime_class_name == "kata" ? &kata : nullptr;
    workload::TranslationSettings settings;
    settings.gates.reject_workloads_with_devices = true;
    auto demand = workload::make_pod_demand(
        pod, workload::make_pod_resources(pod, overhead, {}), {}, settings
    );
    return {std::move(demand.requests), demand.is_valid};
}

bool is_compared(std::string_view field) {
    return !are_templates_equal(
        with(field, kContents.at(field).first),
        with(field, kContents.at(field).second),
        Tolerations::Ignored
    );
}

}  // namespace

TEST_CASE("every field of a pod that counts is compared, and no other", "[controller]") {
    for (const api::Field& field : api::PodSpec::type().fields) {
        CAPTURE(field.name);
        REQUIRE(kContents.contains(field.name));
        const auto& [one, other] = kContents.at(field.name);
        const bool counts =
            count_of(with(field.name, one).spec) != count_of(with(field.name, other).spec);
        CHECK(is_compared(field.name) == counts);
        CHECK(std::ranges::count(api::kCountedPodFields, field.name) == (counts ? 1 : 0));
    }
}

TEST_CASE("every field of a container that counts is compared", "[controller]") {
    const std::map<std::string_view, std::pair<std::string_view, std::string_view>> contents{
        {"image", {"a", "b"}},
        {"name", {"a", "b"}},
        {"ports", {"[]", "[{containerPort: 1, protocol: TCP}]"}},
        {"resources", {"{}", "{limits: {cpu: 9}}"}},
        {"restartPolicy", {"Never", "Always"}},
    };
    for (const api::Field& field : api::Container::type().fields) {
        CAPTURE(field.name);
        REQUIRE(contents.contains(field.name));
        const auto in = [&](std::string_view list, std::string_view content) {
            const char* other = field.name == "image" ? "name: a" : "image: a";
            return with(list, fmt::format("[{{{}, {}: {}}}]", other, field.name, content));
        };
        for (const std::string_view list : {"containers", "initContainers"}) {
            const auto one = in(list, contents.at(field.name).first);
            const auto other = in(list, contents.at(field.name).second);
            CHECK_FALSE(are_templates_equal(one, other, Tolerations::Ignored));
        }
    }
}

TEST_CASE("amounts are compared by value, and what is empty is absent", "[controller]") {
    const auto are_equal = [](std::string_view a, std::string_view b) {
        return are_templates_equal(
            object<api::PodTemplateSpec>(fmt::format("{{spec: {{{}}}}}", a)),
            object<api::PodTemplateSpec>(fmt::format("{{spec: {{{}}}}}", b)),
            Tolerations::Compared
        );
    };
    CHECK(are_equal("overhead: {cpu: 1}", "overhead: {cpu: 1000m}"));
    CHECK(are_equal("overhead: {}", ""));
    CHECK_FALSE(are_equal("overhead: {cpu: 0}", "overhead: {memory: 0}"));
    CHECK(are_equal("resources: {requests: {cpu: 1}}", "resources: {requests: {cpu: '1'}}"));
    CHECK_FALSE(are_equal("resources: {requests: {cpu: 1}}", "resources: {limits: {cpu: 1}}"));
    CHECK_FALSE(are_equal("tolerations: [{operator: Exists}]", ""));
}

}  // namespace sluice::controller
