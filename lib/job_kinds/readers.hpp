// Reads the parts of descriptions: paths and predicates.
#pragma once

#include "config/problem.hpp"
#include "config/strict_reader.hpp"
#include "job_kinds/path.hpp"
#include "job_kinds/predicate.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::job_kinds {

/// Returns the path of a list's item. Example: podSets[2]
std::string item_path(std::string_view path, std::size_t index);

/// Compiles a path. `where`: the place of the text, for problems.
Path compile_path(const json::Value& text, const std::string& where, config::Problems& problems);
/// Reads a path; nullopt if it is absent.
std::optional<Path> read_path(config::StrictReader& reader, std::string_view name);
/// Reads the path of a single value. A missing path is a problem.
Path read_single(config::StrictReader& reader, std::string_view name);
/// Reads one path or a list of paths; empty if they are absent.
std::vector<Path> read_paths(config::StrictReader& reader, std::string_view name);

/// Reads a list of at least one value; empty if it is absent.
std::vector<json::Value> read_values(config::StrictReader& reader, std::string_view name);

/// Reads a predicate; nullopt if it is absent.
std::optional<Predicate> read_predicate(config::StrictReader& reader, std::string_view name);
/// Reads a predicate. A missing predicate is a problem, explained by `why`.
Predicate require_predicate(
    config::StrictReader& reader, std::string_view name, std::string_view why
);

}  // namespace sluice::job_kinds
