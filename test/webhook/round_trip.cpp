#include "webhook/round_trip.hpp"

#include "json/value.hpp"
#include "webhook/conversion.hpp"
#include "webhook/object_generator.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::test {
namespace {

using webhook::kV1beta1;
using webhook::kV1beta2;

json::Value* part(json::Value& object, std::string_view name) {
    return object.find(name);
}

/// Takes off a v1beta2 object what a trip through v1beta1 loses.
void lose_through_v1beta1(json::Value& object) {
    if (auto* spec = part(object, "spec")) {
        spec->erase("concurrentAdmissionPolicy");
        spec->erase("preemptionGates");
        if (auto* pod_sets = spec->find("podSets")) {
            for (auto& pod_set : pod_sets->as_array()) {
                if (auto* request = pod_set.find("topologyRequest")) {
                    request->erase("podsetSliceRequiredTopologyConstraints");
                }
            }
        }
    }
    if (auto* status = part(object, "status")) {
        status->erase("preemptionGates");
    }
}

void lose_priority_class_without_source(json::Value& spec) {
    if (spec.string_at("priorityClassSource").empty()) {
        spec.erase("priorityClassSource");
        spec.erase("priorityClassName");
    }
}

/// Changes a v1beta1 object as a trip through v1beta2 does.
void lose_through_v1beta2(json::Value& object) {
    auto& spec = *part(object, "spec");
    if (const auto* names = spec.find("admissionChecks")) {
        json::Array rules;
        for (const auto& name : names->as_array()) {
            json::Value rule;
            rule.set("name", name);
            rules.push_back(std::move(rule));
        }
        json::Value strategy;
        strategy.set("admissionChecks", std::move(rules));
        spec.erase("admissionChecks");
        spec.set("admissionChecksStrategy", std::move(strategy));
    }
    if (auto* fungibility = spec.find("flavorFungibility")) {
        for (auto& [name, value] : fungibility->as_object()) {
            if (value == json::Value("Borrow") || value == json::Value("Preempt")) {
                value = "MayStopSearch";
            }
        }
    }
    lose_priority_class_without_source(spec);
    if (auto* status = part(object, "status")) {
        status->erase("pendingWorkloadsStatus");
        status->erase("flavors");
        auto* sharing = status->find("fairSharing");
        if (sharing != nullptr && object.string_at("kind") != "LocalQueue") {
            sharing->erase("admissionFairSharingStatus");
        }
    }
}

/// There and back; an error where a conversion fails or touches what it must not.
Result<json::Value> round_trip(json::Value object, std::string_view there, std::string_view here) {
    const json::Value metadata = *object.find("metadata");
    for (const auto version : {there, here}) {
        if (const auto done = webhook::convert(object, version); !done) {
            return done.error();
        }
        if (object.string_at("apiVersion") != version || !(*object.find("metadata") == metadata)) {
            return make_invalid("apiVersion or metadata is wrong");
        }
    }
    return object;
}

}  // namespace

std::optional<std::string> find_round_trip_fault(
    std::string_view kind, bool old, std::uint64_t seed
) {
    const auto there = old ? kV1beta2 : kV1beta1;
    const auto here = old ? kV1beta1 : kV1beta2;
    const auto object = ObjectGenerator(seed).make(kind, old);
    auto expected = object;
    if (old) {
        lose_through_v1beta2(expected);
    } else {
        lose_through_v1beta1(expected);
    }
    const auto once = round_trip(object, there, here);
    if (!once) {
        return once.error().detail;
    }
    const auto twice = round_trip(*once, there, here);
    if (!twice) {
        return twice.error().detail;
    }
    for (const auto& [what, back] : {std::pair{"once", &*once}, std::pair{"twice", &*twice}}) {
        if (json::print_sorted(*back) != json::print_sorted(expected)) {
            return fmt::format(
                "{}: expected\n{}\ngot\n{}",
                what,
                json::print_sorted(expected, true),
                json::print_sorted(*back, true)
            );
        }
    }
    return std::nullopt;
}

}  // namespace sluice::test
