#include "controller/jobs/described/spark_application.hpp"

#include "controller/jobs/job/semantic_equality.hpp"
#include "job_kinds/derived/spark_pod.hpp"
#include "json/patch.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <utility>

namespace sluice::controller {

namespace {

constexpr job_kinds::SparkRole kRoles[] = {
    job_kinds::SparkRole::Driver, job_kinds::SparkRole::Executor
};
constexpr std::string_view kMetadata[] = {"annotations", "labels"};
constexpr std::string_view kGates = "schedulingGates";  // in the role's template

json::Value* spec_of_role(json::Value& object, job_kinds::SparkRole role) {
    json::Value* spec = object.find("spec");
    json::Value* found = spec == nullptr ? nullptr : spec->find(to_string(role));
    return found != nullptr && found->is_object() ? found : nullptr;
}

/// Returns the fields of a role into which a start injects, as a pod template.
json::Value as_template(const json::Value& role, const json::Value* node_selector) {
    json::Value metadata = json::Object{};
    for (const std::string_view member : kMetadata) {
        if (const json::Value* value = role.find(member)) {
            metadata.set(member, *value);
        }
    }
    json::Value spec = json::Object{};
    if (node_selector != nullptr) {
        spec.set("nodeSelector", *node_selector);
    }
    if (const json::Value* tolerations = role.find("tolerations")) {
        spec.set("tolerations", *tolerations);
    }
    if (const json::Value* gates = role.find_path({"template", "spec", kGates})) {
        spec.set(kGates, *gates);
    }
    return json::Object{{"metadata", std::move(metadata)}, {"spec", std::move(spec)}};
}

void set_or_erase(json::Value& role, std::string_view member, const json::Value* value) {
    const bool is_empty = value == nullptr || value->is_null() ||
                          (value->is_object() && value->as_object().empty()) ||
                          (value->is_array() && value->as_array().empty());
    if (is_empty) {
        role.erase(member);
    } else {
        role.set(member, *value);
    }
}

/// Sets the scheduling gates in the template of a role, which has no field of its own for them.
void set_gates(json::Value& role, const json::Value* gates) {
    if (gates == nullptr && role.find_path({"template", "spec", kGates}) == nullptr) {
        return;
    }
    json::Value& spec = *job_kinds::make_object(role, {{.name = "template"}, {.name = "spec"}});
    set_or_erase(spec, kGates, gates);
}

/// Restores a map of a role: keeps the keys that existed before the start, because a start only
/// adds keys. The stored map is that of the whole template, so it may have more keys.
void restore_map(json::Value& role, std::string_view member, const json::Value* stored) {
    const json::Value* live = role.find(member);
    if (live == nullptr || !live->is_object()) {
        return;
    }
    json::Value kept = json::Object{};
    for (const auto& [key, value] : live->as_object()) {
        if (const json::Value* before = stored == nullptr ? nullptr : stored->find(key)) {
            kept.set(key, *before);
        }
    }
    set_or_erase(role, member, &kept);
}

}  // namespace

std::string SparkApplication::place_of(const job_kinds::DescribedPodSet& pod_set) const {
    return "spec." + pod_set.name;
}

std::optional<Result<json::Value>> SparkApplication::derive() const {
    json::Value derived = value();
    for (const job_kinds::SparkRole role : kRoles) {
        json::Value* said = spec_of_role(derived, role);
        if (said == nullptr) {
            return make_invalid(fmt::format("spec.{}: required", to_string(role)));
        }
        auto made = job_kinds::make_spark_pod(value(), role);
        if (!made) {
            return made.error();
        }
        said->set("podTemplate", std::move(*made));
    }
    return Result<json::Value>(std::move(derived));
}

Result<void> SparkApplication::inject(
    json::Value& object,
    const std::vector<job_kinds::DescribedPodSet>& /*pod_sets*/,
    const std::vector<PodSetInfo>& injected
) const {
    for (std::size_t i = 0; i < std::size(kRoles); ++i) {
        json::Value& role = *spec_of_role(object, kRoles[i]);
        json::Value fields = as_template(role, job_kinds::spark_node_selector(value(), kRoles[i]));
        const auto live = read_template(fields, fmt::format("spec.{}", to_string(kRoles[i])));
        if (!live) {
            return live.error();
        }
        const auto patch = injection_patch(*live, injected[i]);
        if (!patch) {
            return patch.error();
        }
        json::apply_merge_patch(fields, *patch);
        for (const std::string_view member : kMetadata) {
            set_or_erase(role, member, fields.find_path({"metadata", member}));
        }
        for (const std::string_view member : {"nodeSelector", "tolerations"}) {
            set_or_erase(role, member, fields.find_path({"spec", member}));
        }
        set_gates(role, fields.find_path({"spec", kGates}));
    }
    object.find("spec")->erase("nodeSelector");
    return {};
}

void SparkApplication::restore(
    json::Value& object,
    const std::vector<job_kinds::DescribedPodSet>& /*pod_sets*/,
    const api::Workload& workload
) const {
    for (std::size_t i = 0; i < std::size(kRoles); ++i) {
        const auto stored = json::parse(workload.spec.pod_sets[i].template_->raw.view());
        json::Value* role = spec_of_role(object, kRoles[i]);
        if (!stored || role == nullptr) {
            continue;
        }
        for (const std::string_view member : kMetadata) {
            restore_map(*role, member, stored->find_path({"metadata", member}));
        }
        restore_map(*role, "nodeSelector", stored->find_path({"spec", "nodeSelector"}));
        const json::Value* tolerations = stored->find_path({"spec", "tolerations"});
        if (!is_semantically_equal(role->find("tolerations"), tolerations)) {
            set_or_erase(*role, "tolerations", tolerations);
        }
        set_gates(*role, stored->find_path({"spec", kGates}));
    }
}

}  // namespace sluice::controller
