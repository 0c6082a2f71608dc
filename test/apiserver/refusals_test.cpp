#include "apiserver/server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <string>

namespace sluice::test {

namespace {

const std::string kMaps(kConfigMaps);
constexpr std::string_view kMerge = "application/merge-patch+json";

struct Row {
    const char* method;
    std::string target;
    const char* body;
    const char* outcome;
};

}  // namespace

TEST_CASE("a CronJob is in a time zone", "[apiserver][refusals]") {
    ServerClient client;
    const auto [zone, is_known] = GENERATE(table<std::string, bool>({
        {"UTC", true},
        {"Etc/UTC", true},
        {"America/Argentina/Buenos_Aires", true},
        {"bad-time-zone", false},
        {"Europe/", false},
        {"Europe/../UTC", false},
        {"Nowhere/City", false},
    }));
    const std::string outcome = client.outcome(
        "POST",
        "/apis/batch/v1/namespaces/default/cronjobs",
        "{metadata: {name: c}, spec: {schedule: '* * * * *', timeZone: '" + zone +
            "', jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: "
            "c, "
            "image: i}]}}}}}}"
    );
    CHECK((outcome == "201") == is_known);
    CHECK((outcome.find("spec.timeZone: Invalid value: ") == std::string::npos) == is_known);
}

TEST_CASE("parameters that the API server does not know are refused", "[apiserver][refusals]") {
    ServerClient client;
    const auto row = GENERATE(
        Row{"POST",
            kMaps + "?dryRun=Some",
            "{metadata: {name: X_}}",
            "422 Invalid: CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: "
            "[\"Some\"]: supported values: \"All\""},
        Row{"POST",
            kMaps + "?fieldValidation=Some",
            "{metadata: {name: x}}",
            "422 Invalid: CreateOptions.meta.k8s.io \"\" is invalid: fieldValidation: Unsupported "
            "value: \"Some\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\""},
        Row{"PUT",
            kMaps + "/x?fieldManager=%07",
            "{metadata: {name: x}}",
            "422 Invalid: UpdateOptions.meta.k8s.io \"\" is invalid: fieldManager: Invalid value: "
            "\"\\u0007\": should only contain printable characters"},
        Row{"DELETE",
            kMaps + "/x?propagationPolicy=Some",
            "",
            "422 Invalid: DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: "
            "Unsupported value: \"Some\": supported values: \"Foreground\", \"Background\", "
            "\"Orphan\", \"nil\""},
        Row{"DELETE",
            kMaps + "/x",
            "{orphanDependents: true, propagationPolicy: Orphan}",
            "422 Invalid: DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Invalid "
            "value: \"Orphan\": orphanDependents and deletionPropagation cannot be both set"},
        Row{"DELETE",
            kMaps + "/x?gracePeriodSeconds=x",
            "",
            "400 BadRequest: strconv.ParseInt: parsing \"x\": invalid syntax"},
        Row{"GET",
            kMaps + "?timeout=abc",
            "",
            "400 BadRequest: invalid timeout specified in the request URL - time: invalid "
            "duration \"abc\""},
        Row{"GET",
            kMaps + "?limit=x",
            "",
            "400 BadRequest: strconv.ParseInt: parsing \"x\": invalid syntax"},
        Row{"GET",
            kMaps + "?resourceVersion=x",
            "",
            "400 BadRequest: invalid resource version: resourceVersion: Invalid value: \"x\": "
            "strconv.ParseUint: parsing \"x\": invalid syntax"},
        Row{"GET",
            kMaps + "?resourceVersionMatch=Exact",
            "",
            "422 Invalid: ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: "
            "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"},
        Row{"GET",
            kMaps + "?labelSelector=a%3D-",
            "",
            "400 BadRequest: unable to parse requirement: values[0][a]: Invalid value: \"-\": a "
            "valid label must be an empty string or consist of alphanumeric characters, '-', '_' "
            "or "
            "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
            "'my_value',  or '12345', regex used for validation is "
            "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"}
    );
    CAPTURE(row.method, row.target);
    CHECK(client.outcome(row.method, row.target, row.body) == row.outcome);
}

TEST_CASE("a version of the future is not waited for", "[apiserver][refusals]") {
    ServerClient client;
    const auto outcome = client.outcome("GET", kMaps + "?resourceVersion=999999");
    CHECK(outcome.starts_with("504 Timeout: Timeout: Too large resource version: 999999, current: ")
    );
    CHECK(client.outcome("GET", kMaps + "/x?resourceVersion=999999").starts_with("504 Timeout: "));
}

TEST_CASE("namespaces of the system stay", "[apiserver][refusals]") {
    ServerClient client;
    CHECK(
        client.outcome("DELETE", "/api/v1/namespaces/kube-system") ==
        "403 Forbidden: namespaces \"kube-system\" is forbidden: this namespace may not be deleted"
    );
    CHECK(client.outcome("GET", "/api/v1/namespaces/kube-system") == "200");
}

TEST_CASE("a pod needs its service account", "[apiserver][refusals]") {
    ServerClient client;
    constexpr const char* kPod =
        "{metadata: {name: p}, spec: {serviceAccountName: robot, containers: [{name: c, image: "
        "i}]}}";
    CHECK(
        client.outcome("POST", kPods, kPod) ==
        "403 Forbidden: pods \"p\" is forbidden: error looking up service account default/robot: "
        "serviceaccount \"robot\" not found"
    );
    client.ask("POST", "/api/v1/namespaces/default/serviceaccounts", "{metadata: {name: robot}}");
    CHECK(client.outcome("POST", kPods, kPod) == "201");
}

TEST_CASE("a new namespace has a service account for its pods", "[apiserver]") {
    ServerClient client;
    client.ask("POST", "/api/v1/namespaces", "{metadata: {name: team}}");
    CHECK(client.outcome("GET", "/api/v1/namespaces/team/serviceaccounts/default") == "200");
}

TEST_CASE("an update of a custom resource names its version", "[apiserver][refusals]") {
    ServerClient client;
    client.ask("POST", kDefinitions, kWidgetDefinition);
    client.ask("POST", kWidgets, "{metadata: {name: w}, spec: {size: 1}}");
    CHECK(
        client.outcome("PUT", std::string(kWidgets) + "/w", "{spec: {size: 2}}") ==
        "422 Invalid: widgets.example.com \"w\" is invalid: metadata.resourceVersion: Invalid "
        "value: 0: must be specified for an update"
    );
}

TEST_CASE("a new object may carry a version, which is not looked at", "[apiserver]") {
    ServerClient client;
    CHECK(
        client.outcome("POST", kConfigMaps, "{metadata: {name: a, resourceVersion: '5'}}") == "201"
    );
    CHECK(client.at(kMaps + "/a", {"metadata", "resourceVersion"}) != "5");
}

TEST_CASE("fields of built-in kinds are known and have their types", "[apiserver][refusals]") {
    ServerClient client;
    CHECK(
        client.outcome("POST", kMaps, "{metadata: {name: a}, data: {k: 1}}") ==
        "400 BadRequest: ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: "
        "cannot "
        "unmarshal number into Go struct field ConfigMap.data of type string"
    );
    apiserver::Request request = apiserver::make_request("POST", kMaps + "?fieldValidation=Strict");
    request.content_type = "application/json";
    request.body = R"({"metadata":{"name":"a"},"foo":1,"data":{"a":"1","a":"2"}})";
    const auto refused = client.server.handle(request, client.now);
    CHECK(refused.status == 400);
    CHECK(
        json::parse(refused.body)->string_at("message") ==
        "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: "
        "unknown field \"foo\", duplicate field \"data.a\""
    );
    request.query.clear();
    const auto warned = client.server.handle(request, client.now);
    CHECK(warned.status == 201);
    CHECK(
        warned.warnings ==
        std::vector<std::string>{"unknown field \"foo\"", "duplicate field \"data.a\""}
    );
    CHECK(json::parse(warned.body)->find("foo") == nullptr);
}

TEST_CASE("what a patch makes must be an object of the kind", "[apiserver][refusals]") {
    ServerClient client;
    client.ask("POST", kMaps, "{metadata: {name: a}}");
    CHECK(client.outcome("PATCH", kMaps + "/a", "{data: {k: 1}}", kMerge)
              .starts_with("422 Invalid:  \"\" is invalid: patch: Invalid value: "));
    CHECK(
        client.outcome("PATCH", kMaps + "/a", "[1]", kMerge) ==
        "400 BadRequest: error decoding patch: json: cannot unmarshal array into Go value of type "
        "map[string]interface {}"
    );
    CHECK(
        client.outcome("PATCH", kMaps + "/a", "{}", "application/json") ==
        "415 UnsupportedMediaType: 415: Unsupported Media Type"
    );
    CHECK(
        client.outcome("PATCH", kMaps + "/a?force=true", "{}", kMerge) ==
        "422 Invalid: PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be "
        "specified for non-apply patch"
    );
}

TEST_CASE("a client that takes no JSON is told so", "[apiserver][refusals]") {
    ServerClient client;
    apiserver::Request request = apiserver::make_request("GET", kMaps);
    request.accept = "text/plain";
    CHECK(client.server.handle(request, client.now).status == 406);
    request.accept = "application/vnd.kubernetes.protobuf, application/json;q=0.5";
    CHECK(client.server.handle(request, client.now).status == 200);
}

TEST_CASE("a path that nothing is at has the answer of its place", "[apiserver][refusals]") {
    ServerClient client;
    CHECK(
        client.outcome("GET", "/api/v1/nothings") ==
        "404 NotFound: the server could not find the requested resource"
    );
    CHECK(client.send("GET", "/apis/none.example.com/v1").body == "404 page not found\n");
}

TEST_CASE("a body of YAML may have a key twice, of which the client is told", "[apiserver]") {
    ServerClient client;
    const auto send = [&](const char* method, const std::string& target, const char* type) {
        apiserver::Request request = apiserver::make_request(method, target);
        request.content_type = type;
        request.body =
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: '1'\n  x: '2'\n";
        return client.server.handle(request, client.now);
    };
    const auto message = [](const apiserver::Response& response) {
        return std::string(json::parse(response.body)->string_at("message"));
    };
    const std::vector<std::string> warning{"line 7: key \"x\" already set in map"};
    SECTION("that is created") {
        const char* type = "application/yaml";
        const auto refused = send("POST", kMaps + "?fieldValidation=Strict", type);
        CHECK(refused.status == 400);
        CHECK(
            message(refused) ==
            "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: "
            "yaml: unmarshal errors:\n  line 7: key \"x\" already set in map"
        );
        const auto made = send("POST", kMaps, type);
        CHECK(made.status == 201);
        CHECK(made.warnings == warning);
        CHECK(client.at(kMaps + "/a", {"data", "x"}) == "2");
    }
    SECTION("that is applied") {
        const char* type = "application/apply-patch+yaml";
        const std::string target = kMaps + "/a?fieldManager=m&fieldValidation=";
        const auto refused = send("PATCH", target + "Strict", type);
        CHECK(refused.status == 400);
        CHECK(
            message(refused) ==
            "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  "
            "line 7: key \"x\" already set in map"
        );
        CHECK(send("PATCH", target + "Warn", type).warnings == warning);
        CHECK(client.at(kMaps + "/a", {"data", "x"}) == "2");
        CHECK(send("PATCH", target + "Warn", type).warnings == warning);
        CHECK(send("PATCH", target + "Ignore", type).warnings.empty());
        CHECK(send("PATCH", target + "Strict", type).status == 400);
    }
}

}  // namespace sluice::test
