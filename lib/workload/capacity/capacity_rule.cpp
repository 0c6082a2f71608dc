#include "workload/capacity/capacity_rule.hpp"

#include "api/kueue/sluice_names.hpp"
#include "workload/capacity/flavor_growth.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace sluice::workload {

Result<bool> read_capacity_rule(const api::ResourceFlavor& flavor) {
    const std::string* rule = flavor.metadata.find_annotation(api::annotation::kCapacity);
    if (rule == nullptr || *rule == "Observe") {
        return false;
    }
    if (*rule == "Enforce") {
        return true;
    }
    return make_invalid(fmt::format(
        "annotation {}: \"{}\" is neither Observe nor Enforce", api::annotation::kCapacity, *rule
    ));
}

api::FieldErrors validate_annotations(const api::ResourceFlavor& flavor, bool can_enforce) {
    api::FieldErrors errors;
    const auto add = [&](const char* annotation, std::string_view problem) {
        const std::string* value = flavor.metadata.find_annotation(annotation);
        errors.push_back(api::FieldError::invalid(
            fmt::format("metadata.annotations[{}]", annotation),
            value == nullptr ? std::string() : *value,
            problem
        ));
    };
    const auto rule = read_capacity_rule(flavor);
    if (!rule) {
        add(api::annotation::kCapacity, "must be Observe or Enforce");
    } else if (*rule && !can_enforce) {
        add(api::annotation::kCapacity, "Enforce needs the feature gate TopologyAwareScheduling");
    }
    if (const auto growth = read_growth(flavor); !growth) {
        const bool is_of_shape =
            growth.error().detail.find(api::annotation::kNodeShape) != std::string::npos;
        add(is_of_shape ? api::annotation::kNodeShape : api::annotation::kMayGrowTo,
            is_of_shape ? "must be amounts above 0, such as cpu=96,nvidia.com/gpu=8"
                        : "must be a number of nodes from 0 to 5000");
    }
    return errors;
}

bool enforces_capacity(const api::ResourceFlavor& flavor) {
    const auto rule = read_capacity_rule(flavor);
    return flavor.spec.topology_name.empty() && rule && *rule;
}

}  // namespace sluice::workload
