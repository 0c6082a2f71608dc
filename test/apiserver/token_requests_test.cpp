#include "apiserver/subresources/token_requests.hpp"

#include "apiserver/access/account_token.hpp"
#include "apiserver/http/request_identity.hpp"
#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <chrono>
#include <string>
#include <string_view>

namespace sluice::test {

namespace {

constexpr std::string_view kAccount = "/api/v1/namespaces/default/serviceaccounts/robot";
constexpr std::string_view kSecret = "of-the-administrator";

/// A server with the account robot, and what its tokens are good for.
struct Accounts {
    Accounts() : client({.administrator_token = std::string(kSecret)}) {
        make("/api/v1/namespaces/default/serviceaccounts", "{metadata: {name: robot}}");
    }

    void make(std::string_view collection, std::string_view body) {
        REQUIRE(client.outcome("POST", collection, body) == "201");
    }

    std::string outcome(std::string_view spec) {
        return client.outcome("POST", fmt::format("{}/token", kAccount), request(spec));
    }

    std::string token(std::string_view spec = "{}") {
        const json::Value answer =
            client.ask("POST", fmt::format("{}/token", kAccount), request(spec));
        const json::Value* token = answer.find_path({"status", "token"});
        REQUIRE(token != nullptr);
        return token->as_string();
    }

    static std::string request(std::string_view spec) {
        return fmt::format(
            "{{kind: TokenRequest, apiVersion: authentication.k8s.io/v1, spec: {}}}", spec
        );
    }

    /// "USER", or the error of the review.
    std::string review(std::string_view token, std::string_view audiences = "[]") {
        const json::Value answer = client.ask(
            "POST",
            "/apis/authentication.k8s.io/v1/tokenreviews",
            fmt::format("{{spec: {{token: '{}', audiences: {}}}}}", token, audiences)
        );
        const json::Value* status = answer.find("status");
        REQUIRE(status != nullptr);
        const json::Value* user = status->find_path({"user", "username"});
        return user == nullptr ? std::string(status->string_at("error")) : user->as_string();
    }

    /// "USER GROUP…" whose a request with these headers is, or its refusal.
    std::string identity(const net::HttpHeaders& headers) {
        apiserver::Request request;
        const auto done = apiserver::identify(client.server.state(), headers, client.now, request);
        if (!done) {
            return done.error().detail;
        }
        std::string text = request.user;
        for (const std::string& group : request.groups) {
            text += " " + group;
        }
        return text;
    }

