#include "workload/capacity/capacity_rule.hpp"

#include "api/kueue/sluice_names.hpp"

#include <fmt/format.h>

#include <string>

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

bool enforces_capacity(const api::ResourceFlavor& flavor) {
    const auto rule = read_capacity_rule(flavor);
    return flavor.spec.topology_name.empty() && rule && *rule;
}

}  // namespace sluice::workload
