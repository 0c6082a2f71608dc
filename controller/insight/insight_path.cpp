#include "controller/insight/insight_path.hpp"

#include "api/insight/insight_names.hpp"
#include "net/transport/url.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <vector>

namespace sluice::controller {

std::optional<InsightPath> parse_insight_path(std::string_view path) {
    const std::string group = std::string("/apis/") + api::kInsightGroup;
    if (!path.starts_with(group)) {
        return std::nullopt;
    }
    path.remove_prefix(group.size());
    if (path.empty()) {
        return InsightPath{};
    }
    if (path.front() != '/') {
        return std::nullopt;
    }
    const auto parts = net::split_path(path.substr(1));
    if (std::ranges::find(parts, "") != parts.end() || parts.empty() ||
        parts[0] != api::kInsightVersion) {
        return std::nullopt;
    }
    InsightPath found{.has_version = true};
    if (parts.size() == 1) {
        return found;
    }
    const bool is_namespaced = parts[1] == "namespaces" && parts.size() > 3;
    found.ns = is_namespaced ? parts[2] : "";
    if (is_namespaced && parts.size() == 6 && parts[3] == "workloads" &&
        parts[5] == "explanation") {
        found.answer = InsightAnswer::Explanation;
        found.name = parts[4];
        return found;
    }
    if (parts.size() == (is_namespaced ? 4 : 2) && parts.back() == "explanations") {
        found.answer = InsightAnswer::Explanations;
        return found;
    }
    if (parts.size() == (is_namespaced ? 4 : 2) && parts.back() == "whatifs") {
        found.answer = InsightAnswer::WhatIf;
        return found;
    }
    return std::nullopt;
}

Result<InsightPage> parse_insight_page(const std::string& limit, const std::string& from) {
    constexpr std::size_t kDefault = 200;
    constexpr std::size_t kMost = 500;
    std::size_t count = 0;
    const char* const end = limit.data() + limit.size();
    const auto read = std::from_chars(limit.data(), end, count);
    if (!limit.empty() && (read.ec != std::errc() || read.ptr != end)) {
        return make_invalid("limit: must be a number of items");
    }
    if (!from.empty() && from.find('/') == std::string::npos) {
        return make_invalid("continue: must be the token of a list before");
    }
    return InsightPage{.limit = count == 0 ? kDefault : std::min(count, kMost), .after = from};
}

}  // namespace sluice::controller
