#pragma once

#include "kube/client/client_config.hpp"

#include <string>

namespace sluice::kube {

/// Where a client may find its API server.
struct ConnectionSource {
    std::string kubeconfig_file;  ///< of a flag; "": not given
    std::string context;          ///< of a flag; "": that of the kubeconfig
    /// The process's environment, of which KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST and …_PORT,
    /// and those of choose_proxy().
    InClusterSource process;
};

struct Connection {
    ClientConfig config;
    bool in_cluster = false;    ///< by the service account of the pod that this process is in
    std::string pod_namespace;  ///< of that pod, whatever connects; "": this is no pod
    std::string found_in;       ///< for the user: a file, or what is said of a pod
};

/// How to reach the API server: by the kubeconfig of the flag; else by the pod's service account,
/// unless a context is asked for; else by the files that KUBECONFIG lists, merged as kubectl does;
/// else by `.kube/config` in the home folder; by way of the kubeconfig's proxy-url, or of the proxy
/// that the environment names (choose_proxy). Errors: NotFound when there is none of them, Invalid
/// for one that cannot be used.
Result<Connection> find_connection(const ConnectionSource& source);

/// The kubeconfig that several files make together: of each cluster, user and context the first one
/// of its name counts, of current-context the first that is set. File names within count from the
/// folder of their own file. Files that do not exist are left out. Errors: NotFound when none
/// exists, Invalid naming the file.
Result<json::Value> merge_kubeconfigs(const std::vector<std::string>& files);

}  // namespace sluice::kube