    ServerClient client;
};

net::HttpHeader bearer(std::string_view token) {
    return {"Authorization", fmt::format("Bearer {}", token)};
}

constexpr std::string_view kRobot = "system:serviceaccount:default:robot";

}  // namespace

TEST_CASE("a service account has tokens that say whose they are", "[apiserver][tokens]") {
    Accounts accounts;
    const std::string token = accounts.token();
    CHECK(accounts.review(token) == kRobot);
    CHECK(accounts.token() != token);
    const auto read = apiserver::read_account_token(token, "another key");
    REQUIRE_FALSE(read);
    CHECK(read.error().detail == "the signature is not that of this server");
    CHECK(
        accounts.identity({bearer(token)}) ==
        fmt::format(
            "{} system:serviceaccounts system:serviceaccounts:default system:authenticated", kRobot
        )
    );
    CHECK(accounts.identity({bearer(kSecret)}) == "kubernetes-admin");
    CHECK(accounts.review(kSecret) == "kubernetes-admin");
}

TEST_CASE("nobody comes in with what is no token", "[apiserver][tokens]") {
    Accounts accounts;
    const std::string token = accounts.token();
    std::string changed = token;
    changed[changed.find('.') + 5] ^= 1;
    for (const std::string& bad :
         {std::string(),
          std::string("a.b.c"),
          std::string(".."),
          token.substr(0, token.rfind('.')),
          token + "A",
          changed,
          std::string(100'000, '.')}) {
        CHECK(accounts.identity({bearer(bad)}) == "Unauthorized");
    }
    CHECK(accounts.identity({}) == "Unauthorized");
    // The scheme may be written in any letters, and what follows the token is passed over.
    CHECK(accounts.identity({{"Authorization", "bearer " + token}}).starts_with(kRobot));
    CHECK(accounts.identity({{"Authorization", "Bearer " + token + " x"}}).starts_with(kRobot));
    CHECK(accounts.identity({{"Authorization", "Basic " + token}}) == "Unauthorized");
    CHECK(accounts.review("a.b.c") == "invalid bearer token");
    // A server without an administrator's token lets nobody in with an empty one.
    ServerClient open;
    apiserver::Request request;
    CHECK_FALSE(
        apiserver::identify(open.server.state(), {bearer("")}, open.now, request).has_value()
    );
    open.ask("POST", "/api/v1/namespaces/default/serviceaccounts", "{metadata: {name: robot}}");
    const json::Value known =
        open.ask("POST", fmt::format("{}/token", kAccount), Accounts::request("{}"));
    const std::string signed_by_nobody(known.find("status")->string_at("token"));
    CHECK_FALSE(
        apiserver::identify(open.server.state(), {bearer(signed_by_nobody)}, open.now, request)
            .has_value()
    );
}

TEST_CASE("a token ends with its time and its account", "[apiserver][tokens]") {
    Accounts accounts;
    const std::string token = accounts.token("{expirationSeconds: 600}");
    accounts.client.now += std::chrono::seconds(599);
    CHECK(accounts.review(token) == kRobot);
    accounts.client.now += std::chrono::seconds(1);
    CHECK(accounts.review(token) == "[invalid bearer token, service account token has expired]");
    const std::string second = accounts.token();
    CHECK(accounts.client.outcome("DELETE", kAccount) == "200");
    CHECK(accounts.review(second) == "[invalid bearer token, serviceaccounts \"robot\" not found]");
    accounts.make("/api/v1/namespaces/default/serviceaccounts", "{metadata: {name: robot}}");
    CHECK(accounts.review(second).starts_with("[invalid bearer token, service account UID ("));
    CHECK(accounts.identity({bearer(second)}) == "Unauthorized");
}

TEST_CASE("a token is for its audiences", "[apiserver][tokens]") {
    Accounts accounts;
    const std::string token = accounts.token("{audiences: [vault, registry]}");
    CHECK(accounts.review(token, "[registry, other]") == kRobot);
    CHECK(
        accounts.review(token) ==
        "[invalid bearer token, token audiences [\"vault\" \"registry\"] is invalid for the target "
        "audiences [\"https://kubernetes.default.svc\"]]"
    );
    CHECK(accounts.identity({bearer(token)}) == "Unauthorized");
}

TEST_CASE("a token ends with what it is bound to", "[apiserver][tokens]") {
    Accounts accounts;
    const auto bound = [](std::string_view reference) {
        return fmt::format("{{boundObjectRef: {}}}", reference);
    };
    CHECK(
        accounts.outcome(bound("{kind: Secret, apiVersion: v1, name: s}")) ==
        "404 NotFound: secrets \"s\" not found"
    );
    CHECK(
        accounts.outcome(bound("{kind: ConfigMap, apiVersion: v1, name: s}")) ==
        "400 BadRequest: cannot bind token to object of type /v1, Kind=ConfigMap"
    );
    accounts.make("/api/v1/namespaces/default/secrets", "{metadata: {name: s}}");
    CHECK(accounts.outcome(bound("{kind: Secret, apiVersion: v1, name: s, uid: x}"))
              .starts_with("409 Conflict: Operation cannot be fulfilled on Secret \"s\": the UID in"
              ));
    const std::string token = accounts.token(bound("{kind: Secret, apiVersion: v1, name: s}"));
    CHECK(accounts.review(token) == kRobot);
    CHECK(accounts.client.outcome("DELETE", "/api/v1/namespaces/default/secrets/s") == "200");
    CHECK(
        accounts.review(token) ==
        "[invalid bearer token, service account token has been invalidated]"
    );
    accounts.make(kPods, "{metadata: {name: p}, spec: {containers: [{name: c, image: i}]}}");
    CHECK(accounts.outcome(bound("{kind: Pod, apiVersion: v1, name: p}"))
              .starts_with("400 BadRequest: cannot bind token for serviceaccount \"robot\" to pod")
    );
}

TEST_CASE("requests for tokens that make no sense are refused", "[apiserver][tokens]") {
    Accounts accounts;
    CHECK(
        accounts.outcome("{expirationSeconds: 599}") ==
        "422 Invalid: TokenRequest.authentication.k8s.io \"\" is invalid: "
        "spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 "
        "minutes"
    );
    CHECK(
        accounts.outcome("{expirationSeconds: 4294967297}")
            .find("may not specify a duration larger than 2^32 seconds") != std::string::npos
    );
    CHECK(
        accounts.client.outcome(
            "POST", "/api/v1/namespaces/default/serviceaccounts/none/token", Accounts::request("{}")
        ) == "404 NotFound: serviceaccounts \"none\" not found"
    );
    CHECK(
        accounts.client.outcome(
            "POST",
            fmt::format("{}/token", kAccount),
            "{kind: TokenRequest, apiVersion: authentication.k8s.io/v1, metadata: {name: other}}"
        ) ==
        "422 Invalid: TokenRequest.authentication.k8s.io \"robot\" is invalid: metadata.name: "
        "Invalid value: \"other\": must match the service account name if specified"
    );
    CHECK(
        accounts.client.outcome(
            "POST",
            "/apis/authentication.k8s.io/v1/tokenreviews",
            "{kind: TokenReview, apiVersion: authentication.k8s.io/v1, spec: {}}"
        ) == "400 BadRequest: token is required for TokenReview in authentication"
    );
    CHECK(accounts.client.outcome("GET", fmt::format("{}/token", kAccount))
              .starts_with("405 MethodNotAllowed"));
}

TEST_CASE("an account impersonates whom a role lets it", "[apiserver][tokens]") {
    Accounts accounts;
    const std::string token = accounts.token();
    const auto as = [&](std::string name, std::string value) {
        return accounts.identity({bearer(token), {std::move(name), std::move(value)}});
    };
    CHECK(
        as("Impersonate-User", "bob") ==
        fmt::format(
            "users \"bob\" is forbidden: User \"{}\" cannot impersonate resource \"users\" in API "
            "group \"\" at the cluster scope",
            kRobot
        )
    );
    CHECK(
        as("Impersonate-User", "system:serviceaccount:other:x")
            .find("resource \"serviceaccounts\" in API group \"\" in the namespace \"other\"") !=
        std::string::npos
    );
    for (const char* const odd :
         {"system:serviceaccount:default",
          "system:serviceaccount:default:",
          "system:serviceaccount:default:a:b"}) {
        CHECK(as("Impersonate-User", odd).find("resource \"users\"") != std::string::npos);
    }
    CHECK(
        as("Impersonate-Group", "system:masters") ==
        "requested groups, uid or extra without impersonating a user"
    );
    accounts.make(
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        "{metadata: {name: acts}, rules: [{apiGroups: [''], resources: [users], verbs: "
        "[impersonate], resourceNames: [bob]}]}"
    );
    accounts.make(
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        "{metadata: {name: acts}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: "
        "ClusterRole, name: acts}, subjects: [{kind: ServiceAccount, name: robot, namespace: "
        "default}]}"
    );
    CHECK(as("Impersonate-User", "bob") == "bob");
    CHECK(accounts
              .identity(
                  {bearer(token),
                   {"Impersonate-User", "bob"},
                   {"Impersonate-Group", "system:masters"}}
              )
              .starts_with("groups \"system:masters\" is forbidden"));
    CHECK(
        accounts
            .identity(
                {bearer(token), {"Impersonate-User", "bob"}, {"impersonate-extra-Scope", "all"}}
            )
            .find("cannot impersonate resource \"userextras/scope\" in API group "
                  "\"authentication.k8s.io\"") != std::string::npos
    );
    CHECK(
        accounts.identity({bearer(kSecret), {"Impersonate-User", "bob"}, {"Impersonate-Uid", "7"}}
        ) == "bob"
    );
}

}  // namespace sluice::test
