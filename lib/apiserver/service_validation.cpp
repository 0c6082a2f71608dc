#include "apiserver/service_validation.hpp"

#include "apiserver/go_text.hpp"
#include "apiserver/ip_address.hpp"
#include "apiserver/values.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

constexpr std::string_view kOnlyBalancers = "may only be used when `type` is 'LoadBalancer'";
constexpr const char* kSourceRanges = "service.beta.kubernetes.io/load-balancer-source-ranges";
constexpr const char* kTopologyMode = "service.kubernetes.io/topology-mode";
constexpr const char* kTopologyHints = "service.kubernetes.io/topology-aware-hints";

const Value& spec_of(const Value& service) {
    return member_or_null(service, "spec");
}

bool is_of_type(const Value& service, std::string_view type) {
    return spec_of(service).string_at("type") == type;
}

void check_external_name(Causes& causes, const Value& spec) {
    constexpr std::string_view kWhy = "may not be set for ExternalName services";
    if (!items_of(spec.find("clusterIPs")).empty()) {
        causes.push_back(forbidden("spec.clusterIPs", kWhy));
    }
    if (!items_of(spec.find("ipFamilies")).empty()) {
        causes.push_back(forbidden("spec.ipFamilies", kWhy));
    }
    if (!member_or_null(spec, "ipFamilyPolicy").is_null()) {
        causes.push_back(forbidden("spec.ipFamilyPolicy", kWhy));
    }
    std::string_view name = spec.string_at("externalName");
    if (name.ends_with('.')) {
        name.remove_suffix(1);
    }
    if (name.empty()) {
        causes.push_back(required_value("spec.externalName"));
    } else {
        check_subdomain(causes, "spec.externalName", name);
    }
}

void check_service_ports(Causes& causes, const Value& service) {
    const auto& ports = items_of(spec_of(service).find("ports"));
    std::set<std::string> names;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const auto path = element_path("spec.ports", i);
        const std::string name(ports[i].string_at("name"));
        if (name.empty() && ports.size() > 1) {
            causes.push_back(required_value(path + ".name"));
        } else if (!name.empty()) {
            check_label(causes, path + ".name", name);
            if (!names.insert(name).second) {
                causes.push_back(duplicate_value(path + ".name", name));
            }
        }
        check_port(causes, path + ".port", int_at(ports[i], "port", 0));
        check_one_of(causes, path, ports[i], "protocol", {"SCTP", "TCP", "UDP"});
        if (const Value* target = ports[i].find("targetPort")) {
            if (target->is_int()) {
                check_port(causes, path + ".targetPort", target->as_int());
            } else if (target->is_string()) {
                const std::string& name_of_port = target->as_string();
                add_problems(
                    causes, path + ".targetPort", *target, find_port_name_problems(name_of_port)
                );
            }
        }
        if (const Value* protocol = ports[i].find("appProtocol");
            protocol != nullptr && protocol->is_string()) {
            check_qualified_name(causes, path + ".appProtocol", protocol->as_string());
        }
    }
}

/// Ports of nodes where there are none, and the same port twice.
void check_uses_of_ports(Causes& causes, const Value& service) {
    const auto& ports = items_of(spec_of(service).find("ports"));
    std::set<std::pair<std::string, std::int64_t>> node_ports;
    std::set<std::pair<std::string, std::int64_t>> own_ports;
    Causes twice;
    Causes duplicates;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const auto path = element_path("spec.ports", i);
        const std::string protocol(ports[i].string_at("protocol"));
        const auto node_port = int_at(ports[i], "nodePort", 0);
        if (node_port != 0 && is_of_type(service, "ClusterIP")) {
            causes.push_back(
                forbidden(path + ".nodePort", "may not be used when `type` is 'ClusterIP'")
            );
        }
        if (node_port != 0 && !node_ports.emplace(protocol, node_port).second) {
            twice.push_back(duplicate_value(path + ".nodePort", node_port));
        }
        const auto port = int_at(ports[i], "port", 0);
        if (!own_ports.emplace(protocol, port).second) {
            // As Kubernetes prints the port: all fields of its type, set where they tell ports
            // apart.
            duplicates.push_back(
                {"FieldValueDuplicate",
                 fmt::format(
                     "Duplicate value: {{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,"
                     "\"Port\":{},\"TargetPort\":0,\"NodePort\":0}}",
                     json::print(protocol),
                     port
                 ),
                 path}
            );
        }
    }
    causes.insert(causes.end(), twice.begin(), twice.end());
    causes.insert(causes.end(), duplicates.begin(), duplicates.end());
}

