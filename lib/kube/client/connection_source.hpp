// Finds the API server to connect to: a kubeconfig, or the service account of a pod.
#pragma once

#include "kube/client/client_config.hpp"

#include <string>

namespace sluice::kube {

/// The places where a client may find its API server.
struct ConnectionSource {
    std::string kubeconfig_file;  ///< from a flag; "" if not given
    std::string context;          ///< from a flag; "": the kubeconfig's current-context
    /// The process's environment. KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST and …_PORT are read,
    /// and the variables of choose_proxy().
    InClusterSource process;
};

struct Connection {
    ClientConfig config;
    bool in_cluster = false;    ///< connects by the service account of this process's pod
    std::string pod_namespace;  ///< namespace of this process's pod; "" if not in a pod
    std::string found_in;       ///< for messages: a file, or a phrase for the pod's service account
};

/// Finds the API server. The first of these that exists is used: the kubeconfig of the flag; the
/// pod's service account, unless a context is requested; the files that KUBECONFIG lists, merged as
/// kubectl merges them; `.kube/config` in the home folder. The proxy is the kubeconfig's proxy-url,
/// or else the one that the environment configures (choose_proxy). Errors: NotFound if none exists;
/// Invalid if the one that exists cannot be used.
Result<Connection> find_connection(const ConnectionSource& source);

/// Merges several kubeconfigs into one. The first cluster, user or context of each name wins, and
/// the first current-context that is set. Relative file names are resolved against the folder of
/// their own file. Files that do not exist are skipped. Errors: NotFound if no file exists; Invalid
/// naming the file.
Result<json::Value> merge_kubeconfigs(const std::vector<std::string>& files);

}  // namespace sluice::kube
