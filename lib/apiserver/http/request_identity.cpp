#include "apiserver/http/request_identity.hpp"

#include "apiserver/access/access.hpp"
#include "apiserver/access/account_token.hpp"
#include "apiserver/subresources/token_requests.hpp"
#include "apiserver/types/failures.hpp"
#include "base/printable.hpp"
#include "base/sha256.hpp"
#include "net/transport/url.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {

namespace {

Error unauthorized() {
    return make_failure(401, "Unauthorized", "Unauthorized", {});
}

void become(Request& request, Subject subject) {
    request.user = std::move(subject.user);
    request.groups = std::move(subject.groups);
    request.uid = std::move(subject.uid);
    request.extra = std::move(subject.extra);
    request.is_restricted = true;
}

std::string in_small_letters(std::string text) {
    for (char& c : text) {
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

/// Returns the user to impersonate; nullopt if the request does not impersonate anybody. Errors:
/// BadRequest if the user name is missing.
Result<std::optional<Subject>> find_impersonated(const net::HttpHeaders& headers) {
    constexpr std::string_view kExtra = "impersonate-extra-";
    Subject subject{
        .user = to_utf8(net::find_header(headers, "Impersonate-User")),
        .groups = {},
        .uid = to_utf8(net::find_header(headers, "Impersonate-Uid")),
    };
    for (const std::string_view group : net::find_headers(headers, "Impersonate-Group")) {
        subject.groups.push_back(to_utf8(group));
    }
    for (const net::HttpHeader& header : headers) {
        const std::string name = in_small_letters(header.name);
        if (name.starts_with(kExtra)) {
            const std::string key = net::percent_decode(name.substr(kExtra.size()));
            subject.extra[to_utf8(key)].push_back(to_utf8(header.value));
        }
    }
    if (!subject.user.empty()) {
        return std::optional(std::move(subject));
    }
    if (!subject.groups.empty() || !subject.uid.empty() || !subject.extra.empty()) {
        return bad_request("requested groups, uid or extra without impersonating a user");
    }
    return std::optional<Subject>();
}

/// Returns the second word if the first is `Bearer` in upper or lower case; else "".
std::string_view bearer_token(std::string_view authorization) {
    const std::size_t blank = authorization.find(' ');
    if (blank == std::string_view::npos ||
        in_small_letters(std::string(authorization.substr(0, blank))) != "bearer") {
        return "";
    }
    const std::string_view rest = authorization.substr(blank + 1);
    return rest.substr(0, rest.find(' '));
}

}  // namespace

Result<void> identify(
    const State& state, const net::HttpHeaders& headers, Time now, Request& request
) {
    const std::string_view token = bearer_token(net::find_header(headers, "Authorization"));
    if (token.empty()) {
        return unauthorized();
    }
    if (!is_equal_secret(token, state.administrator_token)) {
        auto holder = identify_account(state, token, {std::string(kTokenIssuer)}, now);
        if (!holder) {
            return unauthorized();
        }
        become(request, std::move(*holder));
    }
    auto impersonated = find_impersonated(headers);
    if (!impersonated) {
        return impersonated.error();
    }
    if (std::optional<Subject>& subject = *impersonated; subject.has_value()) {
        const Subject impersonator = subject_of(request);
        become(request, std::move(*subject));
        if (auto fault = find_impersonation_fault(state, impersonator, request)) {
            return *fault;
        }
    }
    return {};
}

}  // namespace sluice::apiserver
