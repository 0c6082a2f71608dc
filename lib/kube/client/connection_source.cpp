#include "kube/client/connection_source.hpp"

#include "kube/client/proxy_choice.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string_view>
#include <utility>

namespace sluice::kube {

namespace {

std::string folder_of(const std::string& file) {
    const auto slash = file.find_last_of('/');
    return slash == std::string::npos ? "." : file.substr(0, slash);
}

std::string variable(const InClusterSource& process, const std::string& name) {
    const auto found = process.environment.find(name);
    return found == process.environment.end() ? std::string() : found->second;
}

void resolve_field(json::Value& object, std::string_view field, const std::string& folder) {
    json::Value* path = object.find(field);
    if (path != nullptr && path->is_string() && !path->as_string().empty() &&
        !path->as_string().starts_with('/')) {
        *path = json::Value(folder + "/" + path->as_string());
    }
}

/// Resolves relative file names within the entry against the folder of its own file.
void resolve_entry(json::Value& entry, const std::string& folder) {
    if (json::Value* cluster = entry.find("cluster"); cluster != nullptr && cluster->is_object()) {
        resolve_field(*cluster, "certificate-authority", folder);
    }
    json::Value* user = entry.find("user");
    if (user == nullptr || !user->is_object()) {
        return;
    }
    for (const std::string_view field : {"client-certificate", "client-key", "tokenFile"}) {
        resolve_field(*user, field, folder);
    }
    json::Value* exec = user->find("exec");
    if (exec != nullptr && exec->string_at("command").find('/') != std::string_view::npos) {
        resolve_field(*exec, "command", folder);
    }
}

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> files;
    while (!text.empty()) {
        const auto colon = text.find(':');
        if (colon != 0) {
            files.emplace_back(text.substr(0, colon));
        }
        text = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    }
    return files;
}

class Merge {
  public:
    Result<void> add(const std::string& file, json::Value config) {
        if (!config.is_object()) {
            return make_invalid(fmt::format("{}: kubeconfig: is not a map of fields", file));
        }
        for (const std::string_view list : {"clusters", "users", "contexts"}) {
            add_entries(list, folder_of(file), config);
        }
        if (merged_.string_at("current-context").empty()) {
            merged_.set("current-context", std::string(config.string_at("current-context")));
        }
        return {};
    }
    json::Value take() && { return std::move(merged_); }

  private:
    void add_entries(std::string_view list, const std::string& folder, json::Value& config) {
        json::Value* entries = config.find(list);
        if (entries == nullptr || !entries->is_array()) {
            return;
        }
        if (merged_.find(list) == nullptr) {
            merged_.set(list, json::Array{});
        }
        for (json::Value& entry : entries->as_array()) {
            const bool is_first = names_.emplace(list, entry.string_at("name")).second;
            if (is_first) {
                resolve_entry(entry, folder);
                merged_.find(list)->as_array().push_back(std::move(entry));
            }
        }
    }

    json::Value merged_ = json::Object{};
    std::set<std::pair<std::string, std::string>> names_;
};

Result<Connection> connection_of(
    const std::vector<std::string>& files, const std::string& context, std::string found_in
) {
    const auto merged = merge_kubeconfigs(files);
    if (!merged) {
        return with_context(merged.error(), found_in);
    }
    auto config = load_kubeconfig(*merged, context, "");
    if (!config) {
        return with_context(config.error(), found_in);
    }
    return Connection{
        .config = std::move(*config), .in_cluster = false, .found_in = std::move(found_in)
    };
}

}  // namespace

Result<json::Value> merge_kubeconfigs(const std::vector<std::string>& files) {
    Merge merge;
    bool has_any = false;
    for (const std::string& file : files) {
        const auto text = read_small_file(file);
        if (!text && text.error().code == ErrorCode::NotFound) {
            continue;
        }
        if (!text) {
            return text.error();
        }
        auto config = yaml::parse_document(*text);
        if (!config) {
            return yaml::in_file(config.error(), file);
        }
        if (const auto added = merge.add(file, std::move(*config)); !added) {
            return added.error();
        }
        has_any = true;
    }
    if (!has_any) {
        return Error{
            ErrorCode::NotFound, fmt::format("file not found: {}", fmt::join(files, ", ")), {}
        };
    }
    return std::move(merge).take();
}

namespace {

bool is_pod(const ConnectionSource& source) {
    return !variable(source.process, "KUBERNETES_SERVICE_HOST").empty();
}

Result<Connection> find_server(const ConnectionSource& source) {
    if (!source.kubeconfig_file.empty()) {
        return connection_of({source.kubeconfig_file}, source.context, "--kubeconfig");
    }
    if (is_pod(source) && source.context.empty()) {
        auto config = load_in_cluster(source.process);
        if (!config) {
            return config.error();
        }
        return Connection{
            .config = std::move(*config),
            .in_cluster = true,
            .found_in = "the pod's service account"
        };
    }
    const auto listed = split_list(variable(source.process, "KUBECONFIG"));
    if (!listed.empty()) {
        return connection_of(listed, source.context, "KUBECONFIG");
    }
    const std::string home = variable(source.process, "HOME");
    const std::string file = home + "/.kube/config";
    auto connection = connection_of({file}, source.context, file);
    if (!connection && connection.error().code == ErrorCode::NotFound) {
        return Error{
            ErrorCode::NotFound,
            fmt::format(
                "no API server found: not in a pod, --kubeconfig and KUBECONFIG are not set, "
                "and {} does not exist",
                file
            ),
            {}
        };
    }
    return connection;
}

}  // namespace

Result<Connection> find_connection(const ConnectionSource& source) {
    auto connection = find_server(source);
    if (!connection) {
        return connection;
    }
    if (is_pod(source)) {
        const auto own = read_small_file(source.process.folder + "/namespace");
        connection->pod_namespace = own ? *own : connection->config.namespace_;
    }
    if (connection->config.proxy) {
        return connection;
    }
    ClientConfig& config = connection->config;
    auto proxy = choose_proxy(source.process.environment, config.use_tls, config.host, config.port);
    if (!proxy) {
        return proxy.error();
    }
    config.proxy = std::move(*proxy);
    return connection;
}

}  // namespace sluice::kube
