#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::config {

/// Collects what `validate` finds, each as `path: why`.
class Violations {
  public:
    void add(std::string_view path, std::string_view why) {
        all_.push_back(fmt::format("{}: {}", path, why));
    }
    std::vector<std::string> take() { return std::exchange(all_, {}); }

  private:
    std::vector<std::string> all_;
};

}  // namespace sluice::config
