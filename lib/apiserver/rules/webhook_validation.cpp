#include "apiserver/rules/webhook_validation.hpp"

#include "api/meta/names.hpp"
#include "apiserver/objects/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::string_view kForm = "; desired format: https://host[/path]";

/// The parts of a URL; a missing part is empty.
struct UrlParts {
    std::string_view scheme;
    std::string_view user;
    std::string_view host;
    std::string_view query;
    std::string_view fragment;
};

/// Removes the first `mark` and the text after it; returns the text after it.
std::string_view split_off(std::string_view& text, char mark) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) {
        return {};
    }
    const std::string_view rest = text.substr(at + 1);
    text = text.substr(0, at);
    return rest;
}

UrlParts split_url(std::string_view text) {
    UrlParts parts;
    parts.fragment = split_off(text, '#');
    parts.query = split_off(text, '?');
    const std::size_t scheme = text.find("://");
    if (scheme == std::string_view::npos) {
        return parts;
    }
    parts.scheme = text.substr(0, scheme);
    text.remove_prefix(scheme + 3);
    std::string_view authority = text.substr(0, text.find('/'));
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
        parts.user = authority.substr(0, at);
        authority.remove_prefix(at + 1);
    }
    parts.host = authority;
    return parts;
}

void check_url(Causes& causes, const std::string& path, std::string_view url) {
    if (url.starts_with(':')) {
        causes.push_back(api::FieldError::required(
            path,
            fmt::format(
                "url must be a valid URL: parse \"{}\": missing protocol scheme{}", url, kForm
            )
        ));
        return;
    }
    const UrlParts parts = split_url(url);
    const bool is_https = std::ranges::equal(
        parts.scheme, std::string_view("https"), {}, [](unsigned char c) { return std::tolower(c); }
    );
    if (!is_https) {
        causes.push_back(api::FieldError::invalid(
            path, parts.scheme, fmt::format("'https' is the only allowed URL scheme{}", kForm)
        ));
    }
    if (parts.host.empty()) {
        causes.push_back(api::FieldError::invalid(
            path, parts.host, fmt::format("host must be specified{}", kForm)
        ));
    }
    const auto check_absent = [&](std::string_view part, std::string_view named) {
        if (!part.empty()) {
            causes.push_back(api::FieldError::invalid(
                path, part, fmt::format("{} not permitted in the URL", named)
            ));
        }
    };
    check_absent(parts.user, "user information is");
    check_absent(parts.fragment, "fragments are");
    check_absent(parts.query, "query parameters are");
}

void check_service_path(Causes& causes, const std::string& path, std::string_view text) {
    if (text.empty() || text == "/") {
        return;
    }
    if (text == "//") {
        causes.push_back(api::FieldError::invalid(path, text, "segment[0] may not be empty"));
        return;
    }
    if (!text.starts_with('/')) {
        causes.push_back(api::FieldError::invalid(path, text, "must start with a '/'"));
    }
    std::string_view left = text.substr(1);
    if (left.ends_with('/')) {
        left.remove_suffix(1);
    }
    for (std::size_t i = 0;; ++i) {
        const std::size_t slash = left.find('/');
        const std::string_view segment = left.substr(0, slash);
        if (segment.empty()) {
            causes.push_back(
                api::FieldError::invalid(path, text, fmt::format("segment[{}] may not be empty", i))
            );
        } else {
            for (const auto& problem : api::find_dns1123_subdomain_problems(segment)) {
                causes.push_back(
                    api::FieldError::invalid(path, text, fmt::format("segment[{}]: {}", i, problem))
                );
            }
        }
        if (slash == std::string_view::npos) {
            return;
        }
        left.remove_prefix(slash + 1);
    }
}

void check_service_reference(Causes& causes, const std::string& path, const Value& service) {
    // The API server swaps the two fields in these messages.
    if (service.string_at("namespace").empty()) {
        causes.push_back(api::FieldError::required(path + ".name"));
    }
    if (service.string_at("name").empty()) {
        causes.push_back(api::FieldError::required(path + ".namespace"));
    }
    check_service_path(causes, path + ".path", service.string_at("path"));
    constexpr std::int64_t kDefaultPort = 443;
    const std::int64_t port = int_at(service, "port", kDefaultPort);
    if (port < 1 || port > 65535) {
        causes.push_back(api::FieldError::invalid(
            path + ".port", port, "port is not valid: must be between 1 and 65535, inclusive"
        ));
    }
}

