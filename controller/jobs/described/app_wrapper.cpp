#include "controller/jobs/described/app_wrapper.hpp"

#include "api/meta/codec.hpp"
#include "api/meta/names.hpp"
#include "job_kinds/derived/app_wrapper_annotations.hpp"
#include "job_kinds/derived/wrapped_pod_sets.hpp"
#include "job_kinds/text.hpp"
#include "validation/go_numbers.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

namespace sluice::controller {

namespace {

json::Array* components_of(json::Value& object) {
    json::Value* spec = object.find("spec");
    json::Value* components = spec == nullptr ? nullptr : spec->find("components");
    return components != nullptr && components->is_array() ? &components->as_array() : nullptr;
}

/// Returns the pod sets that the AppWrapper controller has found; nullptr if it has not found any
/// yet.
const json::Value* settled_pod_sets(
    const json::Value& object, std::size_t component, std::size_t components
) {
    const json::Value* list = object.find_path({"status", "componentStatus"});
    if (list == nullptr || !list->is_array() || list->as_array().size() != components) {
        return nullptr;
    }
    const json::Value* settled = list->as_array()[component].find("podSets");
    return settled != nullptr && settled->is_array() ? settled : nullptr;
}

json::Value string_map_value(const api::StringMap& map) {
    json::Object made;
    for (const auto& [key, value] : map) {
        made.emplace_back(key, value);
    }
    return made;
}

/// Returns the value in the format of the AppWrapper controller.
json::Value string_map_value(const PodSetInfo& info) {
    json::Value made = json::Object{};
    const auto add = [&made](std::string_view name, const api::StringMap& map) {
        if (!map.empty()) {
            made.set(name, string_map_value(map));
        }
    };
    add("annotations", info.annotations);
    add("labels", info.labels);
    add("nodeSelector", info.node_selector);
    if (!info.tolerations.empty()) {
        json::Array tolerations;
        for (const api::Toleration& toleration : info.tolerations) {
            tolerations.push_back(api::to_value(toleration));
        }
        made.set("tolerations", std::move(tolerations));
    }
    if (info.has_topology_gate) {
        made.set("schedulingGates", with_topology_gate({}));
    }
    return made;
}

}  // namespace

std::optional<Result<json::Value>> AppWrapper::derive() const {
    json::Value derived = value();
    json::Array* components = components_of(derived);
    if (components == nullptr) {
        return std::nullopt;
    }
    std::size_t number = 0;
    for (std::size_t i = 0; i < components->size(); ++i) {
        json::Value& component = (*components)[i];
        auto pod_sets = job_kinds::wrapped_pod_sets(
            component,
            settled_pod_sets(value(), i, components->size()),
            fmt::format("spec.components[{}]", i)
        );
        if (!pod_sets) {
            return pod_sets.error();
        }
        for (json::Value& pod_set : *pod_sets) {
            const std::string name = fmt::format("{}-{}", metadata().name, number++);
            if (const auto problem = api::check_dns1123_label(job_kinds::lower_case(name))) {
                return make_invalid(fmt::format(
                    "metadata.name: \"{}\" would be the name of a pod set: {}", name, *problem
                ));
            }
            pod_set.set("name", name);
        }
        component.set("podSets", std::move(*pod_sets));
    }
    return Result<json::Value>(std::move(derived));
}

RankLabels AppWrapper::rank_labels(const job_kinds::DescribedPodSet& pod_set) const {
    job_kinds::Location at = pod_set.pod_template;
    at.back().name = "annotations";
    const json::Value* annotations = job_kinds::find(**source(), at);
    RankLabels labels;
    if (annotations != nullptr && annotations->is_object()) {
        labels.pod_index =
            annotations->string_at(job_kinds::app_wrapper_annotation::kPodIndexLabel);
        labels.sub_group_index =
            annotations->string_at(job_kinds::app_wrapper_annotation::kSubGroupIndexLabel);
        // As in Kueue, a value that is not a number is ignored.
        labels.sub_group_count = validation::parse_decimal<std::int32_t>(
            annotations->string_at(job_kinds::app_wrapper_annotation::kSubGroupCount)
        );
    }
    return labels;
}

Result<void> AppWrapper::inject(
    json::Value& object,
    const std::vector<job_kinds::DescribedPodSet>& pod_sets,
    const std::vector<PodSetInfo>& injected
) const {
    json::Array* components = components_of(object);
    for (json::Value& component : *components) {
        component.erase("podSetInfos");
    }
    for (std::size_t i = 0; i < pod_sets.size(); ++i) {
        const auto live = read_template(**source(), pod_sets[i].pod_template);
        if (!live) {
            return live.error();
        }
        // The AppWrapper controller fails if they contradict each other, so check that here.
        if (const auto merged = injection_patch(*live, injected[i]); !merged) {
            return merged.error();
        }
        // spec.components[n].podSets[m].template
        json::Value& component = (*components)[pod_sets[i].pod_template.at(2).index];
        json::Value* infos = component.find("podSetInfos");
        if (infos == nullptr) {
            infos = &component.set("podSetInfos", json::Array{});
        }
        infos->as_array().push_back(string_map_value(injected[i]));
    }
    return {};
}

void AppWrapper::restore(
    json::Value& object,
    const std::vector<job_kinds::DescribedPodSet>& /*pod_sets*/,
    const api::Workload& /*workload*/
) const {
    if (json::Array* components = components_of(object)) {
        for (json::Value& component : *components) {
            component.erase("podSetInfos");
        }
    }
}

}  // namespace sluice::controller
