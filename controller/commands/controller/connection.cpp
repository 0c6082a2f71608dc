#include "controller/commands/controller/connection.hpp"

#include <cstdlib>

namespace sluice::commands {

Result<kube::Connection> load_connection(
    const std::string& kubeconfig_file, const std::string& context
) {
    kube::ConnectionSource source{
        .kubeconfig_file = kubeconfig_file, .context = context, .process = {}
    };
    for (const char* name :
         {"KUBECONFIG",
          "HOME",
          "KUBERNETES_SERVICE_HOST",
          "KUBERNETES_SERVICE_PORT",
          "HTTPS_PROXY",
          "https_proxy",
          "HTTP_PROXY",
          "http_proxy",
          "NO_PROXY",
          "no_proxy"}) {
        if (const char* value = std::getenv(name)) {
            source.process.environment[name] = value;
        }
    }
    return kube::find_connection(source);
}

}  // namespace sluice::commands
