#include "config/problem.hpp"

#include <fmt/core.h>

namespace sluice::config {

std::string join_path(std::string_view parent, std::string_view name) {
    return parent.empty() ? std::string(name) : fmt::format("{}.{}", parent, name);
}

std::string to_string(const Problem& problem) {
    return problem.path.empty() ? problem.why : fmt::format("{}: {}", problem.path, problem.why);
}

std::string to_string(const std::vector<Problem>& problems) {
    std::string text;
    for (const Problem& problem : problems) {
        text += text.empty() ? "" : "; ";
        text += to_string(problem);
    }
    return text;
}

}  // namespace sluice::config
