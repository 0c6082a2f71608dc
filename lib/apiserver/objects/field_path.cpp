#include "apiserver/objects/field_path.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace sluice::apiserver {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Returns the position at which the digits before `at` begin; nullopt if these digits are not a
/// JSON number, such as digits at the end of a string.
std::optional<std::size_t> number_begin(std::string_view text, std::size_t at) {
    while (at != 0 && is_digit(text[at - 1])) {
        --at;
    }
    const bool begins = at == 0 || text[at - 1] == ':';
    return begins && at < text.size() && is_digit(text[at]) ? std::optional(at) : std::nullopt;
}

/// Compares canonical JSON texts; numbers are compared by value.
std::strong_ordering compare_json(const std::string& a, const std::string& b) {
    const auto [at_a, at_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    const auto at = static_cast<std::size_t>(at_a - a.begin());
    const auto begin_a = number_begin(a, at);
    const auto begin_b = number_begin(b, at);
    if (begin_a && begin_b) {
        const auto order = std::strtoll(a.c_str() + *begin_a, nullptr, 10) <=>
                           std::strtoll(b.c_str() + *begin_b, nullptr, 10);
        if (order != std::strong_ordering::equal) {
            return order;
        }
    }
    return a <=> b;
}

}  // namespace

std::strong_ordering operator<=>(const PathElement& a, const PathElement& b) {
    if (a.element_class != b.element_class) {
        return a.element_class <=> b.element_class;
    }
    if (a.element_class == PathElement::Class::Field) {
        return a.text <=> b.text;
    }
    return compare_json(a.text, b.text);
}

std::string PathElement::encoded() const {
    switch (element_class) {
        case Class::Field:
            return "f:" + text;
        case Class::Key:
            return "k:" + text;
        case Class::Value:
            return "v:" + text;
        case Class::Index:
            return "i:" + text;
    }
    return text;
}

std::string PathElement::printed() const {
    switch (element_class) {
        case Class::Field:
            return "." + text;
        case Class::Value:
            return "[=" + text + "]";
        case Class::Index:
            return "[" + text + "]";
        case Class::Key:
            break;
    }
    std::string out = "[";
    const auto key = json::parse(text);
    if (key && key->is_object()) {
        for (const auto& [name, value] : key->as_object()) {
            out += (out.size() == 1 ? "" : ",") + name + "=" + json::print(value);
        }
    }
    return out + "]";
}

PathElement field_element(std::string_view name) {
    return {PathElement::Class::Field, std::string(name)};
}

std::optional<PathElement> parse_element(std::string_view encoded) {
    if (encoded.size() < 2 || encoded[1] != ':') {
        return std::nullopt;
    }
    const auto rest = encoded.substr(2);
    if (encoded[0] == 'f') {
        return field_element(rest);
    }
    const auto value = json::parse(rest);
    if (!value) {
        return std::nullopt;
    }
    if (encoded[0] == 'k' && value->is_object()) {
        return PathElement{PathElement::Class::Key, json::print_sorted(*value)};
    }
    if (encoded[0] == 'v') {
        return PathElement{PathElement::Class::Value, json::print_sorted(*value)};
    }
    if (encoded[0] == 'i' && value->is_int()) {
        return PathElement{PathElement::Class::Index, std::string(rest)};
    }
    return std::nullopt;
}

std::string printed(const FieldPath& path) {
    std::string out;
    for (const auto& element : path) {
        out += element.printed();
    }
    return out;
}

}  // namespace sluice::apiserver
