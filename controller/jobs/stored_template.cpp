#include "controller/jobs/stored_template.hpp"

#include "api/codec.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace sluice::controller {

namespace {

void drop_repeated_variables(json::Value& container) {
    json::Value* env = container.find("env");
    if (env == nullptr || !env->is_array()) {
        return;
    }
    std::set<std::string, std::less<>> seen;
    json::Array& variables = env->as_array();
    json::Array kept;
    for (auto variable = variables.rbegin(); variable != variables.rend(); ++variable) {
        if (seen.emplace(variable->string_at("name")).second) {
            kept.push_back(std::move(*variable));
        }
    }
    std::ranges::reverse(kept);
    variables = std::move(kept);
}

}  // namespace

Result<api::PodTemplateSpec> stored_template(
    const api::PodTemplateSpec& live, std::span<const std::string_view> labels_left_out
) {
    auto parsed = json::parse(live.raw.view());
    if (!parsed) {
        return parsed.error();
    }
    if (json::Value* metadata = parsed->find("metadata")) {
        metadata->erase("creationTimestamp");
        if (json::Value* labels = metadata->find("labels")) {
            for (const std::string_view label : labels_left_out) {
                labels->erase(label);
            }
        }
    }
    if (json::Value* spec = parsed->find("spec")) {
        for (const std::string_view list : {"containers", "initContainers"}) {
            json::Value* containers = spec->find(list);
            if (containers != nullptr && containers->is_array()) {
                std::ranges::for_each(containers->as_array(), drop_repeated_variables);
            }
        }
    }
    return api::decode<api::PodTemplateSpec>(json::print(*parsed));
}

}  // namespace sluice::controller
