#include "base/nearest_name.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace sluice {
namespace {

constexpr std::size_t kLengthMax = 200;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool is_same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (is_same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1])) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
        before_last.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
    std::string_view nearest;
    if (name.size() > kLengthMax) {
        return nearest;
    }
    std::size_t least = std::max<std::size_t>(name.size(), 3) / 3 + 1;
    for (const std::string_view candidate : known) {
        if (candidate.size() > kLengthMax) {
            continue;
        }
        const std::size_t changes = distance(name, candidate);
        if (changes < least) {
            least = changes;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string suggest_name(std::string_view name, std::span<const std::string_view> known) {
    const std::string_view nearest = nearest_name(name, known);
    return nearest.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", nearest);
}

}  // namespace sluice
