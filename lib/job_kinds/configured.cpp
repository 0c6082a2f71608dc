#include "job_kinds/configured.hpp"

#include "config/validation.hpp"
#include "job_kinds/builtin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace sluice::job_kinds {

namespace {

/// As config::Framework::kind has it: Kind.version.group
std::string group_kind(const Description& description) {
    return description.kind + "." + description.group;
}

/// The kinds that Sluice knows by itself, without their versions.
std::set<std::string> known_kinds() {
    std::set<std::string> kinds;
    for (const config::Framework& framework : config::known_frameworks()) {
        const std::size_t kind_end = framework.kind.find('.');
        const std::size_t version_end = framework.kind.find('.', kind_end + 1);
        const auto group = version_end == std::string_view::npos
                               ? std::string_view(".")
                               : framework.kind.substr(version_end);
        kinds.insert(std::string(framework.kind.substr(0, kind_end)) + std::string(group));
    }
    return kinds;
}

bool is_known_framework(std::string_view name) {
    const auto known = config::known_frameworks();
    return std::ranges::find(known, name, &config::Framework::name) != known.end();
}

}  // namespace

std::vector<ConfiguredKind> configured_kinds(
    const config::Integrations& integrations, config::Problems& problems
) {
    std::vector<ConfiguredKind> all;
    for (const std::string& framework : integrations.frameworks) {
        if (const Description* builtin = find_builtin(framework)) {
            all.push_back({.description = std::make_shared<const Description>(*builtin)});
        }
    }
    std::set<std::string> kinds = known_kinds();
    std::set<std::string> frameworks;
    for (std::size_t i = 0; i < integrations.job_kinds.size(); ++i) {
        const std::string path = fmt::format("integrations.jobKinds[{}]", i);
        auto description = read_description(integrations.job_kinds[i], path, problems);
        if (!kinds.insert(group_kind(description)).second) {
            problems.add(
                path + ".kind",
                fmt::format(
                    "{} of {} is known already; if it is one of Sluice's own, list it in "
                    "integrations.frameworks",
                    description.kind,
                    description.group
                )
            );
        }
        if (is_known_framework(description.framework) ||
            !frameworks.insert(description.framework).second) {
            problems.add(
                path + ".framework",
                fmt::format("\"{}\" is the name of another framework", description.framework)
            );
        }
        all.push_back(
            {.description = std::make_shared<const Description>(std::move(description)),
             .is_builtin = false}
        );
    }
    return all;
}

}  // namespace sluice::job_kinds