/// Requires that the list is not empty, and that it has no other items if it contains `*`.
void check_with_wildcard(
    Causes& causes, const std::string& path, const Value& list, std::string_view others
) {
    const auto& items = items_of(&list);
    if (items.empty()) {
        causes.push_back(api::FieldError::required(path));
    } else if (items.size() > 1 && std::ranges::find(items, Value("*")) != items.end()) {
        causes.push_back(api::FieldError::invalid(
            path, list, fmt::format("if '*' is present, must not specify other {}", others)
        ));
    }
}

void check_operations(Causes& causes, const std::string& path, const Value& list) {
    static const std::vector<std::string> kOperations{"*", "CONNECT", "CREATE", "DELETE", "UPDATE"};
    check_with_wildcard(causes, path, list, "operations");
    const auto& items = items_of(&list);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const bool is_known =
            items[i].is_string() &&
            std::ranges::find(kOperations, items[i].as_string()) != kOperations.end();
        if (!is_known) {
            causes.push_back(api::FieldError::not_supported(
                fmt::format("{}[{}]", path, i), items[i], kOperations
            ));
        }
    }
}

void check_api_versions(Causes& causes, const std::string& path, const Value& list) {
    check_with_wildcard(causes, path, list, "API versions");
    const auto& items = items_of(&list);
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i] == Value("")) {
            causes.push_back(api::FieldError::required(fmt::format("{}[{}]", path, i)));
        }
    }
}

/// Checks resources: `pods`, `pods/status`, `pods/*`, `*`, `*/status` or `*/*`. No entry may cover
/// another one.
class ResourceRule {
  public:
    ResourceRule(Causes& causes, std::string path) : causes_(causes), path_(std::move(path)) {}

    void check(const Value& list) {
        const auto& items = items_of(&list);
        if (items.empty()) {
            causes_.push_back(api::FieldError::required(path_));
            return;
        }
        for (std::size_t i = 0; i < items.size(); ++i) {
            check_one(
                fmt::format("{}[{}]", path_, i), items[i].is_string() ? items[i].as_string() : ""
            );
        }
        if (items.size() > 1 && has_all_) {
            causes_.push_back(api::FieldError::invalid(
                path_, list, "if '*/*' is present, must not specify other resources"
            ));
        }
        if (has_wildcard_ && has_plain_) {
            causes_.push_back(api::FieldError::invalid(
                path_,
                list,
                "if '*' is present, must not specify other resources without subresources"
            ));
        }
    }

  private:
    void check_one(const std::string& field, std::string_view text) {
        if (text.empty()) {
            causes_.push_back(api::FieldError::required(field));
            return;
        }
        has_all_ = has_all_ || text == "*/*";
        has_wildcard_ = has_wildcard_ || text == "*";
        const std::size_t slash = text.find('/');
        if (slash == std::string_view::npos) {
            // Only the last plain resource counts, as in the API server.
            has_plain_ = text != "*";
            return;
        }
        const std::string resource(text.substr(0, slash));
        const std::string subresource(text.substr(slash + 1));
        if (of_all_subresources_.contains(resource)) {
            refuse(field, text, resource + "/*");
        }
        if (of_all_resources_.contains(subresource)) {
            refuse(field, text, "*/" + subresource);
        }
        if (subresource == "*") {
            of_all_subresources_.insert(resource);
        }
        if (resource == "*") {
            of_all_resources_.insert(subresource);
        }
    }

    void refuse(const std::string& field, std::string_view text, std::string_view covering) {
        causes_.push_back(api::FieldError::invalid(
            field, text, fmt::format("if '{}' is present, must not specify {}", covering, text)
        ));
    }

    Causes& causes_;
    std::string path_;
    bool has_all_ = false;
    bool has_wildcard_ = false;
    bool has_plain_ = false;
    std::set<std::string> of_all_subresources_;
    std::set<std::string> of_all_resources_;
};

void check_webhook_name(Causes& causes, const std::string& path, std::string_view name) {
    if (name.empty()) {
        causes.push_back(api::FieldError::required(path));
        return;
    }
    const auto problems = api::find_dns1123_subdomain_problems(name);
    add_problems(causes, path, name, problems);
    if (problems.empty() && std::ranges::count(name, '.') < 2) {
        causes.push_back(api::FieldError::invalid(
            path, name, "should be a domain with at least three segments separated by dots"
        ));
    }
}

