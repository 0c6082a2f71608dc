#include "apiserver/service_families.hpp"

#include "apiserver/service_validation.hpp"
#include "apiserver/values.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

const Value& service_spec(const Value& service) {
    return member_or_null(service, "spec");
}

const json::Array& list_in_spec(const Value& service, const char* name) {
    return items_of(service_spec(service).find(name));
}

std::string_view text_in_spec(const Value& service, const char* name) {
    return service_spec(service).string_at(name);
}

bool needs_cluster_ip(const Value& service) {
    return text_in_spec(service, "type") != "ExternalName";
}

bool needs_node_ports(const Value& service) {
    const auto type = text_in_spec(service, "type");
    return type == "NodePort" || type == "LoadBalancer";
}

/// Ports that were given and are not said anew, by the name of the port.
void keep_node_ports(const Value& old_service, Value& spec) {
    Value* ports = spec.find("ports");
    if (ports == nullptr || !ports->is_array()) {
        return;
    }
    std::set<std::int64_t> named;
    for (const Value& port : ports->as_array()) {
        named.insert(int_at(port, "nodePort", 0));
    }
    std::map<std::string, std::int64_t, std::less<>> before;
    for (const Value& port : list_in_spec(old_service, "ports")) {
        before[std::string(port.string_at("name"))] = int_at(port, "nodePort", 0);
    }
    for (Value& port : ports->as_array()) {
        const auto known = before.find(port.string_at("name"));
        const bool is_open = int_at(port, "nodePort", 0) == 0;
        if (is_open && known != before.end() && known->second != 0 &&
            !named.contains(known->second)) {
            port.set("nodePort", known->second);
        }
    }
}

/// The member is as it was before, or was never there.
bool is_unchanged(const Value& service, const Value& old_service, const char* name) {
    return member_or_null(service_spec(service), name) ==
           member_or_null(service_spec(old_service), name);
}

void erase_unchanged(
    const Value& old_service, Value& service, std::initializer_list<const char*> names
) {
    for (const char* name : names) {
        if (is_unchanged(service, old_service, name)) {
            object_at(service, "spec").erase(name);
        }
    }
}

/// No port of nodes is asked for that it had not.
bool has_no_new_node_ports(const Value& service, const Value& old_service) {
    std::set<std::int64_t> before{0};
    for (const Value& port : list_in_spec(old_service, "ports")) {
        before.insert(int_at(port, "nodePort", 0));
    }
    return std::ranges::all_of(list_in_spec(service, "ports"), [&before](const Value& port) {
        return before.contains(int_at(port, "nodePort", 0));
    });
}

/// A service without selector and address is for the addresses of any family that others write.
bool is_open_to_families(const Value& service) {
    return text_in_spec(service, "clusterIP") == "None" &&
           members_of(service_spec(service).find("selector")).empty();
}

void choose_policy(const Value* old_service, Value& service) {
    Value& spec = object_at(service, "spec");
    if (!spec.string_at("ipFamilyPolicy").empty()) {
        return;
    }
    const std::string before(
        old_service == nullptr ? "" : text_in_spec(*old_service, "ipFamilyPolicy")
    );
    const char* const otherwise = is_open_to_families(service) ? "RequireDualStack" : "SingleStack";
    spec.set("ipFamilyPolicy", before.empty() ? otherwise : before);
}

void keep_first(Value& spec, const char* name) {
    if (Value* list = spec.find(name); list != nullptr && items_of(list).size() > 1) {
        *list = json::Array{list->as_array().front()};
    }
}

/// Where the policy says that there is one family, the second goes; where it does not, no update
/// may leave it out.
void follow_policy(Causes& causes, const Value& old_service, Value& service) {
    const std::string policy(text_in_spec(service, "ipFamilyPolicy"));
    for (const auto& [name, what] :
         {std::pair("clusterIPs", "cluster IP"), std::pair("ipFamilies", "IP family")}) {
        if (policy == "SingleStack" && is_unchanged(service, old_service, name)) {
            keep_first(object_at(service, "spec"), name);
        } else if (policy != "SingleStack" && list_in_spec(old_service, name).size() > 1 &&
                   list_in_spec(service, name).size() == 1) {
            causes.push_back(invalid_value(
                "spec.ipFamilyPolicy",
                policy,
                std::string("must be 'SingleStack' to release the secondary ") + what
            ));
        }
    }
}