void check_session_affinity(Causes& causes, const Value& spec) {
    check_one_of(causes, "spec", spec, "sessionAffinity", {"ClientIP", "None"});
    const Value& config = member_or_null(spec, "sessionAffinityConfig");
    const auto affinity = spec.string_at("sessionAffinity");
    if (affinity == "None" && !config.is_null()) {
        causes.push_back(
            forbidden("spec.sessionAffinityConfig", "must not be set when session affinity is None")
        );
    }
    const Value* seconds = config.find_path({"clientIP", "timeoutSeconds"});
    if (affinity == "ClientIP" && seconds != nullptr && seconds->is_int() &&
        (seconds->as_int() <= 0 || seconds->as_int() > 86400)) {
        causes.push_back(invalid_value(
            "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
            *seconds,
            "must be greater than 0 and less than 86400"
        ));
    }
}

void check_external_ips(Causes& causes, const Value& spec) {
    const auto& addresses = items_of(spec.find("externalIPs"));
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const auto field = element_path("spec.externalIPs", i);
        const std::string text = addresses[i].is_string() ? addresses[i].as_string() : "";
        const auto problems = find_ip_address_problems(text);
        add_problems(causes, field, text, problems);
        const auto address = parse_ip_address(text);
        if (!problems.empty() || !address) {
            continue;
        }
        const auto invalid = [&](bool is_so, std::string_view why) {
            if (is_so) {
                causes.push_back(invalid_value(field, text, why));
            }
        };
        invalid(address->is_unspecified(), fmt::format("may not be unspecified ({})", text));
        invalid(address->is_loopback(), "may not be in the loopback range (127.0.0.0/8, ::1/128)");
        invalid(
            address->is_link_local(),
            "may not be in the link-local range (169.254.0.0/16, fe80::/10)"
        );
        invalid(
            address->is_link_local_multicast(),
            "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
        );
    }
}

void check_source_ranges(Causes& causes, const Value& service) {
    const auto& ranges = items_of(spec_of(service).find("loadBalancerSourceRanges"));
    const Value* annotation = service.find_path({"metadata", "annotations", kSourceRanges});
    // The field's name begins with a capital letter in the causes of Kubernetes.
    const std::string field = ranges.empty()
                                  ? fmt::format("metadata.annotations[{}]", kSourceRanges)
                                  : "spec.LoadBalancerSourceRanges";
    if (ranges.empty() && (annotation == nullptr || !annotation->is_string())) {
        return;
    }
    if (!is_of_type(service, "LoadBalancer")) {
        causes.push_back(forbidden(field, kOnlyBalancers));
    }
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const auto range = trimmed(ranges[i].is_string() ? ranges[i].as_string() : "");
        add_problems(causes, element_path(field, i), range, find_cidr_problems(range));
    }
    std::string_view rest = ranges.empty() ? std::string_view(annotation->as_string()) : "";
    for (bool has_more = !trimmed(rest).empty(); has_more;) {
        const auto comma = rest.find(',');
        const auto range = trimmed(rest.substr(0, comma));
        add_problems(causes, field, range, find_cidr_problems(range));
        has_more = comma != std::string_view::npos;
        rest.remove_prefix(has_more ? comma + 1 : rest.size());
    }
}

void check_balancer_class(Causes& causes, const Value& service) {
    const Value* of_class = spec_of(service).find("loadBalancerClass");
    if (of_class == nullptr || !of_class->is_string()) {
        return;
    }
    if (is_of_type(service, "LoadBalancer")) {
        check_qualified_name(causes, "spec.loadBalancerClass", of_class->as_string());
    } else {
        causes.push_back(forbidden("spec.loadBalancerClass", kOnlyBalancers));
    }
}

