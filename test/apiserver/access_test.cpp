#include "apiserver/access/access.hpp"

#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace sluice::test {

namespace {

constexpr std::string_view kRbac = "/apis/rbac.authorization.k8s.io/v1";

/// A server where bob may look at pods of the namespace default, and at nodes, and the account
/// robot may do what `edit` says.
struct Accesses {
    Accesses() {
        make(
            "namespaces/default/roles",
            "{metadata: {name: looks}, rules: [{apiGroups: [''], resources: [pods, pods/log], "
            "verbs: [get, list]}]}"
        );
        bind("namespaces/default/rolebindings", "looks", "Role", "{kind: User, name: bob}");
        make(
            "clusterroles",
            "{metadata: {name: nodes}, rules: [{apiGroups: [''], resources: [nodes], verbs: "
            "['*'], resourceNames: [n1]}, {nonResourceURLs: ['/metrics/*'], verbs: [get]}]}"
        );
        bind("clusterrolebindings", "nodes", "ClusterRole", "{kind: Group, name: team}");
        bind(
            "namespaces/default/rolebindings",
            "edit",
            "ClusterRole",
            "{kind: ServiceAccount, name: robot, namespace: default}"
        );
    }

    void make(std::string_view collection, std::string_view body) {
        REQUIRE(client.outcome("POST", fmt::format("{}/{}", kRbac, collection), body) == "201");
    }

    void bind(
        std::string_view collection,
        std::string_view role,
        std::string_view kind,
        std::string_view subject
    ) {
        make(
            collection,
            fmt::format(
                "{{metadata: {{name: {}}}, roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: "
                "{}, name: {}}}, subjects: [{}]}}",
                role,
                kind,
                role,
                subject
            )
        );
    }

    /// "yes: REASON" or "no".
    std::string ask(std::string_view who, std::string_view attributes) {
        const json::Value review = client.ask(
            "POST",
            "/apis/authorization.k8s.io/v1/subjectaccessreviews",
            fmt::format("{{spec: {{{}, {}}}}}", who, attributes)
        );
        const json::Value* status = review.find("status");
        REQUIRE(status != nullptr);
        return *status->find("allowed") == json::Value(true)
                   ? fmt::format("yes: {}", status->string_at("reason"))
                   : "no";
    }

    /// What another is told to a request, in whose name the administrator sends it.
    apiserver::Response send_as(
        std::string user, std::string_view method, std::string_view target
    ) {
        apiserver::Request request = apiserver::make_request(method, target);
        request.user = std::move(user);
        request.is_restricted = true;
        return client.server.handle(std::move(request), client.now);
    }

    ServerClient client;
};

}  // namespace

TEST_CASE("reviews of access answer by roles and bindings", "[apiserver][access]") {
    Accesses accesses;
    const auto pods = [](std::string_view verb, std::string_view ns, std::string_view more = "") {
        return fmt::format(
            "resourceAttributes: {{verb: {}, resource: pods, namespace: {}{}}}", verb, ns, more
        );
    };
    CHECK(
        accesses.ask("user: bob", pods("get", "default")) ==
        "yes: RBAC: allowed by RoleBinding \"looks/default\" of Role \"looks\" to User \"bob\""
    );
    CHECK(accesses.ask("user: bob", pods("delete", "default")) == "no");
    CHECK(accesses.ask("user: bob", pods("get", "other")) == "no");
    CHECK(accesses.ask("user: bob", pods("get", "default", ", subresource: log")) != "no");
    CHECK(accesses.ask("user: bob", pods("get", "default", ", subresource: exec")) == "no");
    CHECK(accesses.ask("user: bob", pods("get", "default", ", group: apps")) == "no");
    CHECK(accesses.ask("user: carol", pods("get", "default")) == "no");
    CHECK(accesses.ask("user: carol, groups: ['system:masters']", pods("get", "x")) == "yes: ");
}

TEST_CASE("rules may be about names, groups and paths", "[apiserver][access]") {
    Accesses accesses;
    const auto node = [](std::string_view name) {
        return fmt::format("resourceAttributes: {{verb: get, resource: nodes, name: {}}}", name);
    };
    CHECK(
        accesses.ask("user: carol, groups: [team]", node("n1")) ==
        "yes: RBAC: allowed by ClusterRoleBinding \"nodes\" of ClusterRole \"nodes\" to Group "
        "\"team\""
    );
    CHECK(accesses.ask("user: carol, groups: [team]", node("n2")) == "no");
    CHECK(accesses.ask("user: carol", node("n1")) == "no");
    const std::string path = "nonResourceAttributes: {verb: get, path: /metrics/x}";
    CHECK(accesses.ask("user: carol, groups: [team]", path) != "no");
    CHECK(accesses.ask("user: carol", path) == "no");
}