void check_family_policy(Causes& causes, const Value& service) {
    constexpr std::string_view kMust =
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple ";
    for (const auto& [name, what] :
         {std::pair("clusterIPs", "cluster IPs"), std::pair("ipFamilies", "IP families")}) {
        if (text_in_spec(service, "ipFamilyPolicy") == "SingleStack" &&
            list_in_spec(service, name).size() == 2) {
            causes.push_back(invalid_value(
                "spec.ipFamilyPolicy", "SingleStack", std::string(kMust) + what + " are specified"
            ));
        }
    }
}

/// The families of addresses that are asked for.
void infer_families(Causes& causes, Value& service) {
    const json::Array addresses = list_in_spec(service, "clusterIPs");
    json::Array families = list_in_spec(service, "ipFamilies");
    for (std::size_t i = families.size(); i < addresses.size(); ++i) {
        const std::string& address = addresses[i].as_string();
        if (address == "None") {
            break;
        }
        if (address.find(':') != std::string::npos) {
            causes.push_back(invalid_value(
                element_path("spec.clusterIPs", i),
                addresses,
                "IPv6 is not configured on this cluster"
            ));
        } else {
            families.emplace_back("IPv4");
        }
    }
    if (!families.empty()) {
        object_at(service, "spec").set("ipFamilies", std::move(families));
    }
}

void choose_open_families(Value& service) {
    Value& spec = object_at(service, "spec");
    json::Array families = list_in_spec(service, "ipFamilies");
    if (families.empty()) {
        families.emplace_back("IPv4");
    }
    if (families.size() < 2 && spec.string_at("ipFamilyPolicy") != "SingleStack") {
        families.emplace_back(families.front() == Value("IPv4") ? "IPv6" : "IPv4");
    }
    spec.set("ipFamilies", std::move(families));
}

/// The cluster has IPv4 alone.
void check_against_cluster(Causes& causes, const Value& service) {
    if (text_in_spec(service, "ipFamilyPolicy") == "RequireDualStack") {
        causes.push_back(invalid_value(
            "spec.ipFamilyPolicy",
            "RequireDualStack",
            "this cluster is not configured for dual-stack services"
        ));
    }
    const auto& families = list_in_spec(service, "ipFamilies");
    for (std::size_t i = 0; i < families.size(); ++i) {
        if (!(families[i] == Value("IPv4"))) {
            causes.push_back(invalid_value(
                element_path("spec.ipFamilies", i), families[i], "not configured on this cluster"
            ));
        }
    }
}

void follow_each_other(const Value* old_service, Value& service) {
    Value& spec = object_at(service, "spec");
    const std::string address(spec.string_at("clusterIP"));
    const bool has_list = !items_of(spec.find("clusterIPs")).empty();
    if (old_service == nullptr) {
        if (!address.empty() && !has_list) {
            spec.set("clusterIPs", json::Array{address});
        }
        return;
    }
    const std::string before(text_in_spec(*old_service, "clusterIP"));
    const json::Array& old_list = list_in_spec(*old_service, "clusterIPs");
    if (!old_list.empty() && !has_list && address == before) {
        spec.set("clusterIPs", old_list);
    }
    if (address == before || !(items_of(spec.find("clusterIPs")) == old_list)) {
        return;
    }
    if (address.empty()) {
        spec.erase("clusterIPs");
    } else {
        spec.set("clusterIPs", json::Array{address});
    }
}

}  // namespace