void check_balancer_fields(Causes& causes, const Value& service) {
    const Value* allocates = spec_of(service).find("allocateLoadBalancerNodePorts");
    if (allocates != nullptr && !allocates->is_null() && !is_of_type(service, "LoadBalancer")) {
        causes.push_back(forbidden("spec.allocateLoadBalancerNodePorts", kOnlyBalancers));
    }
    check_balancer_class(causes, service);
}

void check_traffic(Causes& causes, const Value& service) {
    const Value& spec = spec_of(service);
    const std::string policy(spec.string_at("externalTrafficPolicy"));
    if (is_externally_accessible(service)) {
        check_one_of(causes, "spec", spec, "externalTrafficPolicy", {"Cluster", "Local"});
    } else if (!policy.empty()) {
        causes.push_back(invalid_value(
            "spec.externalTrafficPolicy",
            policy,
            "may only be set for externally-accessible services"
        ));
    }
    const auto port = int_at(spec, "healthCheckNodePort", 0);
    if (port != 0 && needs_health_check_port(service)) {
        check_port(causes, "spec.healthCheckNodePort", port);
    } else if (port != 0) {
        causes.push_back(invalid_value(
            "spec.healthCheckNodePort",
            port,
            "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
        ));
    }
    check_one_of(causes, "spec", spec, "internalTrafficPolicy", {"Cluster", "Local"});
    check_one_of(
        causes,
        "spec",
        spec,
        "trafficDistribution",
        {"PreferClose", "PreferSameZone", "PreferSameNode"}
    );
}

void check_topology_annotations(Causes& causes, const Value& service) {
    const Value* mode = service.find_path({"metadata", "annotations", kTopologyMode});
    const Value* hints = service.find_path({"metadata", "annotations", kTopologyHints});
    if (mode != nullptr && hints != nullptr && !(*mode == *hints)) {
        causes.push_back(invalid_value(
            fmt::format("metadata.annotations[{}]", kTopologyMode),
            *mode,
            fmt::format("must match annotations[{}] when both are specified", kTopologyHints)
        ));
    }
}

/// Addresses by themselves; whether they can be compared with families.
bool check_each_cluster_ip(Causes& causes, const json::Array& addresses) {
    bool is_sound = true;
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        const std::string text = addresses[i].is_string() ? addresses[i].as_string() : "";
        if (i == 0 && text == "None") {
            if (addresses.size() > 1) {
                is_sound = false;
                causes.push_back(invalid_value(
                    "spec.clusterIPs", addresses, "'None' must be the first and only value"
                ));
            }
            continue;
        }
        const auto problems = find_ip_address_problems(text);
        is_sound = is_sound && problems.empty();
        add_problems(causes, element_path("spec.clusterIPs", i), text, problems);
    }
    if (addresses.size() > 2) {
        causes.push_back(invalid_value("spec.clusterIPs", addresses, "may only hold up to 2 values")
        );
    }
    return is_sound;
}

void check_families(Causes& causes, const Value& spec) {
    const auto& families = items_of(spec.find("ipFamilies"));
    std::set<std::string> seen;
    for (std::size_t i = 0; i < families.size(); ++i) {
        const std::string family = families[i].is_string() ? families[i].as_string() : "";
        const auto field = element_path("spec.ipFamilies", i);
        if (family != "IPv4" && family != "IPv6") {
            causes.push_back(unsupported_value(field, family, {"IPv4", "IPv6"}));
        }
        if (!seen.insert(family).second) {
            causes.push_back(duplicate_value(field, family));
        }
    }
    check_one_of(
        causes,
        "spec",
        spec,
        "ipFamilyPolicy",
        {"PreferDualStack", "RequireDualStack", "SingleStack"}
    );
}

bool is_v6(const Value& address) {
    return address.is_string() && address.as_string().find(':') != std::string::npos;
}

