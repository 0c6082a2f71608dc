#include "config/strict_reader.hpp"

#include "base/nearest_name.hpp"
#include "config/go_duration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

namespace sluice::config {

/// Longer than any useful wait, and short enough to be added to the current time.
constexpr Duration kDurationMax = std::chrono::hours(24 * 365 * 100);

StrictReader::StrictReader(const json::Value& value, std::string path, Problems& problems)
    : value_(&value), path_(std::move(path)), problems_(&problems) {
    if (!value.is_object()) {
        problems.add(path_, "must be an object");
    }
}

StrictReader::~StrictReader() {
    if (!value_->is_object()) {
        return;
    }
    const std::vector<std::string_view> known(known_.begin(), known_.end());
    for (const auto& [name, member] : value_->as_object()) {
        if (std::ranges::find(known_, name) == known_.end()) {
            problems_->add(path_of(name), "unknown field" + suggest_name(name, known));
        }
    }
}

const json::Value* StrictReader::take(std::string_view name) {
    known_.emplace_back(name);
    const auto* found = value_->find(name);
    return found == nullptr || found->is_null() ? nullptr : found;
}

std::string StrictReader::path_of(std::string_view name) const {
    return join_path(path_, name);
}

std::string StrictReader::item_path(std::string_view path, std::size_t index) {
    return fmt::format("{}[{}]", path, index);
}

std::string StrictReader::item_path(std::string_view path, std::string_view key) {
    return fmt::format("{}[{}]", path, key);
}

void StrictReader::read_value(
    const Value& value, const std::string& path, Problems& problems, bool& out
) {
    if (!value.is_bool()) {
        problems.add(path, "must be true or false");
        return;
    }
    out = value.as_bool();
}

void StrictReader::read_value(
    const Value& value, const std::string& path, Problems& problems, std::int32_t& out
) {
    using Limits = std::numeric_limits<std::int32_t>;
    if (!value.is_int() || value.as_int() < Limits::min() || value.as_int() > Limits::max()) {
        problems.add(path, "must be a whole number of 32 bits");
        return;
    }
    out = static_cast<std::int32_t>(value.as_int());
}

void StrictReader::read_value(
    const Value& value, const std::string& path, Problems& problems, double& out
) {
    if (!value.is_number()) {
        problems.add(path, "must be a number");
        return;
    }
    // YAML has .nan and .inf, for which every comparison in a rule is false.
    if (!std::isfinite(value.as_double())) {
        problems.add(path, "must be a finite number");
        return;
    }
    out = value.as_double();
}

void StrictReader::read_value(
    const Value& value, const std::string& path, Problems& problems, std::string& out
) {
    if (!value.is_string()) {
        problems.add(path, "must be a string");
        return;
    }
    out = value.as_string();
}

void StrictReader::read_value(
    const Value& value, const std::string& path, Problems& problems, Duration& out
) {
    if (!value.is_string()) {
        problems.add(path, "must be a duration such as \"5m\"");
        return;
    }
    const auto duration = parse_go_duration(value.as_string());
    if (!duration) {
        problems.add(path, duration.error().detail);
        return;
    }
    if (*duration > kDurationMax || *duration < -kDurationMax) {
        problems.add(
            path,
            fmt::format("must not be longer than a century ({})", print_go_duration(kDurationMax))
        );
        return;
    }
    out = *duration;
}

void StrictReader::read_value(
    const Value& value, const std::string& path, Problems& problems, api::Quantity& out
) {
    if (!value.is_string() && !value.is_number()) {
        problems.add(path, "must be a quantity");
        return;
    }
    const auto text = value.is_string() ? value.as_string() : json::print(value);
    const auto quantity = api::Quantity::parse(text);
    if (!quantity) {
        problems.add(path, quantity.error().detail);
        return;
    }
    out = *quantity;
}

void StrictReader::read_value(const Value& value, const std::string&, Problems&, Value& out) {
    out = value;
}

void StrictReader::read_value(
    const Value& value, const std::string& path, Problems& problems, api::LabelSelector& out
) {
    out = {};
    StrictReader reader(value, path, problems);
    reader.read("matchLabels", out.match_labels);
    reader.objects("matchExpressions", out.match_expressions, [](auto& inner, auto& expression) {
        inner.read("key", expression.key);
        inner.read("operator", expression.operator_);
        inner.read("values", expression.values);
    });
}

}  // namespace sluice::config
