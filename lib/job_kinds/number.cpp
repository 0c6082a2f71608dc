#include "job_kinds/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sluice::job_kinds {

Result<std::optional<std::int32_t>> Number::evaluate(const json::Value& root) const {
    std::optional<std::int32_t> number;
    if (path) {
        const auto found = path->find_all(root);
        if (!found.empty()) {
            const json::Value& value = *found.front().value;
            if (!value.is_int() || value.as_int() < 0 ||
                value.as_int() > std::numeric_limits<std::int32_t>::max()) {
                return make_invalid(fmt::format(
                    "{}: {} is not a number of pods",
                    to_string(found.front().location),
                    json::print(value)
                ));
            }
            number = static_cast<std::int32_t>(value.as_int());
        }
    }
    for (const Number& one : least_of) {
        const auto value = one.evaluate(root);
        if (!value) {
            return value.error();
        }
        if (*value && (!number || **value < *number)) {
            number = *value;
        }
    }
    if (!number) {
        number = otherwise;
    }
    if (number) {
        number = std::max(*number, at_least);
    }
    return number;
}

std::int64_t sum(const std::vector<Path>& paths, const json::Value& root) {
    // Far above any number of pods, so that no sum of a malicious object overflows.
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    std::int64_t total = 0;
    for (const Path& path : paths) {
        for (const Found& found : path.find_all(root)) {
            if (found.value->is_int()) {
                total += std::clamp<std::int64_t>(found.value->as_int(), -kMax, kMax);
            }
        }
    }
    return total;
}

}  // namespace sluice::job_kinds
