#include "server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace sluice::test {

namespace {

constexpr std::string_view kClaims = "/api/v1/namespaces/default/persistentvolumeclaims";
constexpr std::string_view kVolumes = "/api/v1/persistentvolumes";

std::string claim_of(std::string_view more) {
    return fmt::format(
        "{{metadata: {{name: data}}, spec: {{accessModes: [ReadWriteOnce], resources: {{requests: "
        "{{storage: 1Gi}}}}, {}}}}}",
        more
    );
}

/// A server with the claim `data`, and a pod that uses it.
struct Claimed {
    Claimed() {
        REQUIRE(client.outcome("POST", kClaims, claim_of("volumeMode: Block")) == "201");
        REQUIRE(
            client.outcome(
                "POST",
                kPods,
                "{metadata: {name: user}, spec: {containers: [{name: c, image: i}], volumes: "
                "[{name: d, persistentVolumeClaim: {claimName: data}}]}}"
            ) == "201"
        );
    }
    void bind() {
        const std::string binding = fmt::format("{}/user/binding", kPods);
        REQUIRE(client.outcome("POST", binding, "{target: {name: node}}") == "201");
    }
    std::string claim() { return client.outcome("GET", claim_path); }

    ServerClient client;
    const std::string claim_path = fmt::format("{}/data", kClaims);
    const std::string pod_path = fmt::format("{}/user", kPods);
};

}  // namespace

TEST_CASE("a claim goes when no pod on a node uses it", "[apiserver][volumes]") {
    Claimed claimed;
    CHECK(
        claimed.client.at(claimed.claim_path, {"metadata", "finalizers"}) ==
        R"(["kubernetes.io/pvc-protection"])"
    );
    SECTION("a pod without a node holds it not back") {
        claimed.client.ask("DELETE", claimed.claim_path);
        CHECK(claimed.claim().starts_with("404"));
    }
    SECTION("a pod holds it back until it is gone, ended or not") {
        claimed.bind();
        claimed.client.ask("DELETE", claimed.claim_path);
        CHECK(claimed.claim() == "200");
        CHECK_FALSE(claimed.client.at(claimed.claim_path, {"metadata", "deletionTimestamp"}).empty()
        );
        claimed.client.ask(
            "PATCH",
            claimed.pod_path + "/status",
            "{status: {phase: Succeeded}}",
            "application/merge-patch+json"
        );
        CHECK(claimed.claim() == "200");
        claimed.client.ask("DELETE", claimed.pod_path);
        CHECK(claimed.claim().starts_with("404"));
    }
    SECTION("one that is killed goes with it") {
        claimed.bind();
        claimed.client.ask("DELETE", claimed.claim_path);
        claimed.client.ask("DELETE", claimed.pod_path, "{gracePeriodSeconds: 0}");
        CHECK(claimed.claim().starts_with("404"));
    }
    SECTION("all go with their namespace") {
        claimed.client.ask("POST", "/api/v1/namespaces", "{metadata: {name: other}}");
        const std::string claims = "/api/v1/namespaces/other/persistentvolumeclaims";
        REQUIRE(claimed.client.outcome("POST", claims, claim_of("volumeMode: Block")) == "201");
        claimed.client.ask("DELETE", "/api/v1/namespaces/other");
        CHECK(claimed.client.outcome("GET", "/api/v1/namespaces/other").starts_with("404"));
    }
}

TEST_CASE("a volume goes when no claim has it", "[apiserver][volumes]") {
    ServerClient client;
    const std::string path = fmt::format("{}/v", kVolumes);
    REQUIRE(
        client.outcome(
            "POST",
            kVolumes,
            "{metadata: {name: v}, spec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, "
            "hostPath: {path: /x}}}"
        ) == "201"
    );
    const auto set_phase = [&](std::string_view phase) {
        client.ask(
            "PATCH",
            path + "/status",
            fmt::format("{{status: {{phase: {}}}}}", phase),
            "application/merge-patch+json"
        );
    };
    set_phase("Bound");
    client.ask("DELETE", path);
    CHECK(client.outcome("GET", path) == "200");
    set_phase("Released");
    CHECK(client.outcome("GET", path).starts_with("404"));
}

