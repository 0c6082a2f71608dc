#include "job_kinds/derived/strategic_merge.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace sluice::job_kinds {

namespace {

/// Returns the member that identifies the elements of a list; empty if the patch replaces the whole
/// list.
std::string_view merge_key(std::string_view list) {
    constexpr std::pair<std::string_view, std::string_view> kKeys[] = {
        {"replicatedJobs", "name"},
        {"containers", "name"},
        {"initContainers", "name"},
        {"env", "name"},
        {"volumes", "name"},
        {"imagePullSecrets", "name"},
        {"schedulingGates", "name"},
        {"claims", "name"},
        {"volumeMounts", "mountPath"},
    };
    const auto* found =
        std::ranges::find(kKeys, list, [](const auto& entry) { return entry.first; });
    return found == std::end(kKeys) ? std::string_view() : found->second;
}

void merge_lists(json::Array& into, const json::Array& patch, std::string_view key) {
    for (const json::Value& wanted : patch) {
        const auto present = std::ranges::find_if(into, [&](const json::Value& one) {
            return one.is_object() && one.string_at(key) == wanted.string_at(key);
        });
        if (present == into.end()) {
            into.push_back(wanted);
        } else {
            merge_strategically(*present, wanted);
        }
    }
}

}  // namespace

void merge_strategically(json::Value& into, const json::Value& patch) {
    if (!patch.is_object()) {
        into = patch;
        return;
    }
    if (!into.is_object()) {
        into = json::Object{};
    }
    for (const auto& [name, value] : patch.as_object()) {
        json::Value* present = into.find(name);
        const std::string_view key = merge_key(name);
        if (value.is_null()) {
            into.erase(name);
        } else if (present == nullptr || present->is_null()) {
            into.set(name, value);
        } else if (present->is_array() && value.is_array() && !key.empty()) {
            merge_lists(present->as_array(), value.as_array(), key);
        } else if (value.is_object()) {
            merge_strategically(*present, value);
        } else {
            *present = value;
        }
    }
}

}  // namespace sluice::job_kinds
