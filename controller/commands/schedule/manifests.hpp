#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::commands {

/// Where an object stands in the user's files.
struct ManifestPlace {
    std::string_view file;
    std::size_t line = 0;  ///< where its document begins
    /// Its place in the list that begins there.
    std::optional<std::size_t> item = std::nullopt;
};

/// "queues.yaml:12", and ": items[3]" after it for an item of a list.
std::string to_string(const ManifestPlace& place);
/// "queues.yaml:12: Workload ns/name".
std::string describe(const ManifestPlace& place, const json::Value& object);
/// Which of the fields that every object has is missing, in words; none: it has them.
std::optional<std::string> find_missing(const json::Value& object);

/// An object of a file.
struct Manifest {
    std::string file;
    std::size_t number = 0;  ///< of the file among all that were read
    std::size_t line = 0;
    std::optional<std::size_t> item = std::nullopt;
    json::Value object;

    ManifestPlace place() const { return {.file = file, .line = line, .item = item}; }
};

/// The objects of files and folders, those of lists one by one, in their order. Errors: Invalid
/// with file and line, for a file that cannot be read and for a document that is no object.
Result<std::vector<Manifest>> read_manifests(const std::vector<std::string>& names);

}  // namespace sluice::commands