TEST_CASE("claims that cannot be met are refused", "[apiserver][volumes]") {
    struct Row {
        const char* more;
        const char* what;
    };
    const auto row = GENERATE(
        Row{"accessModes: []",
            "spec.accessModes: Required value: at least 1 access mode is required"},
        Row{"accessModes: [ReadWriteOncePod, ReadWriteMany]",
            "spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"},
        Row{"resources: {}", "spec.resources[storage]: Required value"},
        Row{"resources: {requests: {storage: '0'}}",
            "spec.resources[storage]: Invalid value: \"0\": must be greater than zero"},
        Row{"volumeMode: Odd",
            "spec.volumeMode: Unsupported value: \"Odd\": supported values: \"Block\", "
            "\"Filesystem\""},
        Row{"dataSource: {kind: PersistentVolumeClaim}",
            "[spec.dataSource.name: Required value, spec.dataSourceRef.name: Required value]"}
    );
    ServerClient client;
    CAPTURE(row.more);
    std::string body = "{metadata: {name: data}, spec: {";
    const std::string_view more = row.more;
    body += more.starts_with("accessModes") ? "" : "accessModes: [ReadWriteOnce], ";
    body += more.starts_with("resources") ? "" : "resources: {requests: {storage: 1Gi}}, ";
    body += more;
    CHECK(
        client.outcome("POST", kClaims, body + "}}") ==
        fmt::format("422 Invalid: PersistentVolumeClaim \"data\" is invalid: {}", row.what)
    );
}

TEST_CASE("a claim that has no volume keeps what it asks for", "[apiserver][volumes]") {
    Claimed claimed;
    const auto patch = [&claimed](std::string_view body) {
        return claimed.client.outcome(
            "PATCH", claimed.claim_path, body, "application/merge-patch+json"
        );
    };
    constexpr std::string_view kMore = "{spec: {resources: {requests: {storage: 2Gi}}}}";
    CHECK(patch(kMore).starts_with(
        "422 Invalid: PersistentVolumeClaim \"data\" is invalid: spec: Forbidden: spec is "
        "immutable after creation except"
    ));
    CHECK(patch("{spec: {volumeName: v}}") == "200");
    claimed.client.ask(
        "PATCH",
        claimed.claim_path + "/status",
        "{status: {phase: Bound, capacity: {storage: 1Gi}}}",
        "application/merge-patch+json"
    );
    CHECK(patch(kMore) == "200");
    CHECK(
        patch("{spec: {resources: {requests: {storage: 1Gi}}}}") ==
        "422 Invalid: PersistentVolumeClaim \"data\" is invalid: "
        "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"
    );
}

TEST_CASE("the claims of a StatefulSet are among the volumes of its pods", "[apiserver][volumes]") {
    ServerClient client;
    const auto create = [&client](std::string_view spec) {
        return client.outcome(
            "POST",
            "/apis/apps/v1/namespaces/default/statefulsets",
            fmt::format(
                "{{metadata: {{name: db}}, spec: {{selector: {{matchLabels: {{a: b}}}}, template: "
                "{{metadata: {{labels: {{a: b}}}}, spec: {{hostname: Odd_, containers: [{{name: "
                "c, image: i, volumeMounts: [{{name: data, mountPath: /d}}]}}]}}}}, {}}}}}",
                spec
            )
        );
    };
    CHECK(
        create("replicas: 1").find("volumeMounts[0].name: Not found: \"data\"") != std::string::npos
    );
    CHECK(
        create("volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: "
               "[ReadWriteOnce]}}]") ==
        "422 Invalid: StatefulSet.apps \"db\" is invalid: "
        "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value"
    );
    CHECK(
        create("volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: "
               "[ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]") == "201"
    );
}

TEST_CASE("a claim may be written again, and be given a class", "[apiserver][volumes]") {
    ServerClient client;
    const std::string path = fmt::format("{}/copy", kClaims);
    const std::string body =
        "{metadata: {name: copy}, spec: {accessModes: [ReadWriteOnce], resources: {requests: "
        "{storage: 1Gi}}, dataSource: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, "
        "name: s}}}";
    REQUIRE(client.outcome("POST", kClaims, body) == "201");
    CHECK(client.outcome("PUT", path, body) == "200");
    const auto patch = [&](std::string_view text) {
        return client.outcome("PATCH", path, text, "application/merge-patch+json");
    };
    CHECK(patch("{spec: {storageClassName: fast}}") == "200");
    CHECK(patch("{spec: {storageClassName: slow}}").starts_with("422"));
}

TEST_CASE("where a volume is stays as it was", "[apiserver][volumes]") {
    ServerClient client;
    REQUIRE(
        client.outcome(
            "POST",
            kVolumes,
            "{metadata: {name: v}, spec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, "
            "hostPath: {path: /x}}}"
        ) == "201"
    );
    const auto patch = [&client](std::string_view text) {
        return client.outcome(
            "PATCH", fmt::format("{}/v", kVolumes), text, "application/merge-patch+json"
        );
    };
    CHECK(patch("{spec: {persistentVolumeReclaimPolicy: Delete}}") == "200");
    CHECK(patch("{spec: {hostPath: {path: /y}}}").find("immutable") != std::string::npos);
    CHECK(patch("{spec: {volumeMode: Block}}").find("field is immutable") != std::string::npos);
}

}  // namespace sluice::test
