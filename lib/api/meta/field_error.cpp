#include "api/meta/field_error.hpp"

#include "json/writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace sluice::api {

namespace {

struct ClassNames {
    std::string_view text;
    std::string_view reason;
};

/// Names of the classes, in the order of FieldError::Class.
constexpr std::array<ClassNames, 9> kClassNames{{
    {"Invalid value", "FieldValueInvalid"},
    {"Invalid value", "FieldValueTypeInvalid"},
    {"Required value", "FieldValueRequired"},
    {"Forbidden", "FieldValueForbidden"},
    {"Duplicate value", "FieldValueDuplicate"},
    {"Not found", "FieldValueNotFound"},
    {"Unsupported value", "FieldValueNotSupported"},
    {"Too long", "FieldValueTooLong"},
    {"Too many", "FieldValueTooMany"},
}};

const ClassNames& names_of(FieldError::Class error_class) {
    return kClassNames.at(static_cast<std::size_t>(error_class));
}

}  // namespace

std::string_view FieldError::reason() const {
    return names_of(error_class).reason;
}

std::string FieldError::message(Members members) const {
    std::string text(names_of(error_class).text);
    if (value) {
        text += ": ";
        text += members == Members::Sorted ? json::print_sorted(*value) : json::print(*value);
    }
    if (!detail.empty()) {
        text += ": " + detail;
    }
    return text;
}

FieldError FieldError::invalid(std::string field, json::Value value, std::string_view detail) {
    return {Class::Invalid, std::move(field), std::move(value), std::string(detail)};
}

FieldError FieldError::invalid_type(std::string field, json::Value value, std::string_view detail) {
    return {Class::InvalidType, std::move(field), std::move(value), std::string(detail)};
}

FieldError FieldError::required(std::string field, std::string_view detail) {
    return {Class::Required, std::move(field), std::nullopt, std::string(detail)};
}

FieldError FieldError::forbidden(std::string field, std::string_view detail) {
    return {Class::Forbidden, std::move(field), std::nullopt, std::string(detail)};
}

FieldError FieldError::duplicate(std::string field, json::Value value) {
    return {Class::Duplicate, std::move(field), std::move(value), ""};
}

FieldError FieldError::not_found(std::string field, json::Value value) {
    return {Class::NotFound, std::move(field), std::move(value), ""};
}

FieldError FieldError::not_supported(
    std::string field, json::Value value, const std::vector<std::string>& supported
) {
    std::string detail;
    for (const std::string& one : supported) {
        detail += detail.empty() ? "supported values: " : ", ";
        json::append_quoted(detail, one);
    }
    return {Class::NotSupported, std::move(field), std::move(value), std::move(detail)};
}

FieldError FieldError::too_long(std::string field, std::size_t bytes_max) {
    auto detail =
        fmt::format("may not be more than {} byte{}", bytes_max, bytes_max == 1 ? "" : "s");
    return {Class::TooLong, std::move(field), std::nullopt, std::move(detail)};
}

FieldError FieldError::too_many(std::string field, std::size_t count, std::size_t count_max) {
    auto detail = fmt::format("must have at most {} item{}", count_max, count_max == 1 ? "" : "s");
    const json::Value value = static_cast<std::int64_t>(count);
    return {Class::TooMany, std::move(field), value, std::move(detail)};
}

FieldError FieldError::immutable(std::string field, json::Value value) {
    return invalid(std::move(field), std::move(value), "field is immutable");
}

void append(FieldErrors& to, FieldErrors more) {
    std::ranges::move(more, std::back_inserter(to));
}

std::string aggregate(const std::vector<std::string>& texts) {
    std::vector<std::string_view> different;
    for (const std::string& text : texts) {
        if (std::ranges::find(different, text) == different.end()) {
            different.emplace_back(text);
        }
    }
    if (different.size() == 1) {
        return std::string(different.front());
    }
    return different.empty() ? std::string() : fmt::format("[{}]", fmt::join(different, ", "));
}

std::string aggregate_text(const FieldErrors& errors) {
    std::vector<std::string> texts;
    texts.reserve(errors.size());
    for (const FieldError& error : errors) {
        texts.push_back(error.text());
    }
    return aggregate(texts);
}

}  // namespace sluice::api
