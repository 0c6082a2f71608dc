// Reads manifests with the file and line of each object, for errors that name the place.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::commands {

/// Place of an object in the user's files.
struct ManifestPlace {
    std::string_view file;
    std::size_t line = 0;  ///< the first line of its document
    /// Index of the object if the document is a list.
    std::optional<std::size_t> item = std::nullopt;
};

/// Returns "queues.yaml:12", followed by ": items[3]" for an item of a list.
std::string to_string(const ManifestPlace& place);
/// Returns "queues.yaml:12: Workload ns/name".
std::string describe(const ManifestPlace& place, const json::Value& object);
/// Returns an error that names the missing fields among `apiVersion` and `kind`; nullopt if the
/// object has both.
std::optional<std::string> find_missing(const json::Value& object);

/// An object and its place.
struct Manifest {
    std::string file;
    std::size_t number = 0;  ///< index of the file among all files that were read
    std::size_t line = 0;
    std::optional<std::size_t> item = std::nullopt;
    json::Value object;

    ManifestPlace place() const { return {.file = file, .line = line, .item = item}; }
};

/// Returns the objects of files and folders in their order, with the items of lists one by one.
/// Errors: Invalid, with file and line, if a file cannot be read or a document is not an object.
Result<std::vector<Manifest>> read_manifests(const std::vector<std::string>& names);

}  // namespace sluice::commands
