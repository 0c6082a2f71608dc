// Writes the kubeconfig of an embedded cluster so that one running cluster owns the file.
#pragma once

#include "base/error.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace sluice::commands {

/// Writes a file that only its owner may read, replacing its content. Errors: Invalid.
Result<void> write_private_file(const std::filesystem::path& file, std::string_view text);

/// The kubeconfig of an embedded cluster. The file appears once the cluster is ready, so a client
/// that finds it can start at once. The file stays when the cluster ends. While this object exists,
/// no other process replaces the file.
class KubeconfigFile {
  public:
    /// Removes the file of a run that has ended, and writes the new one without making it visible.
    /// Errors: Invalid if the file cannot be written, was not written by `sluice dev`, or belongs
    /// to a running `sluice dev`.
    static Result<KubeconfigFile> prepare(const std::string& file, const std::string& text);
    ~KubeconfigFile();
    KubeconfigFile(KubeconfigFile&& other) noexcept;
    KubeconfigFile& operator=(KubeconfigFile&&) = delete;
    /// Makes the file visible under its name. Errors: Invalid, also if a file of that name has
    /// appeared since prepare().
    Result<void> publish();

  private:
    KubeconfigFile(std::filesystem::path file, std::filesystem::path written, int lock);

    std::filesystem::path file_;
    std::filesystem::path written_;  ///< temporary name; empty if unnamed or published
    int lock_;                       ///< open and locked while the cluster runs; -1 if unused
    bool is_published_ = false;
};

}  // namespace sluice::commands
