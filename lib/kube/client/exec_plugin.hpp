#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::kube {

/// A command that prints credentials, as the user of a kubeconfig names it
/// (client.authentication.k8s.io/v1 and v1beta1, KEP-541). Managed clusters (EKS, GKE, AKS) hand
/// out kubeconfigs with one.
struct ExecPlugin {
    std::string api_version;
    std::string command;  ///< a path, or a name that is looked up in PATH
    std::vector<std::string> arguments;
    std::vector<std::string> environment;  ///< NAME=value, beside this process's own
    std::string install_hint;              ///< for the user, when there is no such command
    /// What the command is told of the cluster when it asks for that (provideClusterInfo); null: it
    /// does not.
    json::Value cluster = {};
};

/// Credentials as a plugin printed them. Secret: never log them.
struct ExecCredential {
    std::string token;            ///< "": none
    std::string certificate_pem;  ///< "": none; else there is a key too
    std::string private_key_pem;
    std::optional<Time> expires_at;  ///< none: good as long as the server takes it
};

/// Reads the field `exec` of a kubeconfig's user. A relative command with a slash counts from
/// `folder`. `cluster` is the kubeconfig's cluster. Errors: Invalid naming the field, also where
/// the plugin must have a terminal (interactiveMode Always).
Result<ExecPlugin> read_exec_plugin(
    const json::Value& exec, const json::Value& cluster, const std::string& folder
);

/// The value of the variable KUBERNETES_EXEC_INFO that the command gets.
std::string make_exec_info(const ExecPlugin& plugin);

/// Reads what the command printed. Errors: Invalid saying what is wrong, never with a secret in it.
Result<ExecCredential> parse_exec_credential(std::string_view text, const ExecPlugin& plugin);

}  // namespace sluice::kube
