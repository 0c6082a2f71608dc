#pragma once

#include "config/configuration.hpp"
#include "config/problem.hpp"
#include "job_kinds/description.hpp"

#include <memory>
#include <vector>

namespace sluice::job_kinds {

/// A kind that a configuration turns on.
struct ConfiguredKind {
    std::shared_ptr<const Description> description;
    bool is_builtin = true;  ///< else integrations.jobKinds describes it
};

/// The described kinds of integrations.frameworks, then those of integrations.jobKinds. Frameworks
/// that have no description are left out. What is wrong with integrations.jobKinds is added to
/// `problems`: faults of a description, and a kind or framework that is there twice.
std::vector<ConfiguredKind> configured_kinds(
    const config::Integrations& integrations, config::Problems& problems
);

}  // namespace sluice::job_kinds
