#include "job_kinds/kind_names.hpp"

#include "api/schema/scheme.hpp"
#include "config/kind_argument.hpp"
#include "job_kinds/builtin.hpp"
#include "job_kinds/frameworks.hpp"

#include <fmt/format.h>

namespace sluice::job_kinds {

namespace {

std::string in_group(std::string_view name, std::string_view group) {
    return fmt::format("{}.{}", name, group);
}

}  // namespace

KindNames::KindNames() {
    for (const config::Framework& framework : known_frameworks()) {
        const config::KindArgument kind = config::split_kind_argument(framework.kind);
        kinds_.emplace(in_group(kind.kind, kind.group), "");
        frameworks_.emplace(framework.name, "");
    }
    for (const Description& builtin : builtin_descriptions()) {
        resources_.emplace(in_group(builtin.resource, builtin.group), "");
    }
    for (const api::KindInfo& kind : api::all_kinds()) {
        kinds_.emplace(in_group(kind.kind, kind.group), "");
        resources_.emplace(in_group(kind.plural, kind.group), "");
    }
}

std::vector<KindNames::Conflict> KindNames::claim(
    const Description& description, std::string_view owner
) {
    std::vector<Conflict> conflicts;
    const auto check = [&conflicts](
                           const Owners& owners,
                           std::string_view name,
                           std::string_view path,
                           const std::string& what,
                           std::string_view known
                       ) {
        const auto taken = owners.find(name);
        if (taken == owners.end()) {
            return;
        }
        const bool is_duplicate = !taken->second.empty();
        conflicts.push_back(
            {.problem =
                 {.path = std::string(path),
                  .why = is_duplicate
                             ? fmt::format("{} is described already by {}", what, taken->second)
                             : fmt::format("{} {}", what, known)},
             .is_duplicate = is_duplicate}
        );
    };
    const std::string kind = in_group(description.kind, description.group);
    const std::string resource = in_group(description.resource, description.group);
    const std::size_t before = conflicts.size();
    check(
        kinds_,
        kind,
        "kind",
        fmt::format("{} of {}", description.kind, description.group),
        "is known already; if it is one of Sluice's own, list it in integrations.frameworks"
    );
    if (conflicts.size() == before) {
        check(
            resources_,
            resource,
            "resource",
            fmt::format("{} of {}", description.resource, description.group),
            "are objects of another kind"
        );
    }
    check(
        frameworks_,
        description.framework,
        "framework",
        fmt::format("\"{}\"", description.framework),
        "is the name of another framework"
    );
    if (conflicts.empty()) {
        kinds_.emplace(kind, owner);
        resources_.emplace(resource, owner);
        frameworks_.emplace(description.framework, owner);
    }
    return conflicts;
}

}  // namespace sluice::job_kinds
