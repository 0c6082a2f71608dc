#pragma once

#include "apiserver/state/snapshot.hpp"
#include "base/error.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::commands {

/// The folder in which one process at a time keeps a snapshot of its cluster.
class DataFolder {
  public:
    /// Makes the folder where there is none, and takes it. Errors: Invalid, naming folder and
    /// reason; another process has it, for one.
    static Result<std::unique_ptr<DataFolder>> open(const std::filesystem::path& folder);
    ~DataFolder();
    DataFolder(const DataFolder&) = delete;
    DataFolder& operator=(const DataFolder&) = delete;

    /// What was saved last; nothing in a new folder. Errors: Invalid, naming file and reason.
    Result<std::optional<apiserver::StoreImage>> load() const;
    /// Saves, wholly or not at all, whatever happens meanwhile; only the owner may read it. Errors:
    /// Invalid, naming file and reason.
    Result<void> save(std::string_view text) const;

  private:
    DataFolder(std::filesystem::path folder, int lock);

    std::filesystem::path folder_;
    int lock_;
};

}  // namespace sluice::commands
