#include "apiserver/state/webhook_call.hpp"

#include "apiserver/objects/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::int64_t kHttpsPort = 443;

/// Joins an address and a port; puts the address in brackets if it contains colons.
std::string join_host_port(std::string_view host, std::int64_t port) {
    return host.find(':') == std::string_view::npos ? fmt::format("{}:{}", host, port)
                                                    : fmt::format("[{}]:{}", host, port);
}

/// Returns the number of the port of that name; nullopt if the port is missing.
std::optional<std::int64_t> find_port(const Value* ports, std::string_view name) {
    for (const Value& port : items_of(ports)) {
        if (port.string_at("name") == name && int_at(port, "port", 0) != 0) {
            return int_at(port, "port", 0);
        }
    }
    return std::nullopt;
}

/// Returns true if a server may listen at the address. Pods are simulated and do not listen: if a
/// pod's address exists on the machine's network, it belongs to something else.
bool is_reachable(const Value& endpoint) {
    const Value* kind = endpoint.find_path({"targetRef", "kind"});
    return kind == nullptr || *kind != Value("Pod");
}

std::string find_in_slices(const Store& store, const ObjectName& service, std::string_view port) {
    const auto& slices = store.objects({"discovery.k8s.io", "endpointslices"});
    for (auto at = slices.lower_bound({service.ns, ""});
         at != slices.end() && at->first.ns == service.ns;
         ++at) {
        const Value& slice = *at->second;
        const Value* owner = slice.find_path({"metadata", "labels", "kubernetes.io/service-name"});
        const auto number = find_port(slice.find("ports"), port);
        if (owner == nullptr || *owner != Value(service.name) || !number) {
            continue;
        }
        for (const Value& endpoint : items_of(slice.find("endpoints"))) {
            const Value* ready = endpoint.find_path({"conditions", "ready"});
            const auto& addresses = items_of(endpoint.find("addresses"));
            const bool is_ready = ready == nullptr || *ready != Value(false);
            if (is_ready && is_reachable(endpoint) && !addresses.empty() &&
                addresses.front().is_string()) {
                return join_host_port(addresses.front().as_string(), *number);
            }
        }
    }
    return {};
}

std::string find_in_endpoints(
    const Store& store, const ObjectName& service, std::string_view port
) {
    const Snapshot endpoints = store.find({"", "endpoints"}, service);
    for (const Value& subset : items_of(endpoints ? endpoints->find("subsets") : nullptr)) {
        const auto number = find_port(subset.find("ports"), port);
        for (const Value& address : items_of(subset.find("addresses"))) {
            if (number && is_reachable(address) && !address.string_at("ip").empty()) {
                return join_host_port(address.string_at("ip"), *number);
            }
        }
    }
    return {};
}

/// Fills in the server that the Service leads to, or the reason why it does not lead to one.
void find_server(
    const Store& store, const ObjectName& name, std::int64_t port, WebhookTarget& target
) {
    const Snapshot service = store.find({"", "services"}, name);
    if (!service) {
        target.fault = fmt::format("service \"{}\" not found", name.name);
        return;
    }
    const Value* spec = service->find("spec");
    if (spec != nullptr && spec->string_at("type") == "ExternalName") {
        target.server = join_host_port(spec->string_at("externalName"), port);
        return;
    }
    const auto& ports = items_of(spec == nullptr ? nullptr : spec->find("ports"));
    const auto meant = std::ranges::find_if(ports, [port](const Value& each) {
        return int_at(each, "port", 0) == port;
    });
    if (meant == ports.end()) {
        target.fault = fmt::format("no service port {} found for service \"{}\"", port, name.name);
        return;
    }
    const std::string_view port_name = meant->string_at("name");
    target.server = find_in_slices(store, name, port_name);
    if (target.server.empty()) {
        target.server = find_in_endpoints(store, name, port_name);
    }
    if (target.server.empty()) {
        target.fault = fmt::format("no endpoints available for service \"{}\"", name.name);
    }
}

}  // namespace

WebhookTarget find_webhook(const Store& store, const json::Value& client_config) {
    WebhookTarget target{
        .url = std::string(client_config.string_at("url")),
        .server = {},
        .server_name = {},
        .ca_bundle = std::string(client_config.string_at("caBundle")),
        .fault = {}
    };
    const Value* service = client_config.find("service");
    if (!target.url.empty() || service == nullptr) {
        return target;
    }
    const ObjectName name{
        std::string(service->string_at("namespace")), std::string(service->string_at("name"))
    };
    const std::int64_t port = int_at(*service, "port", kHttpsPort);
    const std::string_view path = service->string_at("path");
    target.server_name = fmt::format("{}.{}.svc", name.name, name.ns);
    target.url = fmt::format(
        "https://{}:{}{}{}", target.server_name, port, path.starts_with('/') ? "" : "/", path
    );
    find_server(store, name, port, target);
    return target;
}

}  // namespace sluice::apiserver