/// Lists of which a service keeps the first element, and of two gives up the second by its policy.
void check_kept(
    Causes& causes,
    const Value& service,
    const Value& old_service,
    const char* list,
    const char* first,
    const char* second
) {
    const json::Array now = items_of(spec_of(service).find(list));
    const json::Array& before = items_of(spec_of(old_service).find(list));
    const std::string field = fmt::format("spec.{}[0]", list);
    if (now.empty() && !before.empty()) {
        causes.push_back(
            invalid_value(field, now, fmt::format("primary {} can not be unset", first))
        );
    } else if (!before.empty() && !(now.front() == before.front())) {
        causes.push_back(invalid_value(field, now, "may not change once set"));
    }
    if (now.size() == 2 && before.size() == 2 && !(now[1] == before[1])) {
        causes.push_back(invalid_value(
            fmt::format("spec.{}[{}]", list, std::string_view(list) == "clusterIPs" ? 1 : 0),
            now,
            "may not change once set"
        ));
    }
    const std::string policy(spec_of(service).string_at("ipFamilyPolicy"));
    if (now.size() == 1 && before.size() > 1 && policy != "SingleStack") {
        causes.push_back(invalid_value(
            "spec.ipFamilyPolicy",
            policy,
            fmt::format("must be set to 'SingleStack' when releasing the secondary {}", second)
        ));
    }
}

}  // namespace

bool is_headless(const Value& service) {
    const auto& addresses = items_of(spec_of(service).find("clusterIPs"));
    return addresses.size() == 1 && addresses.front() == Value("None");
}

bool is_externally_accessible(const Value& service) {
    return is_of_type(service, "NodePort") || is_of_type(service, "LoadBalancer") ||
           (is_of_type(service, "ClusterIP") &&
            !items_of(spec_of(service).find("externalIPs")).empty());
}

bool allocates_node_ports(const Value& service) {
    const Value* allocates = spec_of(service).find("allocateLoadBalancerNodePorts");
    return is_of_type(service, "NodePort") ||
           (is_of_type(service, "LoadBalancer") &&
            (allocates == nullptr || !(*allocates == Value(false))));
}

bool needs_health_check_port(const Value& service) {
    return is_of_type(service, "LoadBalancer") &&
           spec_of(service).string_at("externalTrafficPolicy") == "Local";
}

void check_cluster_ips(Causes& causes, const Value& service) {
    if (is_of_type(service, "ExternalName")) {
        return;
    }
    const Value& spec = spec_of(service);
    const std::string first(spec.string_at("clusterIP"));
    const json::Array addresses = items_of(spec.find("clusterIPs"));
    if (first.empty() && !addresses.empty()) {
        causes.push_back(invalid_value(
            "spec.clusterIPs", addresses, "must be empty when `clusterIP` is not specified"
        ));
    } else if (!first.empty() && addresses.empty()) {
        causes.push_back(required_value("spec.clusterIPs"));
    } else if (!first.empty() && !(addresses.front() == Value(first))) {
        causes.push_back(
            invalid_value("spec.clusterIPs", addresses, "first value must match `clusterIP`")
        );
    }
    check_families(causes, spec);
    if (!check_each_cluster_ip(causes, addresses)) {
        return;
    }
    const bool has_both = addresses.size() == 2 && is_v6(addresses[0]) != is_v6(addresses[1]);
    if (addresses.size() > 1 && !has_both) {
        causes.push_back(invalid_value(
            "spec.clusterIPs", addresses, "may specify no more than one IP for each IP family"
        ));
    }
    const auto& families = items_of(spec.find("ipFamilies"));
    for (std::size_t i = 0; i < addresses.size() && i < families.size(); ++i) {
        const bool wants_v6 = families[i] == Value("IPv6");
        const bool is_known = wants_v6 || families[i] == Value("IPv4");
        if (is_known && !is_headless(service) && is_v6(addresses[i]) != wants_v6) {
            causes.push_back(invalid_value(
                element_path("spec.clusterIPs", i),
                addresses[i],
                fmt::format(
                    "expected an {} value as indicated by `ipFamilies[{}]`",
                    wants_v6 ? "IPv6" : "IPv4",
                    i
                )
            ));
        }
    }
}

