#include "apiserver/access.hpp"

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

TEST_CASE("nobody grants what is not theirs", "[apiserver][access]") {
    Accesses accesses;
    accesses.make(
        "namespaces/default/roles",
        "{metadata: {name: grants}, rules: [{apiGroups: [rbac.authorization.k8s.io], resources: "
        "[roles, rolebindings], verbs: [create, update, patch]}]}"
    );
    accesses.bind("namespaces/default/rolebindings", "grants", "Role", "{kind: User, name: bob}");
    const auto post = [&accesses](std::string_view plural, std::string body) {
        apiserver::Request request =
            apiserver::make_request("POST", fmt::format("{}/namespaces/default/{}", kRbac, plural));
        request.user = "bob";
        request.is_restricted = true;
        request.content_type = "application/yaml";
        request.body = std::move(body);
        const auto response =
            accesses.client.server.handle(std::move(request), accesses.client.now);
        const auto status = json::parse(response.body);
        REQUIRE(status);
        return response.status < 300 ? fmt::to_string(response.status)
                                     : std::string(status->string_at("message"));
    };
    const auto role = [&post](std::string_view name, std::string_view rules) {
        return post("roles", fmt::format("{{metadata: {{name: {}}}, rules: [{}]}}", name, rules));
    };
    CHECK(role("less", "{apiGroups: [''], resources: [pods], verbs: [get]}") == "201");
    CHECK(
        role("more", "{apiGroups: ['', apps], resources: [pods], verbs: [get, delete]}") ==
        "roles.rbac.authorization.k8s.io \"more\" is forbidden: user \"bob\" "
        "(groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not currently "
        "held:\n{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"delete\"]}\n"
        "{APIGroups:[\"apps\"], Resources:[\"pods\"], Verbs:[\"get\" \"delete\"]}"
    );
    const auto binding = [&post](
                             std::string_view name, std::string_view kind, std::string_view to
                         ) {
        return post(
            "rolebindings",
            fmt::format(
                "{{metadata: {{name: {}}}, roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: "
                "{}, name: {}}}, subjects: [{{kind: User, name: carol}}]}}",
                name,
                kind,
                to
            )
        );
    };
    constexpr std::string_view kGranting =
        "is attempting to grant RBAC permissions not currently held";
    CHECK(binding("own", "Role", "looks") == "201");
    CHECK(binding("all", "ClusterRole", "cluster-admin").find(kGranting) != std::string::npos);
    CHECK(binding("gathered", "ClusterRole", "admin").find(kGranting) != std::string::npos);
    CHECK(
        binding("none", "Role", "nowhere") ==
        "rolebindings.rbac.authorization.k8s.io \"nowhere\" not found"
    );
    accesses.make(
        "namespaces/default/roles",
        "{metadata: {name: escalates}, rules: [{apiGroups: [rbac.authorization.k8s.io], resources: "
        "[roles], verbs: [escalate]}]}"
    );
    accesses.bind(
        "namespaces/default/rolebindings", "escalates", "Role", "{kind: User, name: bob}"
    );
    CHECK(role("any", "{apiGroups: ['*'], resources: ['*'], verbs: ['*']}") == "201");
}

TEST_CASE("rights are not granted by numbers or by updates", "[apiserver][access]") {
    Accesses accesses;
    accesses.make(
        "clusterroles",
        "{metadata: {name: writes}, rules: [{apiGroups: [rbac.authorization.k8s.io], resources: "
        "[clusterroles], verbs: [create, patch]}]}"
    );
    accesses.bind("clusterrolebindings", "writes", "ClusterRole", "{kind: User, name: bob}");
    const auto send = [&accesses](std::string_view method, std::string target, std::string body) {
        apiserver::Request request = apiserver::make_request(method, target);
        request.user = "bob";
        request.is_restricted = true;
        request.content_type =
            method == "PATCH" ? "application/merge-patch+json" : "application/json";
        request.body = std::move(body);
        return accesses.client.server.handle(std::move(request), accesses.client.now).status;
    };
    const std::string roles = fmt::format("{}/clusterroles", kRbac);
    // However long a rule is, the one after it counts.
    std::string resources;
    for (int i = 0; i < 10'001; ++i) {
        resources += fmt::format(R"({}"r{}")", i == 0 ? "" : ",", i);
    }
    CHECK(
        send(
            "POST",
            roles,
            R"({"metadata": {"name": "long"}, "rules": [{"apiGroups": [""], "resources": [)" +
                resources + R"(], "verbs": ["get"]},
                {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]})"
        ) == 403
    );
    // A label may make a role part of another one.
    accesses.make(
        "clusterroles",
        "{metadata: {name: big}, rules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]}"
    );
    CHECK(send("PATCH", roles + "/big", R"({"metadata": {"labels": {"a": "b"}}})") == 403);
    accesses.make(
        "clusterroles",
        "{metadata: {name: gathers}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: "
        "b}}]}, rules: []}"
    );
    CHECK(send("PATCH", roles + "/gathers", R"({"aggregationRule": null})") == 403);
    CHECK(send("PATCH", roles + "/writes", R"({"metadata": {"labels": {"a": "c"}}})") == 200);
    // What the garbage collector needs is free.
    CHECK(send("PATCH", roles + "/big", R"({"metadata": {"finalizers": ["a.b/c"]}})") == 200);
}

}  // namespace sluice::test
