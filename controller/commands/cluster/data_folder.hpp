// Folder on disk that keeps a snapshot of an embedded cluster.
#pragma once

#include "apiserver/state/snapshot.hpp"
#include "base/error.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::commands {

/// A folder in which a single process keeps a snapshot of its cluster.
class DataFolder {
  public:
    /// Creates the folder if it does not exist, and locks it. Errors: Invalid, with the folder and
    /// the reason; for example, another process holds the lock.
    static Result<std::unique_ptr<DataFolder>> open(const std::filesystem::path& folder);
    ~DataFolder();
    DataFolder(const DataFolder&) = delete;
    DataFolder& operator=(const DataFolder&) = delete;

    /// Returns the snapshot that was saved last; nullopt in a new folder. Errors: Invalid, with the
    /// file and the reason.
    Result<std::optional<apiserver::StoreImage>> load() const;
    /// Replaces the snapshot atomically: after a crash, the file is either the old or the new one.
    /// Only its owner may read it. Errors: Invalid, with the file and the reason.
    Result<void> save(std::string_view text) const;

  private:
    DataFolder(std::filesystem::path folder, int lock);

    std::filesystem::path folder_;
    int lock_;
};

}  // namespace sluice::commands
