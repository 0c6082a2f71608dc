#include "kube/client/exec_plugin.hpp"

#include "api/meta/micro_time.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace sluice::kube {

namespace {

constexpr std::array<std::string_view, 2> kVersions = {
    "client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"
};

/// The fields of a kubeconfig's cluster that a plugin receives.
constexpr std::array<std::string_view, 5> kClusterFields = {
    "server",
    "tls-server-name",
    "insecure-skip-tls-verify",
    "certificate-authority-data",
    "proxy-url",
};

/// The extension of the cluster whose content a plugin receives as `config`.
constexpr std::string_view kExtension = "client.authentication.k8s.io/exec";

Result<std::vector<std::string>> read_arguments(const json::Value& exec) {
    std::vector<std::string> arguments;
    const json::Value* args = exec.find("args");
    if (args == nullptr || args->is_null()) {
        return arguments;
    }
    if (!args->is_array()) {
        return make_invalid("args: must be a list of strings");
    }
    for (const json::Value& argument : args->as_array()) {
        if (!argument.is_string()) {
            return make_invalid("args: must be a list of strings");
        }
        arguments.push_back(argument.as_string());
    }
    return arguments;
}

Result<std::vector<std::string>> read_environment(const json::Value& exec) {
    std::vector<std::string> environment;
    const json::Value* env = exec.find("env");
    if (env == nullptr || env->is_null()) {
        return environment;
    }
    if (!env->is_array()) {
        return make_invalid("env: must be a list of names and values");
    }
    for (const json::Value& entry : env->as_array()) {
        const std::string_view name = entry.string_at("name");
        if (name.empty() || name.find('=') != std::string_view::npos) {
            return make_invalid("env: each entry needs a name");
        }
        environment.push_back(fmt::format("{}={}", name, entry.string_at("value")));
    }
    return environment;
}

json::Value describe_cluster(const json::Value& cluster) {
    json::Value described = json::Object{};
    for (const std::string_view field : kClusterFields) {
        if (const json::Value* value = cluster.find(field)) {
            described.set(field, *value);
        }
    }
    const json::Value* extensions = cluster.find("extensions");
    if (extensions != nullptr && extensions->is_array()) {
        for (const json::Value& entry : extensions->as_array()) {
            const json::Value* content = entry.find("extension");
            if (entry.string_at("name") == kExtension && content != nullptr) {
                described.set("config", *content);
            }
        }
    }
    return described;
}

Result<void> check_mode(const json::Value& exec, std::string_view api_version) {
    const std::string_view mode = exec.string_at("interactiveMode");
    if (mode == "Always") {
        return make_invalid("interactiveMode: Always needs a terminal, which plugins lack");
    }
    if (mode.empty() && api_version == kVersions.front()) {
        return make_invalid("interactiveMode: is not set");
    }
    if (!mode.empty() && mode != "Never" && mode != "IfAvailable") {
        return make_invalid(
            fmt::format("interactiveMode: \"{}\" is not one of Never, IfAvailable, Always", mode)
        );
    }
    return {};
}

}  // namespace

Result<ExecPlugin> read_exec_plugin(
    const json::Value& exec, const json::Value& cluster, const std::string& folder
) {
    if (!exec.is_object()) {
        return make_invalid("must be a map of fields");
    }
    ExecPlugin plugin;
    plugin.api_version = std::string(exec.string_at("apiVersion"));
    if (plugin.api_version != kVersions[0] && plugin.api_version != kVersions[1]) {
        return make_invalid(fmt::format(
            "apiVersion: \"{}\" is neither {} nor {}",
            plugin.api_version,
            kVersions[0],
            kVersions[1]
        ));
    }
    plugin.command = std::string(exec.string_at("command"));
    if (plugin.command.empty()) {
        return make_invalid("command: is not set");
    }
    const bool is_relative =
        !plugin.command.starts_with('/') && plugin.command.find('/') != std::string::npos;
    if (is_relative && !folder.empty()) {
        plugin.command = folder + "/" + plugin.command;
    }
    if (auto allowed = check_mode(exec, plugin.api_version); !allowed) {
        return allowed.error();
    }
    auto arguments = read_arguments(exec);
    if (!arguments) {
        return arguments.error();
    }
    auto environment = read_environment(exec);
    if (!environment) {
        return environment.error();
    }
    plugin.arguments = std::move(*arguments);
    plugin.environment = std::move(*environment);
    plugin.install_hint = std::string(exec.string_at("installHint"));
    const json::Value* provides = exec.find("provideClusterInfo");
    if (provides != nullptr && provides->is_bool() && provides->as_bool()) {
        plugin.cluster = describe_cluster(cluster);
    }
    return plugin;
}

std::string make_exec_info(const ExecPlugin& plugin) {
    json::Value spec = json::Object{{"interactive", false}};
    if (plugin.cluster.is_object()) {
        spec.set("cluster", plugin.cluster);
    }
    return json::print(json::Object{
        {"kind", "ExecCredential"},
        {"apiVersion", plugin.api_version},
        {"spec", std::move(spec)},
    });
}

Result<ExecCredential> parse_exec_credential(std::string_view text, const ExecPlugin& plugin) {
    const auto answer = json::parse(text);
    if (!answer) {
        // The text may contain a token, and an error with a position would quote a part of it.
        return make_invalid("it printed no JSON");
    }
    if (answer->string_at("kind") != "ExecCredential" ||
        answer->string_at("apiVersion") != plugin.api_version) {
        return make_invalid(fmt::format("it printed no ExecCredential of {}", plugin.api_version));
    }
    const json::Value* status = answer->find("status");
    if (status == nullptr || !status->is_object()) {
        return make_invalid("it printed no status");
    }
    ExecCredential credential{
        .token = std::string(status->string_at("token")),
        .certificate_pem = std::string(status->string_at("clientCertificateData")),
        .private_key_pem = std::string(status->string_at("clientKeyData")),
        .expires_at = std::nullopt,
    };
    if (credential.certificate_pem.empty() != credential.private_key_pem.empty()) {
        return make_invalid("it printed a certificate or a key, not both");
    }
    if (credential.token.empty() && credential.certificate_pem.empty()) {
        return make_invalid("it printed neither a token nor a certificate");
    }
    // Blanks or line ends in a token would forge header lines.
    if (credential.token.find_first_of("\r\n \t") != std::string::npos) {
        return make_invalid("its token has blanks or line ends");
    }
    const std::string_view expiration = status->string_at("expirationTimestamp");
    if (!expiration.empty()) {
        const auto expires_at = api::parse_time(expiration);
        if (!expires_at) {
            return make_invalid("its expirationTimestamp is not a time");
        }
        credential.expires_at = *expires_at;
    }
    return credential;
}

}  // namespace sluice::kube
