#include "apiserver/objects/go_text.hpp"

#include "json/writer.hpp"

#include <algorithm>
#include <vector>

namespace sluice::apiserver {
namespace {

constexpr int kTextDepthMax = 64;

std::vector<const json::Member*> members_by_name(const json::Object& object) {
    std::vector<const json::Member*> members;
    for (const auto& member : object) {
        members.push_back(&member);
    }
    std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) {
        return a->first < b->first;
    });
    return members;
}

void append(std::string& out, const json::Value& value, int depth) {
    if (depth > kTextDepthMax) {
        out += "...";
    } else if (value.is_null()) {
        out += "<nil>";
    } else if (value.is_string()) {
        out += value.as_string();
    } else if (value.is_array()) {
        out += "[";
        for (std::size_t i = 0; i < value.as_array().size(); ++i) {
            out += i == 0 ? "" : " ";
            append(out, value.as_array()[i], depth + 1);
        }
        out += "]";
    } else if (value.is_object()) {
        out += "map[";
        const char* gap = "";
        for (const auto* member : members_by_name(value.as_object())) {
            out += gap + member->first + ":";
            append(out, member->second, depth + 1);
            gap = " ";
        }
        out += "]";
    } else {
        out += json::print(value);
    }
}

void append_source(std::string& out, const json::Value& value, int depth) {
    if (depth > kTextDepthMax) {
        out += "...";
    } else if (value.is_null()) {
        out += "interface {}(nil)";
    } else if (value.is_array()) {
        out += "[]interface {}{";
        for (std::size_t i = 0; i < value.as_array().size(); ++i) {
            out += i == 0 ? "" : ", ";
            append_source(out, value.as_array()[i], depth + 1);
        }
        out += "}";
    } else if (value.is_object()) {
        out += "map[string]interface {}{";
        const char* gap = "";
        for (const auto* member : members_by_name(value.as_object())) {
            out += gap;
            json::append_quoted(out, member->first);
            out += ":";
            append_source(out, member->second, depth + 1);
            gap = ", ";
        }
        out += "}";
    } else {
        out += json::print(value);
    }
}

}  // namespace

std::string go_text(const json::Value& value) {
    std::string out;
    append(out, value, 0);
    return out;
}

std::string go_source(const json::Value& value) {
    std::string out;
    append_source(out, value, 0);
    return out;
}

std::string_view go_type(const json::Value& value) {
    if (value.is_bool()) {
        return "bool";
    }
    if (value.is_int()) {
        return "int64";
    }
    if (value.is_double()) {
        return "float64";
    }
    if (value.is_string()) {
        return "string";
    }
    if (value.is_null()) {
        return "<nil>";
    }
    return value.is_array() ? "[]interface {}" : "map[string]interface {}";
}

std::string trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\n\v\f\r";
    const auto first = text.find_first_not_of(kBlanks);
    return first == std::string_view::npos
               ? std::string()
               : std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

}  // namespace sluice::apiserver
