#include "apiserver/health.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

/// The checks of work that a real server finishes after its start. This server has its namespaces,
/// priority classes, addresses, definitions and discovery before it answers the first request.
constexpr std::string_view kStarts[] = {
    "poststarthook/start-apiserver-admission-initializer",
    "poststarthook/generic-apiserver-start-informers",
    "poststarthook/storage-readiness",
    "poststarthook/start-apiextensions-informers",
    "poststarthook/start-apiextensions-controllers",
    "poststarthook/crd-informer-synced",
    "poststarthook/bootstrap-controller",
    "poststarthook/start-system-namespaces-controller",
    "poststarthook/start-service-ip-repair-controllers",
    "poststarthook/scheduling/bootstrap-system-priority-classes",
    "poststarthook/start-cluster-authentication-info-controller",
    "poststarthook/start-kube-aggregator-informers",
    "poststarthook/apiservice-registration-controller",
    "poststarthook/apiservice-status-local-available-controller",
    "poststarthook/apiservice-status-remote-available-controller",
    "poststarthook/kube-apiserver-autoregistration",
    "autoregister-completion",
    "poststarthook/apiservice-openapi-controller",
};

/// Returns the health checks. All of them pass: the server has no separate store, and its start
/// leaves no work in the background.
std::vector<std::string_view> health_checks_of(std::string_view name) {
    std::vector<std::string_view> checks{"ping", "log", "etcd"};
    if (name == "readyz") {
        checks.insert(checks.end(), {"etcd-readiness", "informer-sync"});
    }
    checks.insert(checks.end(), std::begin(kStarts), std::end(kStarts));
    if (name == "readyz") {
        checks.emplace_back("shutdown");
    }
    return checks;
}

Response text(std::string body) {
    return {.content_type = "text/plain; charset=utf-8", .body = std::move(body)};
}

std::string print_checks(std::string_view name, const Request& request) {
    std::set<std::string, std::less<>> excluded;
    const auto [first, last] = request.query.equal_range("exclude");
    for (auto at = first; at != last; ++at) {
        excluded.insert(at->second);
    }
    std::string lines;
    for (const std::string_view check : health_checks_of(name)) {
        const auto found = excluded.find(check);
        if (found == excluded.end()) {
            lines += fmt::format("[+]{} ok\n", check);
        } else {
            lines += fmt::format("[+]{} excluded: ok\n", check);
            excluded.erase(found);
        }
    }
    if (!excluded.empty()) {
        std::vector<std::string> quoted;
        std::ranges::transform(excluded, std::back_inserter(quoted), [](const std::string& each) {
            return fmt::format("\"{}\"", each);
        });
        lines += fmt::format(
            "warn: some health checks cannot be excluded: no matches for {}\n",
            fmt::join(quoted, ", ")
        );
    }
    return lines + fmt::format("{} check passed\n", name);
}

}  // namespace

std::optional<Response> answer_health(
    const std::vector<std::string>& parts, const Request& request
) {
    constexpr std::string_view kNames[] = {"healthz", "livez", "readyz"};
    if (parts.empty() || std::ranges::find(kNames, parts.front()) == std::end(kNames)) {
        return std::nullopt;
    }
    if (parts.size() == 1) {
        return text(
            request.query.contains("verbose") ? print_checks(parts.front(), request) : "ok"
        );
    }
    const auto checks = health_checks_of(parts.front());
    const std::string check = fmt::format("{}", fmt::join(parts.begin() + 1, parts.end(), "/"));
    const bool is_known = std::ranges::find(checks, check) != checks.end();
    return is_known ? text("ok") : no_page();
}

}  // namespace sluice::apiserver
