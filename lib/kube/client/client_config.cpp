#include "kube/client/client_config.hpp"

#include "kube/core/base64.hpp"
#include "net/transport/url.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

namespace sluice::kube {
namespace {

constexpr std::size_t kFileBytesMax = std::size_t{4} * 1024 * 1024;

/// Returns the content of the entry with that name in a list of {name, <kind>: {…}}.
Result<const json::Value*> find_named(
    const json::Value& config, std::string_view list, std::string_view kind, std::string_view name
) {
    const auto* entries = config.find(list);
    if (entries != nullptr && entries->is_array()) {
        for (const auto& entry : entries->as_array()) {
            if (entry.string_at("name") != name) {
                continue;
            }
            const auto* content = entry.find(kind);
            if (kind == "user" && (content == nullptr || content->is_null())) {
                static const json::Value kNobody = json::Object{};
                return &kNobody;  // kubectl accepts a user without content
            }
            if (content == nullptr || !content->is_object()) {
                return make_invalid(fmt::format("kubeconfig: {} \"{}\" has no {}", list, name, kind)
                );
            }
            return content;
        }
    }
    return make_invalid(fmt::format("kubeconfig: {} has no entry \"{}\"", list, name));
}

/// Returns a string field; "" if it is not set. A value of another type is an error.
Result<std::string> string_field(const json::Value& object, std::string_view field) {
    const auto* value = object.find(field);
    if (value == nullptr || value->is_null()) {
        return std::string();
    }
    if (!value->is_string()) {
        return make_invalid(fmt::format("{}: must be a string", field));
    }
    return value->as_string();
}

Result<void> refuse_fields(
    const json::Value& object, std::initializer_list<std::string_view> fields
) {
    for (const auto& field : fields) {
        const auto* value = object.find(field);
        const bool is_set = value != nullptr && !value->is_null() &&
                            !(value->is_string() && value->as_string().empty()) &&
                            !(value->is_array() && value->as_array().empty());
        if (is_set) {
            return make_invalid(fmt::format("{}: is not supported", field));
        }
    }
    return {};
}

std::string resolve(const std::string& folder, const std::string& path) {
    return path.starts_with('/') || folder.empty() ? path : folder + "/" + path;
}

/// Returns the text of `<name>-data` (base64), or else of the file that `<name>` names.
Result<std::string> data_or_file(
    const json::Value& object, const std::string& name, const std::string& folder
) {
    const auto data = string_field(object, name + "-data");
    if (!data) {
        return data.error();
    }
    if (!data->empty()) {
        auto bytes = decode_base64(*data);
        return bytes ? bytes : with_context(bytes.error(), name + "-data");
    }
    auto file = string_field(object, name);
    if (!file || file->empty()) {
        return file;
    }
    auto text = read_small_file(resolve(folder, *file));
    return text ? text : with_context(text.error(), name);
}

Result<void> read_server(std::string_view server, ClientConfig& config) {
    if (server.find('@') != std::string_view::npos) {
        // The value may contain a password, so it is not printed.
        return make_invalid("server: user information is not supported");
    }
    auto url = net::parse_server_url(server);
    if (!url) {
        return make_invalid(fmt::format("server: \"{}\" is not a URL", server));
    }
    config.use_tls = url->is_https;
    config.host = std::move(url->host);
    config.port = url->port;
    config.base_path = std::move(url->path);
    while (config.base_path.ends_with('/')) {
        config.base_path.pop_back();
    }
    return {};
}

Result<void> read_cluster(
    const json::Value& cluster, const std::string& folder, ClientConfig& config
) {
    const auto server = string_field(cluster, "server");
    if (!server) {
        return server.error();
    }
    if (const auto read = read_server(*server, config); !read) {
        return read.error();
    }
    const auto proxy_url = string_field(cluster, "proxy-url");
    if (!proxy_url) {
        return proxy_url.error();
    }
    if (!proxy_url->empty()) {
        auto proxy = net::parse_proxy_url(*proxy_url);
        if (!proxy) {
            return with_context(proxy.error(), "proxy-url");
        }
        config.proxy = std::move(*proxy);
    }
    auto authority = data_or_file(cluster, "certificate-authority", folder);
    if (!authority) {
        return authority.error();
    }
    const auto* insecure = cluster.find("insecure-skip-tls-verify");
    if (insecure != nullptr && !insecure->is_bool() && !insecure->is_null()) {
        return make_invalid("insecure-skip-tls-verify: must be true or false");
    }
    config.tls.verify = insecure == nullptr || !insecure->is_bool() || !insecure->as_bool();
    if (!config.tls.verify && !authority->empty()) {
        return make_invalid(
            "insecure-skip-tls-verify: cannot be combined with a certificate-authority"
        );
    }
    config.tls.ca_pem = std::move(*authority);
    auto server_name = string_field(cluster, "tls-server-name");
    if (!server_name) {
        return server_name.error();
    }
    config.tls.server_name = std::move(*server_name);
    return {};
}

/// Returns the strings of a list; empty if the list is not set.
Result<std::vector<std::string>> string_list(const json::Value* list, std::string_view field) {
    std::vector<std::string> strings;
    if (list == nullptr || list->is_null()) {
        return strings;
    }
    if (!list->is_array()) {
        return make_invalid(fmt::format("{}: must be a list of strings", field));
    }
    for (const auto& entry : list->as_array()) {
        if (!entry.is_string()) {
            return make_invalid(fmt::format("{}: must be a list of strings", field));
        }
        strings.push_back(entry.as_string());
    }
    return strings;
}

Result<Impersonation> read_impersonation(const json::Value& user) {
    Impersonation made;
    for (const auto& [field, to] : {std::pair{"as", &made.user}, std::pair{"as-uid", &made.uid}}) {
        auto text = string_field(user, field);
        if (!text) {
            return text.error();
        }
        *to = std::move(*text);
    }
    auto groups = string_list(user.find("as-groups"), "as-groups");
    if (!groups) {
        return groups.error();
    }
    made.groups = std::move(*groups);
    const auto* extra = user.find("as-user-extra");
    if (extra != nullptr && extra->is_object()) {
        for (const auto& [key, list] : extra->as_object()) {
            auto values = string_list(&list, "as-user-extra");
            if (!values) {
                return values.error();
            }
            made.extra.emplace(key, std::move(*values));
        }
    }
    const auto is_broken = [](const std::string& text) {
        return text.find_first_of("\r\n") != std::string::npos;  // line ends would forge headers
    };
    const bool has_broken_extra = std::ranges::any_of(made.extra, [&](const auto& entry) {
        return std::ranges::any_of(entry.second, is_broken);
    });
    if (is_broken(made.user) || is_broken(made.uid) ||
        std::ranges::any_of(made.groups, is_broken) || has_broken_extra) {
        return make_invalid("as: must be one line");
    }
    const bool has_more = !made.uid.empty() || !made.groups.empty() || !made.extra.empty();
    if (made.user.empty() && has_more) {
        return make_invalid("as: is required with as-uid, as-groups and as-user-extra");
    }
    return made;
}

Result<void> read_user(
    const json::Value& user,
    const json::Value& cluster,
    const std::string& folder,
    ClientConfig& config
) {
    const auto allowed = refuse_fields(user, {"auth-provider", "username", "password"});
    if (!allowed) {
        return allowed.error();
    }
    auto impersonation = read_impersonation(user);
    if (!impersonation) {
        return impersonation.error();
    }
    config.impersonate = std::move(*impersonation);
    const auto* exec = user.find("exec");
    if (exec != nullptr && !exec->is_null()) {
        auto plugin = read_exec_plugin(*exec, cluster, folder);
        if (!plugin) {
            return with_context(plugin.error(), "exec");
        }
        // A plugin gets the CA certificates as data, also if the kubeconfig names a file.
        constexpr const char* kAuthorities = "certificate-authority-data";
        if (plugin->cluster.is_object() && plugin->cluster.find(kAuthorities) == nullptr &&
            !config.tls.ca_pem.empty()) {
            plugin->cluster.set(kAuthorities, encode_base64(config.tls.ca_pem));
        }
        config.exec = std::move(*plugin);
    }
    auto certificate = data_or_file(user, "client-certificate", folder);
    if (!certificate) {
        return certificate.error();
    }
    auto key = data_or_file(user, "client-key", folder);
    if (!key) {
        return key.error();
    }
    if (certificate->empty() != key->empty()) {
        return make_invalid(
            certificate->empty() ? "client-key: needs a client-certificate"
                                 : "client-certificate: needs a client-key"
        );
    }
    auto token = string_field(user, "token");
    if (!token) {
        return token.error();
    }
    const auto token_file = string_field(user, "tokenFile");
    if (!token_file) {
        return token_file.error();
    }
    config.tls.certificate_pem = std::move(*certificate);
    config.tls.private_key_pem = std::move(*key);
    config.bearer_token = std::move(*token);
    config.token_file = token_file->empty() ? std::string() : resolve(folder, *token_file);
    return {};
}

}  // namespace

bool exposes_token(const ClientConfig& config) {
    return !config.use_tls &&
           !(config.bearer_token.empty() && config.token_file.empty() && !config.exec);
}

Result<std::string> read_small_file(const std::string& path) {
    const auto close = [](std::FILE* file) { std::fclose(file); };
    const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rbe"), close);
    if (!file) {
        return Error{
            errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Invalid,
            fmt::format("file {}: {}", path, std::generic_category().message(errno)),
            {}
        };
    }
    std::string text;
    std::array<char, 4096> buffer{};
    for (;;) {
        const auto count = std::fread(buffer.data(), 1, buffer.size(), file.get());
        text.append(buffer.data(), count);
        if (text.size() > kFileBytesMax) {
            return make_invalid(fmt::format("file {}: is larger than {} bytes", path, kFileBytesMax)
            );
        }
        if (count < buffer.size()) {
            break;
        }
    }
    if (std::ferror(file.get()) != 0) {
        return make_invalid(fmt::format("file {}: cannot be read", path));
    }
    return text;
}

Result<ClientConfig> load_kubeconfig(
    const json::Value& kubeconfig, std::string_view context, const std::string& folder
) {
    if (!kubeconfig.is_object()) {
        return make_invalid("kubeconfig: is not a map of fields");
    }
    const auto name =
        std::string(context.empty() ? kubeconfig.string_at("current-context") : context);
    if (name.empty()) {
        return make_invalid("kubeconfig: current-context is not set");
    }
    const auto found = find_named(kubeconfig, "contexts", "context", name);
    if (!found) {
        return found.error();
    }
    const auto& chosen = **found;
    const auto cluster_name = std::string(chosen.string_at("cluster"));
    const auto user_name = std::string(chosen.string_at("user"));
    const auto cluster = find_named(kubeconfig, "clusters", "cluster", cluster_name);
    if (!cluster) {
        return with_context(cluster.error(), "context \"" + name + "\"");
    }
    ClientConfig config;
    config.namespace_ = std::string(chosen.string_at("namespace"));
    if (const auto read = read_cluster(**cluster, folder, config); !read) {
        return with_context(read.error(), "kubeconfig: cluster \"" + cluster_name + "\"");
    }
    if (user_name.empty()) {
        return config;
    }
    const auto user = find_named(kubeconfig, "users", "user", user_name);
    if (!user) {
        return with_context(user.error(), "context \"" + name + "\"");
    }
    if (const auto read = read_user(**user, **cluster, folder, config); !read) {
        return with_context(read.error(), "kubeconfig: user \"" + user_name + "\"");
    }
    return config;
}

Result<ClientConfig> load_in_cluster(const InClusterSource& source) {
    const auto host = source.environment.find("KUBERNETES_SERVICE_HOST");
    const auto port = source.environment.find("KUBERNETES_SERVICE_PORT");
    if (host == source.environment.end() || port == source.environment.end() ||
        host->second.empty()) {
        return Error{
            ErrorCode::NotFound,
            "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set",
            {}
        };
    }
    ClientConfig config;
    config.host = host->second;
    const auto* end = port->second.data() + port->second.size();
    const auto [at, failure] = std::from_chars(port->second.data(), end, config.port);
    if (failure != std::errc() || at != end || config.port == 0) {
        return make_invalid("KUBERNETES_SERVICE_PORT: \"" + port->second + "\" is not a port");
    }
    auto authority = read_small_file(source.folder + "/ca.crt");
    if (!authority) {
        return with_context(authority.error(), "service account");
    }
    config.tls.ca_pem = std::move(*authority);
    config.token_file = source.folder + "/token";
    if (const auto token = read_small_file(config.token_file); !token) {
        return with_context(token.error(), "service account");
    }
    if (auto ns = read_small_file(source.folder + "/namespace"); ns) {
        config.namespace_ = std::move(*ns);
    }
    return config;
}

}  // namespace sluice::kube
