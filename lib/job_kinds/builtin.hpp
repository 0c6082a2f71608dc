// The job kinds that are built into Sluice.
#pragma once

#include "config/feature_gates.hpp"
#include "config/problem.hpp"
#include "job_kinds/builtin_files.hpp"
#include "job_kinds/description.hpp"
#include "job_kinds/simulation.hpp"

#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

namespace sluice::job_kinds {

/// A job kind that is built into Sluice.
struct BuiltinKind {
    Description description;
    /// The alpha gate without which a configuration may not list the kind; nullopt if it needs
    /// none.
    std::optional<config::Feature> gate;
    /// Describes how the simulated cluster plays the kind's controller; nullopt if code does.
    std::optional<Simulation> simulation;
};

/// Reads files: each holds a description, and the keys that only built-in kinds have. Adds their
/// faults to `problems`. Returns the kinds, sorted by framework.
std::vector<BuiltinKind> read_builtin_kinds(
    std::span<const BuiltinFile> files, config::Problems& problems
);

/// Returns the built-in kinds, read from the files in `builtin`, sorted by framework.
const std::vector<BuiltinKind>& builtin_kinds();

/// Returns the descriptions of the built-in kinds.
inline auto builtin_descriptions() {
    return builtin_kinds() | std::views::transform(&BuiltinKind::description);
}

/// Returns the built-in description of a framework of integrations.frameworks; nullptr if it has no
/// description.
const Description* find_builtin(std::string_view framework);

}  // namespace sluice::job_kinds
