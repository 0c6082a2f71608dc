#include "serving/access_reviews.hpp"

#include "json/value.hpp"

#include <chrono>
#include <string_view>
#include <utility>

namespace sluice::serving {

namespace {

constexpr Duration kKeepRefused = std::chrono::seconds(10);
constexpr const char* kAuthentication = "authentication.k8s.io";
constexpr const char* kAuthorization = "authorization.k8s.io";

json::Value make_review(std::string_view group, std::string_view kind, json::Value spec) {
    return json::Object{
        {"apiVersion", std::string(group) + "/v1"},
        {"kind", kind},
        {"spec", std::move(spec)},
    };
}

json::Value print_texts(const std::vector<std::string>& texts) {
    json::Array printed;
    for (const std::string& text : texts) {
        printed.emplace_back(text);
    }
    return printed;
}

std::vector<std::string> read_texts(const json::Value* texts) {
    std::vector<std::string> read;
    if (texts == nullptr || !texts->is_array()) {
        return read;
    }
    for (const json::Value& text : texts->as_array()) {
        if (text.is_string()) {
            read.emplace_back(text.as_string());
        }
    }
    return read;
}

User read_user(const json::Value& given) {
    User user{
        .name = std::string(given.string_at("username")),
        .uid = std::string(given.string_at("uid")),
        .groups = read_texts(given.find("groups")),
        .extra = {},
    };
    const json::Value* extra = given.find("extra");
    if (extra != nullptr && extra->is_object()) {
        for (const auto& [name, values] : extra->as_object()) {
            user.extra.emplace(name, read_texts(&values));
        }
    }
    return user;
}

json::Value make_attributes(const Access& access) {
    json::Value attributes = json::Object{{"verb", access.verb}};
    for (const auto& [name, value] : {
             std::pair{"path", &access.path},
             std::pair{"group", &access.group},
             std::pair{"version", &access.version},
             std::pair{"resource", &access.resource},
             std::pair{"subresource", &access.subresource},
             std::pair{"namespace", &access.ns},
             std::pair{"name", &access.name},
         }) {
        if (!value->empty()) {
            attributes.set(name, *value);
        }
    }
    return attributes;
}

json::Value make_access_spec(const User& user, const Access& access) {
    json::Value spec = json::Object{{"user", user.name}};
    if (!user.uid.empty()) {
        spec.set("uid", user.uid);
    }
    if (!user.groups.empty()) {
        spec.set("groups", print_texts(user.groups));
    }
    if (!user.extra.empty()) {
        json::Value extra = json::Object{};
        for (const auto& [name, values] : user.extra) {
            extra.set(name, print_texts(values));
        }
        spec.set("extra", std::move(extra));
    }
    spec.set(
        access.path.empty() ? "resourceAttributes" : "nonResourceAttributes",
        make_attributes(access)
    );
    return spec;
}

bool is_true(const json::Value& review, std::string_view member) {
    const json::Value* value = review.find_path({"status", member});
    return value != nullptr && value->is_bool() && value->as_bool();
}

/// Creates a review and returns it with its status. Errors: those of the client; Invalid if the
/// answer is not JSON.
kube::Async<json::Value> create_review(
    kube::Client* client, std::string group, std::string plural, std::string body
) {
    kube::ResourcePath path;
    path.group = std::move(group);
    path.version = "v1";
    path.plural = std::move(plural);
    const auto answer = co_await client->create(std::move(path), std::move(body));
    if (!answer) {
        co_return answer.error();
    }
    co_return json::parse(*answer);
}

}  // namespace

kube::Async<std::optional<User>> AccessReviews::identify(std::string token) {
    if (const auto* known = users_.find(token, clock_.instant())) {
        co_return *known;
    }
    auto review =
        json::print(make_review(kAuthentication, "TokenReview", json::Object{{"token", token}}));
    const auto answer =
        co_await create_review(&client_, kAuthentication, "tokenreviews", std::move(review));
    if (!answer) {
        co_return answer.error();
    }
    const json::Value* given = answer->find_path({"status", "user"});
    std::optional<User> user;
    if (is_true(*answer, "authenticated") && given != nullptr) {
        user = read_user(*given);
    }
    users_.keep(std::move(token), user, clock_.instant(), user ? keep_granted_ : kKeepRefused);
    co_return user;
}

kube::Async<AccessVerdict> AccessReviews::judge(User user, Access access) {
    auto review = json::print(
        make_review(kAuthorization, "SubjectAccessReview", make_access_spec(user, access))
    );
    if (const auto* known = verdicts_.find(review, clock_.instant())) {
        co_return *known;
    }
    std::string body = review;
    const auto answer =
        co_await create_review(&client_, kAuthorization, "subjectaccessreviews", std::move(body));
    if (!answer) {
        co_return answer.error();
    }
    AccessVerdict verdict{.allowed = is_true(*answer, "allowed"), .reason = {}};
    if (const json::Value* status = answer->find("status")) {
        verdict.reason = status->string_at("reason");
    }
    const Duration length = verdict.allowed ? keep_granted_ : kKeepRefused;
    verdicts_.keep(std::move(review), verdict, clock_.instant(), length);
    co_return verdict;
}

}  // namespace sluice::serving
