// The described job kinds that a configuration turns on.
#pragma once

#include "config/configuration.hpp"
#include "config/problem.hpp"
#include "job_kinds/description.hpp"

#include <memory>
#include <vector>

namespace sluice::job_kinds {

/// A job kind that a configuration turns on.
struct ConfiguredKind {
    std::shared_ptr<const Description> description;
    bool is_builtin = true;  ///< false: integrations.jobKinds describes it
};

/// Returns the described kinds of integrations.frameworks, then those of integrations.jobKinds.
/// Frameworks without a description are left out. Adds the faults of integrations.jobKinds to
/// `problems`: faults of a description, and kinds or frameworks that are listed twice.
std::vector<ConfiguredKind> configured_kinds(
    const config::Integrations& integrations, config::Problems& problems
);

}  // namespace sluice::job_kinds
