#include "apiserver/objects/cause.hpp"

#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::apiserver {
namespace {

/// A value as field.Error prints it: texts quoted, all else as JSON.
std::string printed_value(const json::Value& value) {
    return json::print_sorted(value);
}

Cause make(std::string_view reason, std::string message, std::string field) {
    return {std::string(reason), std::move(message), std::move(field)};
}

std::string with_detail(std::string text, std::string_view detail) {
    if (!detail.empty()) {
        text += ": ";
        text += detail;
    }
    return text;
}

}  // namespace

Cause invalid_value(std::string field, const json::Value& value, std::string_view detail) {
    auto message = with_detail("Invalid value: " + printed_value(value), detail);
    return make("FieldValueInvalid", std::move(message), std::move(field));
}

Cause invalid_type(std::string field, const json::Value& value, std::string_view detail) {
    auto message = with_detail("Invalid value: " + printed_value(value), detail);
    return make("FieldValueTypeInvalid", std::move(message), std::move(field));
}

Cause required_value(std::string field, std::string_view detail) {
    return make("FieldValueRequired", with_detail("Required value", detail), std::move(field));
}

Cause duplicate_value(std::string field, const json::Value& value) {
    return make(
        "FieldValueDuplicate", "Duplicate value: " + printed_value(value), std::move(field)
    );
}

Cause forbidden(std::string field, std::string_view detail) {
    return make("FieldValueForbidden", with_detail("Forbidden", detail), std::move(field));
}

Cause unsupported_value(
    std::string field, const json::Value& value, const std::vector<std::string>& supported
) {
    std::string message = "Unsupported value: " + printed_value(value);
    for (std::size_t i = 0; i < supported.size(); ++i) {
        message += i == 0 ? ": supported values: " : ", ";
        json::append_quoted(message, supported[i]);
    }
    return make("FieldValueNotSupported", std::move(message), std::move(field));
}

Cause not_found_value(std::string field, const json::Value& value) {
    return make("FieldValueNotFound", "Not found: " + printed_value(value), std::move(field));
}

Cause too_long(std::string field, std::size_t bytes_max) {
    auto message = fmt::format(
        "Too long: may not be more than {} byte{}", bytes_max, bytes_max == 1 ? "" : "s"
    );
    return make("FieldValueTooLong", std::move(message), std::move(field));
}

Cause too_many(std::string field, std::size_t count, std::size_t count_max) {
    auto message = fmt::format(
        "Too many: {}: must have at most {} item{}", count, count_max, count_max == 1 ? "" : "s"
    );
    return make("FieldValueTooMany", std::move(message), std::move(field));
}

std::string element_path(std::string_view path, std::size_t place) {
    return fmt::format("{}[{}]", path, place);
}

std::string aggregate_text(const std::vector<Cause>& causes) {
    std::vector<std::string> texts;
    for (const auto& cause : causes) {
        auto text = cause.field + ": " + cause.message;
        if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
            texts.push_back(std::move(text));
        }
    }
    if (texts.size() == 1) {
        return texts.front();
    }
    std::string all;
    for (const auto& text : texts) {
        all += (all.empty() ? "" : ", ") + text;
    }
    return all.empty() ? all : "[" + all + "]";
}

}  // namespace sluice::apiserver
