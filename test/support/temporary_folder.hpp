#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace sluice::test {

/// A folder that goes away with its owner.
class TemporaryFolder {
  public:
    TemporaryFolder()
        : path_((std::filesystem::temp_directory_path() / "sluice-test-XXXXXX").string()) {
        if (::mkdtemp(path_.data()) == nullptr) {
            std::abort();
        }
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const { return path_; }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ + "/" + name, std::ios::binary | std::ios::trunc) << text;
    }
    void remove(const std::string& name) const { std::filesystem::remove(path_ + "/" + name); }

  private:
    std::string path_;
};

}  // namespace sluice::test
