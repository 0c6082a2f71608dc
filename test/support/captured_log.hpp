#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <unistd.h>

namespace sluice::test {

/// What is logged while it lives.
class CapturedLog {
  public:
    CapturedLog() { ::dup2(::fileno(file_), STDERR_FILENO); }
    CapturedLog(const CapturedLog&) = delete;
    CapturedLog& operator=(const CapturedLog&) = delete;
    ~CapturedLog() {
        ::dup2(before_, STDERR_FILENO);
        ::close(before_);
        std::fclose(file_);
    }

    /// How many lines have the text.
    int count(std::string_view text) const {
        std::rewind(file_);
        std::string line(4096, 0);
        int found = 0;
        while (std::fgets(line.data(), static_cast<int>(line.size()), file_) != nullptr) {
            found += std::string_view(line.c_str()).find(text) != std::string_view::npos ? 1 : 0;
        }
        return found;
    }

  private:
    std::FILE* file_ = std::tmpfile();
    int before_ = ::dup(STDERR_FILENO);
};

}  // namespace sluice::test
