#include "validation/field_error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sluice::validation {

namespace {

std::string_view to_text(ErrorClass error_class) {
    switch (error_class) {
        case ErrorClass::Invalid:
            return "Invalid value";
        case ErrorClass::Required:
            return "Required value";
        case ErrorClass::Forbidden:
            return "Forbidden";
        case ErrorClass::Duplicate:
            return "Duplicate value";
        case ErrorClass::NotFound:
            return "Not found";
        case ErrorClass::NotSupported:
            return "Unsupported value";
        case ErrorClass::TooLong:
            return "Too long";
        case ErrorClass::TooMany:
            return "Too many";
    }
    return "";
}

}  // namespace

std::string FieldError::message() const {
    std::string text(to_text(error_class));
    if (value) {
        text += ": " + json::print(*value);
    }
    if (!detail.empty()) {
        text += ": " + detail;
    }
    return text;
}

FieldError invalid(std::string field, json::Value value, std::string_view detail) {
    return {ErrorClass::Invalid, std::move(field), std::move(value), std::string(detail)};
}

FieldError duplicate(std::string field, json::Value value) {
    return {ErrorClass::Duplicate, std::move(field), std::move(value), ""};
}

FieldError forbidden(std::string field, std::string_view detail) {
    return {ErrorClass::Forbidden, std::move(field), std::nullopt, std::string(detail)};
}

FieldError required(std::string field, std::string_view detail) {
    return {ErrorClass::Required, std::move(field), std::nullopt, std::string(detail)};
}

FieldError not_found(std::string field, json::Value value) {
    return {ErrorClass::NotFound, std::move(field), std::move(value), ""};
}

FieldError not_supported(
    std::string field, json::Value value, const std::vector<std::string>& supported
) {
    std::string detail = "supported values: ";
    std::string_view before;
    for (const std::string& one : supported) {
        detail += fmt::format("{}\"{}\"", before, one);
        before = ", ";
    }
    return {
        ErrorClass::NotSupported,
        std::move(field),
        std::move(value),
        supported.empty() ? std::string() : std::move(detail)
    };
}

FieldError too_long(std::string field, std::size_t bytes_max) {
    return {
        ErrorClass::TooLong,
        std::move(field),
        std::nullopt,
        fmt::format("may not be more than {} bytes", bytes_max)
    };
}

FieldError too_many(std::string field, std::size_t count, std::size_t count_max) {
    return {
        ErrorClass::TooMany,
        std::move(field),
        json::Value(static_cast<std::int64_t>(count)),
        fmt::format("must have at most {} items", count_max)
    };
}

FieldError immutable(std::string field, json::Value value) {
    return invalid(std::move(field), std::move(value), "field is immutable");
}

void append(FieldErrors& to, FieldErrors more) {
    std::ranges::move(more, std::back_inserter(to));
}

std::string aggregate_text(const FieldErrors& errors) {
    std::vector<std::string> texts;
    for (const FieldError& error : errors) {
        std::string text = error.text();
        if (std::ranges::find(texts, text) == texts.end()) {
            texts.push_back(std::move(text));
        }
    }
    if (texts.size() == 1) {
        return texts.front();
    }
    return texts.empty() ? std::string() : fmt::format("[{}]", fmt::join(texts, ", "));
}

}  // namespace sluice::validation
