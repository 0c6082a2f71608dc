// Reads the address and credentials of an API server from a kubeconfig or a service account.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"
#include "kube/client/exec_plugin.hpp"
#include "net/transport/proxy.hpp"
#include "net/transport/tls.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::kube {

/// Another identity that the client acts as. The server must allow it (verb impersonate).
struct Impersonation {
    std::string user;  ///< "" if the client acts as itself
    std::string uid;
    std::vector<std::string> groups;
    std::map<std::string, std::vector<std::string>> extra;
};

/// The address of an API server, and the credentials for it. Contains secrets: never log it.
struct ClientConfig {
    std::string host;  ///< name, or IP address without brackets
    std::uint16_t port = 443;
    std::string base_path;  ///< precedes every target; has no trailing slash; usually ""
    bool use_tls = true;
    std::optional<net::Proxy> proxy;  ///< if nullopt, connect directly
    net::TlsClientOptions tls;
    std::string bearer_token;
    std::string token_file;          ///< read again when it changes; overrides bearer_token
    std::optional<ExecPlugin> exec;  ///< supplies the token or certificate
    Impersonation impersonate;
    std::string namespace_;  ///< of the context or the pod; "" if unknown
    /// The server uses the product (before the slash) as the default field manager.
    std::string user_agent = "kueue/v0 sluice";
    double qps = -1;  ///< requests a second; negative: no client-side limit
    int burst = 1;
};

/// Returns true if a bearer token would be sent without encryption, so that anybody on the network
/// path could read it and act as its owner.
bool exposes_token(const ClientConfig& config);

/// Reads a kubeconfig. If `context` is "", its current-context is used. Relative file names are
/// resolved against `folder`, the kubeconfig's folder. Errors: Invalid naming the context, cluster,
/// user or field that is missing, unreadable, or not supported by Sluice (auth-provider, username,
/// password).
Result<ClientConfig> load_kubeconfig(
    const json::Value& kubeconfig, std::string_view context, const std::string& folder
);

/// The environment and folder in which a pod finds its service account. Tests set other values.
struct InClusterSource {
    std::map<std::string, std::string>
        environment;  ///< KUBERNETES_SERVICE_HOST and …_PORT are read
    std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// Reads the configuration of a pod. Errors: NotFound outside a cluster; Invalid if the
/// configuration is broken.
Result<ClientConfig> load_in_cluster(const InClusterSource& source);

/// Returns the whole content of a file of at most 4 MiB. Errors: NotFound; Invalid naming the file.
Result<std::string> read_small_file(const std::string& path);

}  // namespace sluice::kube
