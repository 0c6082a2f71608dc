// Credential plugins of a kubeconfig (client.authentication.k8s.io): their fields and output.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::kube {

/// A command that prints credentials, as configured in a kubeconfig's user
/// (client.authentication.k8s.io/v1 and v1beta1, KEP-541). Managed clusters (EKS, GKE, AKS)
/// distribute kubeconfigs with one.
struct ExecPlugin {
    std::string api_version;
    std::string command;  ///< a path, or a name that is looked up in PATH
    std::vector<std::string> arguments;
    std::vector<std::string> environment;  ///< NAME=value, added to this process's environment
    std::string install_hint;              ///< shown to the user if the command does not exist
    /// The cluster's description for the command, if it asks for it (provideClusterInfo); else
    /// null.
    json::Value cluster = {};
};

/// Credentials that a plugin printed. Secret: never log them.
struct ExecCredential {
    std::string token;            ///< "" if the plugin printed no token
    std::string certificate_pem;  ///< "" if the plugin printed none; otherwise there is a key too
    std::string private_key_pem;
    std::optional<Time> expires_at;  ///< if nullopt, valid until the server refuses it
};

/// Reads the field `exec` of a kubeconfig's user. A relative command with a slash is resolved
/// against `folder`. `cluster` is the kubeconfig's cluster. Errors: Invalid naming the field, also
/// if the plugin requires a terminal (interactiveMode Always).
Result<ExecPlugin> read_exec_plugin(
    const json::Value& exec, const json::Value& cluster, const std::string& folder
);

/// Returns the value of the variable KUBERNETES_EXEC_INFO for the command.
std::string make_exec_info(const ExecPlugin& plugin);

/// Parses the output of the command. Errors: Invalid naming the fault, never with a secret in it.
Result<ExecCredential> parse_exec_credential(std::string_view text, const ExecPlugin& plugin);

}  // namespace sluice::kube