void check_service(Causes& causes, const Value& service) {
    check_topology_annotations(causes, service);
    const Value& spec = spec_of(service);
    const bool is_external_name = is_of_type(service, "ExternalName");
    if (items_of(spec.find("ports")).empty() && !is_headless(service) && !is_external_name) {
        causes.push_back(required_value("spec.ports"));
    }
    for (const char* type : {"LoadBalancer", "NodePort"}) {
        if (is_of_type(service, type) && is_headless(service)) {
            causes.push_back(invalid_value(
                "spec.clusterIPs[0]",
                "None",
                fmt::format("may not be set to 'None' for {} services", type)
            ));
        }
    }
    if (is_external_name) {
        check_external_name(causes, spec);
    }
    check_service_ports(causes, service);
    check_labels(causes, "spec.selector", spec.find("selector"));
    check_session_affinity(causes, spec);
    check_cluster_ips(causes, service);
    check_external_ips(causes, spec);
    check_one_of(
        causes, "spec", spec, "type", {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}
    );
    check_uses_of_ports(causes, service);
    check_source_ranges(causes, service);
    check_balancer_fields(causes, service);
    check_traffic(causes, service);
}

void check_service_status(Causes& causes, const Value& service) {
    constexpr std::string_view kIngress = "status.loadBalancer.ingress";
    const auto& all = items_of(service.find_path({"status", "loadBalancer", "ingress"}));
    if (!is_of_type(service, "LoadBalancer") && !all.empty()) {
        causes.push_back(
            forbidden(std::string(kIngress), "may only be used when `spec.type` is 'LoadBalancer'")
        );
        return;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto path = element_path(kIngress, i);
        const std::string ip(all[i].string_at("ip"));
        if (!ip.empty()) {
            add_problems(causes, path + ".ip", ip, find_ip_address_problems(ip));
            check_one_of(causes, path, all[i], "ipMode", {"Proxy", "VIP"});
        } else if (all[i].find("ipMode") != nullptr) {
            causes.push_back(
                forbidden(path + ".ipMode", "may not be specified when `ip` is not set")
            );
        }
        const std::string name(all[i].string_at("hostname"));
        if (!name.empty()) {
            check_subdomain(causes, path + ".hostname", name);
        }
        if (parse_ip_address(name)) {
            causes.push_back(
                invalid_value(path + ".hostname", name, "must be a DNS name, not an IP address")
            );
        }
    }
}

void check_service_update(Causes& causes, const Value& service, const Value& old_service) {
    const bool has_addresses =
        !is_of_type(service, "ExternalName") && !is_of_type(old_service, "ExternalName");
    if (has_addresses && !(is_headless(service) && is_headless(old_service))) {
        check_kept(causes, service, old_service, "clusterIPs", "clusterIP", "clusterIP");
    }
    if (has_addresses && !is_headless(service) && !is_headless(old_service) &&
        !items_of(spec_of(service).find("ipFamilies")).empty()) {
        check_kept(causes, service, old_service, "ipFamilies", "ipFamily", "ipFamily");
    }
    if (is_of_type(service, "LoadBalancer") && is_of_type(old_service, "LoadBalancer")) {
        const Value& now = member_or_null(spec_of(service), "loadBalancerClass");
        if (!(now == member_or_null(spec_of(old_service), "loadBalancerClass"))) {
            causes.push_back(invalid_value("spec.loadBalancerClass", now, "may not change once set")
            );
        }
    }
    // Kubernetes checks this both as an update and by itself, and tells both.
    check_balancer_class(causes, service);
    if (needs_health_check_port(service) && needs_health_check_port(old_service) &&
        int_at(spec_of(service), "healthCheckNodePort", 0) !=
            int_at(spec_of(old_service), "healthCheckNodePort", 0)) {
        causes.push_back(forbidden("spec.healthCheckNodePort", "field is immutable"));
    }
}

}  // namespace sluice::apiserver
