#include "validation/resource_flavor_rules.hpp"

#include "api/meta/codec.hpp"
#include "api/meta/names.hpp"
#include "validation/metadata_rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

namespace sluice::validation {

namespace {

api::FieldErrors validate_taints(const std::vector<api::Taint>& taints) {
    api::FieldErrors errors;
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (std::size_t i = 0; i < taints.size(); ++i) {
        const api::Taint& taint = taints[i];
        const std::string path = fmt::format("spec.nodeTaints[{}]", i);
        append(errors, validate_label_name(taint.key, path + ".key"));
        const auto problems = api::find_label_value_problems(taint.value);
        if (!problems.empty()) {
            errors.push_back(api::FieldError::invalid(
                path + ".value", taint.value, fmt::format("{}", fmt::join(problems, ";"))
            ));
        }
        if (!seen.emplace(taint.key, taint.effect).second) {
            api::FieldError error = api::FieldError::duplicate(path, api::to_value(taint));
            error.detail = "taints must be unique by key and effect pair";
            errors.push_back(std::move(error));
        }
    }
    return errors;
}

}  // namespace

api::FieldErrors validate(const api::ResourceFlavor& flavor) {
    api::FieldErrors errors = validate_labels(flavor.spec.node_labels, "spec.nodeLabels");
    append(errors, validate_taints(flavor.spec.node_taints));
    for (std::size_t i = 0; i < flavor.spec.tolerations.size(); ++i) {
        const std::string& key = flavor.spec.tolerations[i].key;
        if (!key.empty()) {
            append(errors, validate_label_name(key, fmt::format("spec.tolerations[{}].key", i)));
        }
    }
    return errors;
}

}  // namespace sluice::validation
