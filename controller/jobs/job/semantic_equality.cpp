#include "controller/jobs/job/semantic_equality.hpp"

#include "api/core/effective_requests.hpp"
#include "api/meta/quantity.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace sluice::controller {

namespace {

bool is_empty(const json::Value* value) {
    return value == nullptr || value->is_null() ||
           (value->is_array() && value->as_array().empty()) ||
           (value->is_object() && value->as_object().empty());
}

bool are_equal_numbers(const json::Value& a, const json::Value& b) {
    const auto text = [](const json::Value& v) {
        return v.is_string() ? v.as_string() : v.is_number() ? json::print(v) : std::string();
    };
    const auto left = api::Quantity::parse(text(a));
    const auto right = api::Quantity::parse(text(b));
    return left && right && *left == *right;
}

/// How numbers and strings are compared: exactly, or as quantities of resources.
enum class Numbers : std::uint8_t { Exact, Quantities };

bool is_equal(const json::Value* a, const json::Value* b, Numbers numbers);

bool are_equal_objects(const json::Value& a, const json::Value& b, Numbers numbers) {
    const auto numbers_in = [numbers](std::string_view key) {
        return key == "requests" || key == "limits" ? Numbers::Quantities : numbers;
    };
    for (const auto& [key, value] : a.as_object()) {
        if (!is_equal(&value, b.find(key), numbers_in(key))) {
            return false;
        }
    }
    return std::ranges::all_of(b.as_object(), [&](const json::Member& member) {
        return a.find(member.first) != nullptr || is_empty(&member.second);
    });
}

bool is_equal(const json::Value* a, const json::Value* b, Numbers numbers) {
    if (is_empty(a) || is_empty(b)) {
        return is_empty(a) && is_empty(b);
    }
    if (a->is_object() && b->is_object()) {
        return are_equal_objects(*a, *b, numbers);
    }
    if (a->is_array() && b->is_array()) {
        const json::Array& left = a->as_array();
        const json::Array& right = b->as_array();
        return std::ranges::equal(left, right, [&](const json::Value& x, const json::Value& y) {
            return is_equal(&x, &y, numbers);
        });
    }
    return *a == *b || (numbers == Numbers::Quantities && are_equal_numbers(*a, *b));
}

}  // namespace

bool is_semantically_equal(const json::Value* a, const json::Value* b) {
    return is_equal(a, b, Numbers::Exact);
}

bool are_templates_equal(
    const api::PodTemplateSpec& a, const api::PodTemplateSpec& b, Tolerations tolerations
) {
    const auto left = json::parse(a.raw.view());
    const auto right = json::parse(b.raw.view());
    if (!left || !right) {
        return false;
    }
    const auto is_equal_in = [&](std::string_view field) {
        // Every number below `overhead` is a quantity.
        const Numbers numbers = field == "overhead" ? Numbers::Quantities : Numbers::Exact;
        return is_equal(
            left->find_path({"spec", field}), right->find_path({"spec", field}), numbers
        );
    };
    return std::ranges::all_of(api::kCountedPodFields, is_equal_in) &&
           (tolerations == Tolerations::Ignored || is_equal_in("tolerations"));
}

}  // namespace sluice::controller
