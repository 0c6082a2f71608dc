#include "serving/delegated_authorization.hpp"

#include "base/log.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <utility>

namespace sluice::serving {

namespace {

constexpr Duration kKeepGranted = std::chrono::minutes(1);
constexpr Duration kKeepRefused = std::chrono::seconds(10);
/// Scrapers are few; those who try many tokens drive out each other's answers.
constexpr std::size_t kKeptMax = 256;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kUnknown = 500;

/// The token of `Bearer <token>`, or "".
std::string find_token(const net::HttpHeaders& headers) {
    constexpr std::string_view kScheme = "bearer ";
    const std::string_view value = net::find_header(headers, "authorization");
    const bool is_bearer =
        value.size() > kScheme.size() &&
        std::ranges::equal(value.substr(0, kScheme.size()), kScheme, {}, [](unsigned char c) {
            return std::tolower(c);
        });
    return is_bearer ? std::string(value.substr(kScheme.size())) : std::string();
}

std::string to_verb(std::string_view method) {
    std::string verb(method);
    std::ranges::transform(verb, verb.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return verb;
}

json::Value make_review(std::string_view group, std::string_view kind, json::Value spec) {
    return json::Object{
        {"apiVersion", std::string(group) + "/v1"},
        {"kind", kind},
        {"spec", std::move(spec)},
    };
}

/// What a SubjectAccessReview asks about the user of a TokenReview.
json::Value make_access_spec(
    const json::Value& user, const std::string& verb, const std::string& path
) {
    json::Value spec = json::Object{
        {"user", user.string_at("username")},
        {"uid", user.string_at("uid")},
        {"nonResourceAttributes", json::Object{{"path", path}, {"verb", verb}}},
    };
    for (const char* member : {"groups", "extra"}) {
        if (const json::Value* value = user.find(member)) {
            spec.set(member, *value);
        }
    }
    return spec;
}

bool is_true(const json::Value& review, std::string_view member) {
    const json::Value* value = review.find_path({"status", member});
    return value != nullptr && value->is_bool() && value->as_bool();
}

/// Errors: those of the client, and of an answer that cannot be read.
kube::Async<json::Value> create_review(
    kube::Client* client, std::string group, std::string plural, json::Value review
) {
    kube::ResourcePath path;
    path.group = std::move(group);
    path.version = "v1";
    path.plural = std::move(plural);
    auto body = json::print(review);
    const auto answer = co_await client->create(std::move(path), std::move(body));
    if (!answer) {
        co_return answer.error();
    }
    co_return json::parse(*answer);
}

}  // namespace

kube::Async<DelegatedAuthorization::Answer> DelegatedAuthorization::ask(
    std::string token, std::string verb, std::string path
) {
    constexpr const char* kAuthentication = "authentication.k8s.io";
    constexpr const char* kAuthorization = "authorization.k8s.io";
    auto review = make_review(kAuthentication, "TokenReview", json::Object{{"token", token}});
    const auto known =
        co_await create_review(&client_, kAuthentication, "tokenreviews", std::move(review));
    if (!known) {
        co_return known.error();
    }
    const json::Value* user = known->find_path({"status", "user"});
    if (!is_true(*known, "authenticated") || user == nullptr) {
        co_return Answer{.status = kUnauthorized, .why = "Unauthorized", .until = {}};
    }
    review =
        make_review(kAuthorization, "SubjectAccessReview", make_access_spec(*user, verb, path));
    const auto access =
        co_await create_review(&client_, kAuthorization, "subjectaccessreviews", std::move(review));
    if (!access) {
        co_return access.error();
    }
    if (!is_true(*access, "allowed")) {
        std::string why =
            "Authorization denied for user " + std::string(user->string_at("username"));
        co_return Answer{.status = kForbidden, .why = std::move(why), .until = {}};
    }
    co_return Answer{};
}

void DelegatedAuthorization::keep(std::string key, Answer answer) {
    std::erase_if(kept_, [now = clock_.instant()](const auto& entry) {
        return entry.second.until <= now;
    });
    while (kept_.size() >= kKeptMax) {
        kept_.erase(std::ranges::min_element(kept_, {}, [](const auto& entry) {
            return entry.second.until;
        }));
    }
    kept_.insert_or_assign(std::move(key), std::move(answer));
}

boost::asio::awaitable<std::optional<net::ServerResponse>> DelegatedAuthorization::judge(
    std::string token, std::string method, std::string path
) {
    if (token.empty()) {
        co_return net::ServerResponse{.status = kUnauthorized, .body = "Unauthorized\n"};
    }
    const std::string verb = to_verb(method);
    std::string key = verb + " " + path + " " + token;
    auto found = kept_.find(key);
    if (found == kept_.end() || found->second.until <= clock_.instant()) {
        auto asked = co_await ask(std::move(token), verb, std::move(path));
        if (!asked) {
            log::warning("a client could not be authorized", {{"error", asked.error().detail}});
            co_return net::ServerResponse{.status = kUnknown, .body = "Authentication failed\n"};
        }
        asked->until = clock_.instant() + (asked->status == 200 ? kKeepGranted : kKeepRefused);
        keep(key, std::move(*asked));
        found = kept_.find(key);
    }
    if (found->second.status == 200) {
        co_return std::nullopt;
    }
    co_return net::ServerResponse{.status = found->second.status, .body = found->second.why + "\n"};
}

boost::asio::awaitable<net::ServerResponse> AuthorizedHandler::handle(net::ServerRequest request) {
    std::string token = find_token(request.headers);
    std::string path(request.path());
    std::string method = request.method;
    auto refusal =
        co_await authorization_.judge(std::move(token), std::move(method), std::move(path));
    if (refusal) {
        co_return std::move(*refusal);
    }
    co_return co_await inner_->handle(std::move(request));
}

}  // namespace sluice::serving
