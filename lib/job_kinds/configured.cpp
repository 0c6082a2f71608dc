#include "job_kinds/configured.hpp"

#include "job_kinds/builtin.hpp"
#include "job_kinds/kind_names.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace sluice::job_kinds {

std::vector<ConfiguredKind> configured_kinds(
    const config::Integrations& integrations, config::Problems& problems
) {
    std::vector<ConfiguredKind> all;
    for (const std::string& framework : integrations.frameworks) {
        if (const Description* builtin = find_builtin(framework)) {
            all.push_back({.description = std::make_shared<const Description>(*builtin)});
        }
    }
    KindNames names;
    for (std::size_t i = 0; i < integrations.job_kinds.size(); ++i) {
        const std::string path = fmt::format("integrations.jobKinds[{}]", i);
        auto description = read_description(integrations.job_kinds[i], path, problems);
        for (const KindNames::Conflict& conflict : names.claim(description, path)) {
            problems.add(path + "." + conflict.problem.path, conflict.problem.why);
        }
        all.push_back(
            {.description = std::make_shared<const Description>(std::move(description)),
             .is_builtin = false}
        );
    }
    return all;
}

}  // namespace sluice::job_kinds
