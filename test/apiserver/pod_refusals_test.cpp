#include "server_client.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

// What the volumes, probes, variables and security contexts of pods must not say.
namespace sluice::test {

namespace {

struct Row {
    const char* said;
    const char* what;  ///< from the field on; "": it is accepted
};

/// What is said to a pod with this beside its containers, from the first field on; "" for one that
/// is made.
std::string outcome_of(std::string_view spec) {
    ServerClient client;
    const std::string said =
        client.outcome("POST", kPods, fmt::format("{{metadata: {{name: p}}, spec: {{{}}}}}", spec));
    constexpr std::string_view kBefore = "422 Invalid: Pod \"p\" is invalid: spec.";
    return said == "201" ? "" : said.starts_with(kBefore) ? said.substr(kBefore.size()) : said;
}

std::string outcome_of_container(std::string_view container) {
    constexpr std::string_view kBefore = "containers[0].";
    const std::string said =
        outcome_of(fmt::format("containers: [{{name: c, image: i, {}}}]", container));
    return said.starts_with(kBefore) ? said.substr(kBefore.size()) : said;
}

}  // namespace

TEST_CASE("volumes say where their content comes from", "[apiserver][pods]") {
    const auto row = GENERATE(
        Row{"emptyDir: {}", ""},
        Row{"hostPath: {path: ''}", "hostPath.path: Required value"},
        Row{"hostPath: {path: /a/../b}",
            "hostPath.path: Invalid value: \"/a/../b\": must not contain '..'"},
        Row{"configMap: {}", "configMap.name: Required value"},
        Row{"configMap: {name: a, defaultMode: 512}",
            "configMap.defaultMode: Invalid value: 512: must be a number between 0 and 0777 "
            "(octal), both inclusive"},
        Row{"configMap: {name: a, items: [{key: k, path: ../x}]}",
            "configMap.items[0].path: Invalid value: \"../x\": must not contain '..'"},
        Row{"hostPath: {path: /a}, emptyDir: {}",
            "hostPath: Forbidden: may not specify more than 1 volume type"},
        Row{"emptyDir: {}, iscsi: {targetPortal: a, iqn: b, lun: 0}",
            "iscsi: Forbidden: may not specify more than 1 volume type"},
        Row{"persistentVolumeClaim: {claimName: ''}",
            "persistentVolumeClaim.claimName: Required value"},
        Row{"projected: {sources: [{configMap: {name: a}, secret: {name: b}}]}",
            "projected.sources[0]: Forbidden: may not specify more than 1 volume type per source"},
        Row{"downwardAPI: {items: [{path: a, fieldRef: {fieldPath: status.podIP}}]}",
            "downwardAPI.fieldRef.fieldPath: Unsupported value: \"status.podIP\": supported "
            "values: \"metadata.annotations\", \"metadata.labels\", \"metadata.name\", "
            "\"metadata.namespace\", \"metadata.uid\""}
    );
    CAPTURE(row.said);
    const std::string said = outcome_of(
        fmt::format("containers: [{{name: c, image: i}}], volumes: [{{name: v, {}}}]", row.said)
    );
    const std::string what = row.what;
    CHECK(said == (what.empty() ? what : "volumes[0]." + what));
}

TEST_CASE("probes do one thing, in times that can be", "[apiserver][pods]") {
    const auto row = GENERATE(
        Row{"livenessProbe: {exec: {command: [a]}}", ""},
        Row{"livenessProbe: {}", "livenessProbe: Required value: must specify a handler type"},
        Row{"livenessProbe: {exec: {command: [a]}, tcpSocket: {port: 1}}",
            "livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type"},
        Row{"livenessProbe: {exec: {command: [a]}, periodSeconds: -1}",
            "livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0"},
        Row{"livenessProbe: {exec: {command: [a]}, successThreshold: 2}",
            "livenessProbe.successThreshold: Invalid value: 2: must be 1"},
        Row{"readinessProbe: {exec: {command: [a]}, successThreshold: 2}", ""},
        Row{"livenessProbe: {httpGet: {port: 0}}",
            "livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive"},
        Row{"lifecycle: {preStop: {sleep: {seconds: 31}}}",
            "lifecycle.preStop.sleep: Invalid value: 31: must be non-negative and less than "
            "terminationGracePeriodSeconds (30)"}
    );
    CAPTURE(row.said);
    CHECK(outcome_of_container(row.said) == row.what);
}

TEST_CASE("only init containers that go on have probes", "[apiserver][pods]") {
    const auto init = [](std::string_view more) {
        return outcome_of(fmt::format(
            "containers: [{{name: c, image: i}}], initContainers: [{{name: d, image: i, "
            "livenessProbe: {{exec: {{command: [a]}}}}{}}}]",
            more
        ));
    };
    CHECK(
        init("") ==
        "initContainers[0].livenessProbe: Forbidden: may not be set for init containers without "
        "restartPolicy=Always"
    );
    CHECK(init(", restartPolicy: Always").empty());
}

TEST_CASE("variables take their values from what there is", "[apiserver][pods]") {
    const auto row = GENERATE(
        Row{"env: [{name: a, valueFrom: {fieldRef: {fieldPath: 'metadata.labels[''x'']'}}}]", ""},
        Row{"env: [{name: a, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]", ""},
        Row{"env: [{name: a, valueFrom: {fieldRef: {fieldPath: "
            "'metadata.annotations[''A.b/C'']'}}}]",
            ""},
        Row{"env: [{name: a, valueFrom: {fieldRef: {fieldPath: spec.host}}}]", ""},
        Row{"env: [{name: a, valueFrom: {fieldRef: {fieldPath: 'metadata.name[''x'']'}}}]",
            "env[0].valueFrom.fieldRef: Invalid value: \"metadata.name\": does not support "
            "subscript"},
        Row{"env: [{name: a, valueFrom: {}}]",
            "env[0].valueFrom: Invalid value: \"\": must specify one of: `fieldRef`, "
            "`resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"},
        Row{"env: [{name: a, valueFrom: {secretKeyRef: {name: x}}}]",
            "env[0].valueFrom.secretKeyRef.key: Required value"},
        Row{"env: [{name: a, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 3}}}]",
            "env[0].valueFrom.resourceFieldRef.divisor: Invalid value: \"limits.cpu\": only "
            "divisor's values 1m and 1 are supported with the cpu resource"},
        Row{"envFrom: [{}]",
            "envFrom: Invalid value: \"\": must specify one of: `configMapRef` or `secretRef`"}
    );
    CAPTURE(row.said);
    CHECK(outcome_of_container(row.said) == row.what);
}

TEST_CASE("security contexts do not contradict themselves", "[apiserver][pods]") {
    CHECK(outcome_of_container("securityContext: {runAsUser: 0}").empty());
    CHECK(
        outcome_of_container("securityContext: {runAsUser: -1}") ==
        "securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive"
    );
    CHECK(
        outcome_of_container("securityContext: {seccompProfile: {type: Localhost}}") ==
        "securityContext.seccompProfile.localhostProfile: Required value: must be set when "
        "seccomp type is Localhost"
    );
    CHECK(
        outcome_of_container("securityContext: {privileged: true, allowPrivilegeEscalation: false}")
            .ends_with("cannot set `allowPrivilegeEscalation` to false and `privileged` to true")
    );
    CHECK(
        outcome_of(
            "containers: [{name: c, image: i}], securityContext: {supplementalGroups: [1, -1]}"
        ) ==
        "securityContext.supplementalGroups[1]: Invalid value: -1: must be between 0 and "
        "2147483647, inclusive"
    );
}

TEST_CASE("pods find others by addresses and names", "[apiserver][pods]") {
    const auto row = GENERATE(
        Row{"dnsPolicy: None, dnsConfig: {nameservers: [1.1.1.1]}", ""},
        Row{"dnsPolicy: None",
            "dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"},
        Row{"dnsConfig: {nameservers: [x]}",
            "dnsConfig.nameservers[0]: Invalid value: \"x\": must be a valid IP address, (e.g. "
            "10.9.8.7 or 2001:db8::ffff)"},
        Row{"hostUsers: false, hostNetwork: true",
            "hostNetwork: Forbidden: when `hostUsers` is false"},
        Row{"os: {name: odd}",
            "os: Unsupported value: \"odd\": supported values: \"linux\", \"windows\""}
    );
    CAPTURE(row.said);
    CHECK(outcome_of(fmt::format("containers: [{{name: c, image: i}}], {}", row.said)) == row.what);
}

TEST_CASE("what a whole pod asks for makes its quality of service", "[apiserver][pods]") {
    ServerClient client;
    const auto quality = [&client](std::string_view name, std::string_view resources) {
        client.ask(
            "POST",
            kPods,
            fmt::format(
                "{{metadata: {{name: {}}}, spec: {{containers: [{{name: c, image: i}}], resources: "
                "{{{}}}}}}}",
                name,
                resources
            )
        );
        return client.at(fmt::format("{}/{}", kPods, name), {"status", "qosClass"});
    };
    CHECK(quality("a", "requests: {cpu: 1}") == "Burstable");
    CHECK(quality("b", "limits: {cpu: 1, memory: 1Gi}") == "Guaranteed");
}

}  // namespace sluice::test