void complete_service(const Value* old_service, Value& service) {
    Value& spec = object_at(service, "spec");
    if (old_service != nullptr && needs_cluster_ip(*old_service) && needs_cluster_ip(service)) {
        const std::string before(text_in_spec(*old_service, "clusterIP"));
        if (spec.string_at("clusterIP").empty() && !before.empty()) {
            spec.set("clusterIP", before);
        }
        const auto& list = list_in_spec(*old_service, "clusterIPs");
        if (items_of(spec.find("clusterIPs")).empty() && !list.empty()) {
            spec.set("clusterIPs", list);
        }
    }
    if (old_service != nullptr && allocates_node_ports(*old_service) &&
        allocates_node_ports(service)) {
        keep_node_ports(*old_service, spec);
    }
    if (old_service != nullptr && needs_health_check_port(*old_service) &&
        needs_health_check_port(service) && int_at(spec, "healthCheckNodePort", 0) == 0) {
        spec.set(
            "healthCheckNodePort", int_at(service_spec(*old_service), "healthCheckNodePort", 0)
        );
    }
    follow_each_other(old_service, service);
    if (!needs_cluster_ip(service)) {
        spec.erase("internalTrafficPolicy");
    }
}

Causes choose_service_families(const Value* old_service, Value& service) {
    Causes causes;
    if (!needs_cluster_ip(service)) {
        return causes;
    }
    constexpr std::string_view kPrefer = "PreferDualStack";
    const bool is_settled = old_service != nullptr &&
                            text_in_spec(service, "ipFamilyPolicy") == kPrefer &&
                            text_in_spec(*old_service, "ipFamilyPolicy") == kPrefer &&
                            is_unchanged(service, *old_service, "type") &&
                            is_unchanged(service, *old_service, "clusterIPs") &&
                            is_unchanged(service, *old_service, "ipFamilies");
    if (is_settled) {
        return causes;
    }
    choose_policy(old_service, service);
    check_cluster_ips(causes, service);
    if (!causes.empty()) {
        return causes;
    }
    if (old_service != nullptr) {
        follow_policy(causes, *old_service, service);
    }
    check_family_policy(causes, service);
    infer_families(causes, service);
    if (!causes.empty()) {
        return causes;
    }
    if (is_open_to_families(service)) {
        choose_open_families(service);
        return causes;
    }
    check_against_cluster(causes, service);
    if (causes.empty() && list_in_spec(service, "ipFamilies").empty()) {
        object_at(service, "spec").set("ipFamilies", json::Array{"IPv4"});
    }
    return causes;
}

void drop_service_fields(const Value& old_service, Value& service) {
    Value& spec = object_at(service, "spec");
    if (needs_cluster_ip(old_service) && !needs_cluster_ip(service)) {
        if (is_unchanged(service, old_service, "clusterIP") &&
            is_unchanged(service, old_service, "clusterIPs")) {
            spec.erase("clusterIP");
            spec.erase("clusterIPs");
        }
        erase_unchanged(old_service, service, {"ipFamilies", "ipFamilyPolicy"});
    }
    if (needs_node_ports(old_service) && !needs_node_ports(service) &&
        has_no_new_node_ports(service, old_service)) {
        if (Value* ports = spec.find("ports"); ports != nullptr && ports->is_array()) {
            for (Value& port : ports->as_array()) {
                port.erase("nodePort");
            }
        }
    }
    if (needs_health_check_port(old_service) && !needs_health_check_port(service)) {
        erase_unchanged(old_service, service, {"healthCheckNodePort"});
    }
    const bool was_balancer = text_in_spec(old_service, "type") == "LoadBalancer";
    if (was_balancer && spec.string_at("type") != "LoadBalancer") {
        erase_unchanged(
            old_service, service, {"allocateLoadBalancerNodePorts", "loadBalancerClass"}
        );
    }
    if (is_externally_accessible(old_service) && !is_externally_accessible(service)) {
        erase_unchanged(old_service, service, {"externalTrafficPolicy"});
    }
    if (spec.string_at("type") != "LoadBalancer") {
        if (Value* status = service.find("status"); status != nullptr && status->is_object()) {
            status->set("loadBalancer", json::Object{});
        }
    }
}

}  // namespace sluice::apiserver
