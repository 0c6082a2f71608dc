#include "controller/commands/why/workload_reference.hpp"

#include "base/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace sluice::commands {
namespace {

constexpr std::string_view kWorkload = "workload";

std::string in_lower_case(std::string_view text) {
    std::string made(text);
    std::ranges::transform(made, made.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return made;
}

/// Returns the kind without its group and its plural: "jobs.batch" is "job".
std::string singular(std::string_view kind) {
    std::string made = in_lower_case(kind.substr(0, kind.find('.')));
    if (made == "wl") {
        return std::string(kWorkload);
    }
    if (made.size() > 1 && made.ends_with('s')) {
        made.pop_back();
    }
    return made;
}

bool has_owner(const api::Workload& workload, const WorkloadReference& reference) {
    const auto& owners = workload.metadata.owner_references;
    return std::ranges::any_of(owners, [&](const api::OwnerReference& owner) {
        return owner.name == reference.name &&
               (reference.kind.empty() || singular(owner.kind) == reference.kind);
    });
}

}  // namespace

WorkloadReference parse_reference(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
        return {.kind = {}, .name = std::string(text)};
    }
    return {.kind = singular(text.substr(0, slash)), .name = std::string(text.substr(slash + 1))};
}

std::vector<const api::Workload*> find_referenced(
    const WorkloadReference& reference, const std::vector<const api::Workload*>& workloads
) {
    std::vector<const api::Workload*> found;
    for (const api::Workload* workload : workloads) {
        const bool may_be_name = reference.kind.empty() || reference.kind == kWorkload;
        if ((may_be_name && workload->metadata.name == reference.name) ||
            has_owner(*workload, reference)) {
            found.push_back(workload);
        }
    }
    return found;
}

std::string suggest_reference(
    const WorkloadReference& reference, const std::vector<const api::Workload*>& workloads
) {
    std::set<std::string_view> names;
    for (const api::Workload* workload : workloads) {
        names.insert(workload->metadata.name);
        for (const auto& owner : workload->metadata.owner_references) {
            names.insert(owner.name);
        }
    }
    const std::vector<std::string_view> known(names.begin(), names.end());
    return suggest_name(reference.name, known);
}

std::string print_reference(const api::Workload& workload) {
    const auto* owner = workload.metadata.controller_owner();
    return owner == nullptr ? std::string(kWorkload) + "/" + workload.metadata.name
                            : in_lower_case(owner->kind) + "/" + owner->name;
}

}  // namespace sluice::commands
