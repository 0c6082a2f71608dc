#include "controller/visibility/request_path.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/visibility/discovery.hpp"
#include "net/transport/url.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>
#include <vector>

namespace sluice::controller {

namespace {

constexpr std::int64_t kDefaultLimit = 1'000;
constexpr std::int64_t kLimitMax = 100'000;

/// Errors: Invalid, with the message of Kubernetes' own servers.
Result<std::int64_t> parse_integer(const std::string& text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec == std::errc::result_out_of_range) {
        return make_invalid("strconv.ParseInt: parsing \"" + text + "\": value out of range");
    }
    if (read.ec != std::errc() || read.ptr != end) {
        return make_invalid("strconv.ParseInt: parsing \"" + text + "\": invalid syntax");
    }
    return number;
}

}  // namespace

std::optional<VisibilityPath> parse_visibility_path(std::string_view path) {
    const std::string group = std::string("/apis/") + api::kVisibilityGroup;
    if (!path.starts_with(group)) {
        return std::nullopt;
    }
    path.remove_prefix(group.size());
    if (!path.empty() && path.front() != '/') {
        return std::nullopt;
    }
    path.remove_prefix(path.empty() ? 0 : 1);
    const auto parts = net::split_path(path);
    if (std::ranges::find(parts, "") != parts.end()) {
        return std::nullopt;
    }
    VisibilityPath found;
    if (parts.empty()) {
        return found;
    }
    found.version = parts.front();
    if (std::ranges::find(kVisibilityVersions, found.version) == kVisibilityVersions.end()) {
        return std::nullopt;
    }
    if (parts.size() == 1) {
        return found;
    }
    if (parts.back() != "pendingworkloads") {
        return std::nullopt;
    }
    if (parts.size() == 4 && parts[1] == "clusterqueues") {
        found.queue = QueueKind::ClusterQueue;
        found.name = parts[2];
        return found;
    }
    if (parts.size() == 6 && parts[1] == "namespaces" && parts[3] == "localqueues") {
        found.queue = QueueKind::LocalQueue;
        found.ns = parts[2];
        found.name = parts[4];
        return found;
    }
    return std::nullopt;
}

Result<workload::PendingPage> parse_page(const std::string& offset, const std::string& limit) {
    std::int64_t from = 0;
    std::int64_t count = 0;
    for (const auto& [text, number] : {std::pair{&offset, &from}, std::pair{&limit, &count}}) {
        if (text->empty()) {
            continue;
        }
        const auto read = parse_integer(*text);
        if (!read) {
            return read.error();
        }
        *number = *read;
    }
    count = count == 0 ? kDefaultLimit : std::clamp<std::int64_t>(count, 0, kLimitMax);
    return workload::PendingPage{
        .offset = static_cast<std::size_t>(std::max<std::int64_t>(from, 0)),
        .limit = static_cast<std::size_t>(count),
    };
}

}  // namespace sluice::controller
