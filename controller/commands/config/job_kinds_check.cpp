#include "controller/commands/config/job_kinds_check.hpp"

#include "api/kueue/sluice_names.hpp"
#include "job_kinds/catalog.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::commands {

bool is_config_map(const json::Value& document) {
    return document.string_at("kind") == "ConfigMap" && document.string_at("apiVersion") == "v1";
}

JobKindsReport check_job_kinds(const json::Value& config_map) {
    JobKindsReport report;
    const json::Value* label = config_map.find_path({"metadata", "labels", api::label::kJobKinds});
    if (label == nullptr || *label != json::Value("true")) {
        report.warnings.push_back(
            {.path = "metadata.labels",
             .why = fmt::format("the label {}: \"true\" is missing", api::label::kJobKinds)}
        );
    }
    const json::Value* data = config_map.find("data");
    if (data == nullptr || !data->is_object() || data->as_object().empty()) {
        report.errors.push_back({.path = "data", .why = "must describe at least one kind"});
        return report;
    }
    job_kinds::Sheet sheet;
    for (const auto& [key, text] : data->as_object()) {
        if (text.is_string()) {
            sheet.texts.emplace(key, text.as_string());
        } else {
            report.errors.push_back({.path = "data." + key, .why = "must be a string"});
        }
    }
    job_kinds::Catalog catalog({}, {});
    catalog.set({sheet});
    for (const job_kinds::Refusal& refusal : catalog.refusals()) {
        report.errors.push_back({.path = "data." + refusal.key, .why = refusal.why});
    }
    for (const job_kinds::InForce& described : catalog.in_force()) {
        report.descriptions.push_back(*yaml::parse_document(sheet.texts[described.key]));
    }
    return report;
}

}  // namespace sluice::commands
