#pragma once

#include "base/error.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace sluice::commands {

/// Writes a file that only its owner may read, in place of what it holds. Errors: Invalid.
Result<void> write_private_file(const std::filesystem::path& file, std::string_view text);

/// The kubeconfig of an embedded cluster, which is there once the cluster is ready: who finds the
/// file may begin. It stays when the cluster ends. As long as this object lives, no other one takes
/// its place.
class KubeconfigFile {
  public:
    /// Removes that of a run that has ended, and writes the new one where nobody finds it yet.
    /// Errors: Invalid for a file that cannot be written, that no `sluice dev` has written, or
    /// whose `sluice dev` still runs.
    static Result<KubeconfigFile> prepare(const std::string& file, const std::string& text);
    ~KubeconfigFile();
    KubeconfigFile(KubeconfigFile&& other) noexcept;
    KubeconfigFile& operator=(KubeconfigFile&&) = delete;
    /// Puts it in its place. Errors: Invalid, for one that has come there meanwhile too.
    Result<void> publish();

  private:
    KubeconfigFile(std::filesystem::path file, std::filesystem::path written, int lock);

    std::filesystem::path file_;
    std::filesystem::path
        written_;  ///< where it is until then; empty: without name, or in its place
    int lock_;     ///< held open: says that its cluster runs; or -1
    bool is_published_ = false;
};

}  // namespace sluice::commands
