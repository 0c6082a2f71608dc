#include "sim/pods/taint_eviction.hpp"

#include "api/core/pod.hpp"
#include "api/core/taint.hpp"
#include "api/meta/codec.hpp"
#include "sim/objects/conditions.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace sluice::sim {

namespace {

constexpr const char* kNoExecute = "NoExecute";

template <class T>
std::vector<T> read_all_of(const json::Array& list) {
    std::vector<T> all;
    for (const json::Value& each : list) {
        if (auto read = api::from_value<T>(each)) {
            all.push_back(std::move(*read));
        }
    }
    return all;
}

}  // namespace

bool has_evicting_taints(const json::Value& node) {
    return find_element(list_at(node, {"spec", "taints"}), "effect", kNoExecute) != nullptr;
}

std::optional<Time> find_eviction(
    const json::Value& pod, const json::Value& node, Time since, const Pace& pace
) {
    auto taints = read_all_of<api::Taint>(list_at(node, {"spec", "taints"}));
    std::erase_if(taints, [](const api::Taint& taint) { return taint.effect != kNoExecute; });
    const auto tolerations = read_all_of<api::Toleration>(list_at(pod, {"spec", "tolerations"}));
    std::optional<std::int64_t> least;
    for (const api::Taint& taint : taints) {
        const auto used = std::ranges::find_if(tolerations, [&taint](const auto& toleration) {
            return api::tolerates(toleration, taint);
        });
        if (used == tolerations.end()) {
            return since;
        }
        if (const auto said = used->toleration_seconds) {
            const auto seconds = std::max<std::int64_t>(*said, 0);
            least = std::min(least.value_or(seconds), seconds);
        }
    }
    return least ? std::optional(later(since, pace.scale_seconds(*least))) : std::nullopt;
}

Outcome evict_for_taint(const json::Value& pod, Time now) {
    Outcome outcome;
    const std::string_view ns = text_at(pod, {"metadata", "namespace"});
    json::Array conditions = conditions_of(pod);
    set_condition(
        conditions,
        {.type = "DisruptionTarget",
         .reason = "DeletionByTaintManager",
         .message = "Taint manager: deleting due to NoExecute taint"},
        now
    );
    const json::Value status = json::Object{{"conditions", std::move(conditions)}};
    outcome.writes.push_back(
        {.verb = Write::Verb::PatchStatus,
         .name = std::string(name_of(pod)),
         .body = json::Object{{"status", status}},
         .note =
             Note{
                 false,
                 "TaintManagerEviction",
                 fmt::format("Marking for deletion Pod {}/{}", ns, name_of(pod))
             }}
    );
    outcome.writes.push_back({.verb = Write::Verb::Delete, .name = std::string(name_of(pod))});
    return outcome;
}

}  // namespace sluice::sim
