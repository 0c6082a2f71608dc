#include "apiserver/request.hpp"

#include <algorithm>
#include <array>

namespace sluice::apiserver {
namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return c - 'A' + 10;
    }
    return -1;
}

std::vector<std::string> split_path(std::string_view path) {
    std::vector<std::string> parts;
    while (!path.empty()) {
        const auto part = path.substr(0, path.find('/'));
        if (!part.empty()) {
            parts.push_back(decode_percent(part, false));
        }
        path.remove_prefix(std::min(part.size() + 1, path.size()));
    }
    return parts;
}

}  // namespace

std::string decode_percent(std::string_view text, bool is_query) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
        const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
        if (low >= 0) {
            out += static_cast<char>(high * 16 + low);
            i += 2;
        } else {
            out += is_query && text[i] == '+' ? ' ' : text[i];
        }
    }
    return out;
}

Query::Query(std::string_view text) {
    while (!text.empty()) {
        const auto pair = text.substr(0, text.find('&'));
        text.remove_prefix(std::min(pair.size() + 1, text.size()));
        if (pair.empty()) {
            continue;
        }
        const auto equal = pair.find('=');
        auto value =
            equal == std::string_view::npos ? std::string_view() : pair.substr(equal + 1);
        values_.emplace(decode_percent(pair.substr(0, equal), true), decode_percent(value, true));
    }
}

const std::string& Query::get(std::string_view name) const {
    static const std::string kNone;
    const auto found = values_.lower_bound(name);
    return found == values_.end() || found->first != name ? kNone : found->second;
}

std::vector<std::string> Query::all(std::string_view name) const {
    std::vector<std::string> out;
    for (auto at = values_.lower_bound(name); at != values_.end() && at->first == name; ++at) {
        out.push_back(at->second);
    }
    return out;
}

bool Query::is_true(std::string_view name) const {
    if (!has(name)) {
        return false;
    }
    // What is neither 0 nor false counts as true, nothing at all too.
    const auto& value = get(name);
    return value != "0" && value != "false" && value != "False" && value != "FALSE" && value != "f"
           && value != "F";
}

std::optional<ApiPath> parse_api_path(std::string_view path) {
    auto parts = split_path(path);
    ApiPath out;
    std::size_t at = 0;
    if (parts.size() >= 2 && parts[0] == "api") {
        out.version = parts[1];
        at = 2;
    } else if (parts.size() >= 3 && parts[0] == "apis") {
        out.group = parts[1];
        out.version = parts[2];
        at = 3;
    } else {
        return std::nullopt;
    }
    const auto has = [&](std::size_t count) { return at + count <= parts.size(); };
    if (has(1) && parts[at] == "watch") {
        out.is_watch = true;
        ++at;
    }
    // What follows a namespace is a resource in it, unless it is a subresource of the namespace.
    const bool is_in_namespace =
        has(3) && parts[at] == "namespaces"
        && (!out.group.empty() || (parts[at + 2] != "status" && parts[at + 2] != "finalize"));
    if (is_in_namespace) {
        out.namespace_ = parts[at + 1];
        at += 2;
    }
    const std::array<std::string*, 3> slots{&out.plural, &out.name, &out.subresource};
    for (std::string* slot : slots) {
        if (has(1)) {
            *slot = parts[at++];
        }
    }
    for (; at < parts.size(); ++at) {
        out.rest += (out.rest.empty() ? "" : "/") + parts[at];
    }
    if (out.group.empty() && out.plural == "namespaces") {
        out.namespace_ = out.name;
    }
    return out;
}

}  // namespace sluice::apiserver
