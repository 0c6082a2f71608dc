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

/// Another identity that the client asks to act as; the server must allow it (verb impersonate).
struct Impersonation {
    std::string user;  ///< "": none
    std::string uid;
    std::vector<std::string> groups;
    std::map<std::string, std::vector<std::string>> extra;
};

/// How to reach an API server, and the credentials for it. Holds secrets: never log it.
struct ClientConfig {
    std::string host;  ///< name or IP address without brackets
    std::uint16_t port = 443;
    std::string base_path;  ///< before every target, without a slash at its end; usually ""
    bool use_tls = true;
    std::optional<net::Proxy> proxy;  ///< none: the server is reached directly
    net::TlsClientOptions tls;
    std::string bearer_token;
    std::string token_file;          ///< read again when it changes; stands above bearer_token
    std::optional<ExecPlugin> exec;  ///< gives the token or certificate
    Impersonation impersonate;
    std::string namespace_;  ///< of the context or the pod; "" when unknown
    /// The server takes the product (before the slash) as the default field manager.
    std::string user_agent = "kueue/v0 sluice";
    double qps = -1;  ///< negative: no limit on the client's side
    int burst = 1;
};

/// Whether a bearer token goes to the server without encryption, where anybody on the way can read
/// it and act as its owner.
bool exposes_token(const ClientConfig& config);

/// Reads a kubeconfig. `context` "" takes its current-context. Relative file names count from
/// `folder`, that of the kubeconfig.
/// Errors: Invalid naming the context, cluster, user or field: what is missing, what cannot be
/// read, and what Sluice does not support (auth-provider, username, password).
Result<ClientConfig> load_kubeconfig(
    const json::Value& kubeconfig, std::string_view context, const std::string& folder
);

/// Reads a kubeconfig file. Errors: NotFound, Invalid naming the file and what is wrong in it.
Result<ClientConfig> load_kubeconfig_file(const std::string& path, std::string_view context);

/// Where a pod finds its service account; other values are for tests.
struct InClusterSource {
    std::map<std::string, std::string>
        environment;  ///< of which KUBERNETES_SERVICE_HOST and …_PORT
    std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// The configuration of a pod. Errors: NotFound outside a cluster; Invalid for a broken one.
Result<ClientConfig> load_in_cluster(const InClusterSource& source);

/// Whole content of a small file. Errors: NotFound, Invalid naming the file.
Result<std::string> read_small_file(const std::string& path);

}  // namespace sluice::kube
