#include "apiserver/operations/namespace_remains.hpp"

#include "api/meta/micro_time.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/state/deletion_mark.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Value;
using CountsByName = std::map<std::string, std::size_t, std::less<>>;

struct NamespaceCondition {
    std::string_view type;
    bool is_true = false;
    std::string_view reason;
    std::string message;
};

std::string count_text(
    const CountsByName& counts, std::string_view before, std::string_view between
) {
    std::vector<std::string> texts;
    texts.reserve(counts.size());
    for (const auto& [name, count] : counts) {
        texts.push_back(fmt::format("{} {} {} resource instances", name, between, count));
    }
    return fmt::format("{}: {}", before, fmt::join(texts, ", "));
}

Value make_condition(const NamespaceCondition& condition, const Value* known, Time now) {
    const std::string_view status = condition.is_true ? "True" : "False";
    const bool is_same = known != nullptr && known->string_at("status") == status;
    return json::Object{
        {"type", condition.type},
        {"status", status},
        {"lastTransitionTime",
         is_same ? std::string(known->string_at("lastTransitionTime")) : api::to_string(now)},
        {"reason", condition.reason},
        {"message", condition.message}
    };
}

}  // namespace

void report_remaining_content(State& state, const std::string& ns, Time now) {
    const Snapshot object = state.store.find(namespaces_collection, {"", ns});
    if (!object) {
        return;
    }
    const NamespaceCounts::Counts& left = state.namespace_counts().in(ns);
    const CountsByName& finalizers = left.finalizers;
    CountsByName resources;
    for (const auto& [collection, count] : left.objects) {
        resources.emplace(fmt::format("{}.{}", collection.plural, collection.group), count);
    }
    const NamespaceCondition all[] = {
        {"NamespaceDeletionDiscoveryFailure",
         false,
         "ResourcesDiscovered",
         "All resources successfully discovered"},
        {"NamespaceDeletionGroupVersionParsingFailure",
         false,
         "ParsedGroupVersions",
         "All legacy kube types successfully parsed"},
        {"NamespaceDeletionContentFailure",
         false,
         "ContentDeleted",
         "All content successfully deleted, may be waiting on finalization"},
        {"NamespaceContentRemaining",
         true,
         "SomeResourcesRemain",
         count_text(resources, "Some resources are remaining", "has")},
        {"NamespaceFinalizersRemaining",
         !finalizers.empty(),
         finalizers.empty() ? "ContentHasNoFinalizers" : "SomeFinalizersRemain",
         finalizers.empty()
             ? "All content-preserving finalizers finished"
             : count_text(
                   finalizers, "Some content in the namespace has finalizers remaining", "in"
               )},
    };
    json::Array conditions;
    const auto& known = items_of(object->find_path({"status", "conditions"}));
    for (const NamespaceCondition& condition : all) {
        const auto found = std::ranges::find_if(known, [&condition](const Value& each) {
            return each.string_at("type") == condition.type;
        });
        conditions.push_back(
            make_condition(condition, found == known.end() ? nullptr : &*found, now)
        );
    }
    Value changed = *object;
    object_at(changed, "status").set("conditions", std::move(conditions));
    if (changed != *object) {
        state.store.put(namespaces_collection, {"", ns}, std::move(changed));
    }
}

}  // namespace sluice::apiserver