TEST_CASE("accounts are bound in namespaces, and roles gather others", "[apiserver][access]") {
    Accesses accesses;
    const std::string robot = "user: 'system:serviceaccount:default:robot'";
    const std::string create =
        "resourceAttributes: {verb: create, group: apps, resource: deployments, namespace: "
        "default}";
    CHECK(
        accesses.ask(robot, create) ==
        "yes: RBAC: allowed by RoleBinding \"edit/default\" of ClusterRole \"edit\" to "
        "ServiceAccount \"robot/default\""
    );
    const std::string toys =
        "resourceAttributes: {verb: get, group: example.com, resource: toys, namespace: default}";
    CHECK(accesses.ask(robot, toys) == "no");
    // `edit` gathers `view`, and `view` what has its label.
    accesses.make(
        "clusterroles",
        "{metadata: {name: toys, labels: {rbac.authorization.k8s.io/aggregate-to-view: 'true'}}, "
        "rules: [{apiGroups: [example.com], resources: [toys], verbs: [get]}]}"
    );
    CHECK(accesses.ask(robot, toys) != "no");
}

TEST_CASE("reviews that ask nothing or of nobody are refused", "[apiserver][access]") {
    ServerClient client;
    const auto outcome = [&client](std::string_view spec) {
        return client.outcome(
            "POST",
            "/apis/authorization.k8s.io/v1/subjectaccessreviews",
            fmt::format("{{spec: {{{}}}}}", spec)
        );
    };
    CHECK(outcome("user: bob").starts_with("422 Invalid"));
    CHECK(outcome("resourceAttributes: {verb: get, resource: pods}").starts_with("422 Invalid"));
    CHECK(outcome("user: bob, resourceAttributes: {verb: get, resource: pods}") == "201");
}

TEST_CASE("who is impersonated may do what that user may", "[apiserver][access]") {
    Accesses accesses;
    CHECK(accesses.send_as("bob", "GET", kPods).status == 200);
    CHECK(accesses.send_as("bob", "GET", "/api").status == 200);
    const auto refused = accesses.send_as("bob", "GET", "/api/v1/namespaces/default/secrets/s");
    CHECK(refused.status == 403);
    const auto status = json::parse(refused.body);
    REQUIRE(status.has_value());
    CHECK(
        status->string_at("message") ==
        "secrets \"s\" is forbidden: User \"bob\" cannot get resource \"secrets\" in API group "
        "\"\" in the namespace \"default\""
    );
    CHECK(accesses.send_as("bob", "GET", "/api/v1/nodes").status == 403);
    CHECK(accesses.send_as("bob", "GET", "/metrics").status == 403);
    // What all may do is allowed before it is found out that there is no such version.
    const std::string_view reviews = "/apis/authentication.k8s.io/v1alpha1/selfsubjectreviews";
    CHECK(accesses.send_as("bob", "POST", reviews).status == 404);
    const auto unknown = accesses.send_as("bob", "GET", "/apis/example.com/v1/things");
    CHECK(
        unknown.body.find("cannot list resource \\\"things\\\" in API group \\\"example.com\\\"") !=
        std::string::npos
    );
    CHECK(accesses.client.outcome("GET", "/api/v1/nodes") == "200");
}

TEST_CASE(
    "users are told who they are, and by which rules they may do what", "[apiserver][access]"
) {
    Accesses accesses;
    const json::Value self =
        accesses.client.ask("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}");
    CHECK(
        json::print(*self.find_path({"status", "userInfo", "groups"})) ==
        R"(["system:masters","system:authenticated"])"
    );
    apiserver::Request request =
        apiserver::make_request("POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews");
    request.content_type = "application/json";
    request.body = R"({"spec":{"namespace":"default"}})";
    request.user = "bob";
    request.is_restricted = true;
    const auto answer = accesses.client.server.handle(std::move(request), accesses.client.now);
    CHECK(answer.status == 201);
    CHECK(answer.body.find("pods/log") != std::string::npos);
    CHECK(answer.body.find("selfsubjectaccessreviews") != std::string::npos);
    CHECK(answer.body.find("secrets") == std::string::npos);
}

}  // namespace sluice::test