void check_webhook(Causes& causes, const std::string& path, const Value& webhook) {
    check_webhook_name(causes, path + ".name", webhook.string_at("name"));
    check_admission_rules(causes, path + ".rules", webhook.find("rules"));
    if (const Value& effects = member_or_null(webhook, "sideEffects"); effects.is_null()) {
        causes.push_back(api::FieldError::required(
            path + ".sideEffects", "must specify one of None, NoneOnDryRun"
        ));
    } else if (effects != Value("None") && effects != Value("NoneOnDryRun")) {
        causes.push_back(
            api::FieldError::not_supported(path + ".sideEffects", effects, {"None", "NoneOnDryRun"})
        );
    }
    check_one_of(causes, path, webhook, "failurePolicy", {"Fail", "Ignore"});
    check_one_of(causes, path, webhook, "matchPolicy", {"Equivalent", "Exact"});
    check_one_of(causes, path, webhook, "reinvocationPolicy", {"IfNeeded", "Never"});
    check_label_selector(causes, path + ".namespaceSelector", webhook.find("namespaceSelector"));
    check_label_selector(causes, path + ".objectSelector", webhook.find("objectSelector"));
    check_condition_names(causes, path + ".matchConditions", webhook.find("matchConditions"));
    const Value& versions = member_or_null(webhook, "admissionReviewVersions");
    if (items_of(&versions).empty()) {
        causes.push_back(api::FieldError::required(
            path + ".admissionReviewVersions", "must specify one of v1, v1beta1"
        ));
    } else {
        check_review_versions(causes, path + ".admissionReviewVersions", versions);
    }
    check_webhook_client(causes, path + ".clientConfig", member_or_null(webhook, "clientConfig"));
    const auto seconds = int_at(webhook, "timeoutSeconds", 10);
    if (seconds < 1 || seconds > 30) {
        causes.push_back(api::FieldError::invalid(
            path + ".timeoutSeconds", seconds, "the timeout value must be between 1 and 30 seconds"
        ));
    }
}

}  // namespace

void check_webhook_client(Causes& causes, const std::string& path, const Value& client) {
    const Value* url = client.find("url");
    const Value* service = client.find("service");
    if ((url == nullptr) == (service == nullptr)) {
        causes.push_back(
            api::FieldError::required(path, "exactly one of url or service is required")
        );
    } else if (url != nullptr) {
        check_url(causes, path + ".url", client.string_at("url"));
    } else {
        check_service_reference(causes, path + ".service", *service);
    }
}

void check_review_versions(Causes& causes, const std::string& path, const Value& versions) {
    std::set<std::string> seen;
    bool has_known = false;
    const auto& items = items_of(&versions);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string version = items[i].is_string() ? items[i].as_string() : "";
        const std::string field = fmt::format("{}[{}]", path, i);
        if (!seen.insert(version).second) {
            causes.push_back(api::FieldError::invalid(field, items[i], "duplicate version"));
            continue;
        }
        has_known = has_known || version == "v1" || version == "v1beta1";
        check_dns1035_label(causes, field, version);
    }
    if (!has_known) {
        causes.push_back(
            api::FieldError::invalid(path, versions, "must include at least one of v1, v1beta1")
        );
    }
}

void check_admission_rules(Causes& causes, const std::string& path, const Value* rules) {
    const auto& items = items_of(rules);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string here = fmt::format("{}[{}]", path, i);
        const auto part = [&](std::string_view name) -> const Value& {
            return member_or_null(items[i], name);
        };
        check_operations(causes, here + ".operations", part("operations"));
        check_with_wildcard(causes, here + ".apiGroups", part("apiGroups"), "API groups");
        check_api_versions(causes, here + ".apiVersions", part("apiVersions"));
        ResourceRule(causes, here + ".resources").check(part("resources"));
        check_one_of(causes, here, items[i], "scope", {"*", "Cluster", "Namespaced"});
    }
}

void check_condition_names(Causes& causes, const std::string& path, const Value* conditions) {
    std::set<std::string_view> names;
    const auto& items = items_of(conditions);
    for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string field = fmt::format("{}[{}].name", path, i);
        const std::string_view name = items[i].string_at("name");
        if (name.empty()) {
            causes.push_back(api::FieldError::required(field));
            continue;
        }
        check_qualified_name(causes, field, name);
        if (!names.insert(name).second) {
            causes.push_back(api::FieldError::duplicate(field, name));
        }
    }
}

void check_webhooks(Causes& causes, const Value& configuration) {
    const auto& webhooks = items_of(configuration.find("webhooks"));
    std::set<std::string> names;
    for (std::size_t i = 0; i < webhooks.size(); ++i) {
        const std::string here = fmt::format("webhooks[{}]", i);
        check_webhook(causes, here, webhooks[i]);
        const std::string name(webhooks[i].string_at("name"));
        if (!name.empty() && !names.insert(name).second) {
            causes.push_back(api::FieldError::duplicate(here + ".name", name));
        }
    }
}

}  // namespace sluice::apiserver
