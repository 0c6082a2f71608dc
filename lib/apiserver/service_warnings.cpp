#include "apiserver/service_warnings.hpp"

#include "apiserver/field_checks.hpp"
#include "apiserver/ip_address.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <string_view>

namespace sluice::apiserver {
namespace {

using json::Value;
using Warnings = std::vector<std::string>;

void add_form_warning(Warnings& warnings, const std::string& field, const Value& text) {
    if (!text.is_string()) {
        return;
    }
    const auto address = parse_ip_address(text.as_string());
    // What the system's library would print with the digits of IPv4 is not judged.
    const bool is_judged =
        address && address->is_v6 && address->printed().find('.') == std::string::npos;
    if (is_judged && address->printed() != text.as_string()) {
        warnings.push_back(fmt::format(
            "{}: IPv6 address \"{}\" should be in RFC 5952 canonical format (\"{}\")",
            field,
            text.as_string(),
            address->printed()
        ));
    }
}

}  // namespace

void add_service_warnings(const Value& service, Warnings& warnings) {
    const Value& spec = member_or_null(service, "spec");
    const auto type = spec.string_at("type");
    const auto& external = items_of(spec.find("externalIPs"));
    const bool has_external = !external.empty();
    const std::string balancer(spec.string_at("loadBalancerIP"));
    const bool has_no_address = type == "ClusterIP" && spec.string_at("clusterIP") == "None";
    constexpr const char* kHints = "service.kubernetes.io/topology-aware-hints";
    if (service.find_path({"metadata", "annotations", kHints}) != nullptr) {
        warnings.push_back(fmt::format(
            "annotation {} is deprecated, please use service.kubernetes.io/topology-mode instead",
            kHints
        ));
    }
    if (has_no_address && !balancer.empty()) {
        warnings.emplace_back("spec.loadBalancerIP is ignored for headless services");
    }
    if (has_no_address && has_external) {
        warnings.emplace_back("spec.externalIPs is ignored for headless services");
    }
    if (has_no_address && spec.string_at("sessionAffinity") != "None") {
        warnings.emplace_back("spec.SessionAffinity is ignored for headless services");
    }
    for (std::size_t i = 0; i < external.size(); ++i) {
        add_form_warning(warnings, element_path("spec.externalIPs", i), external[i]);
    }
    if (has_external && !has_no_address && type != "ExternalName") {
        warnings.emplace_back(
            "spec.externalIPs is deprecated and may no longer be implemented in some clusters"
        );
    }
    add_form_warning(warnings, "spec.loadBalancerIP", balancer);
    if (type == "ExternalName" && has_external) {
        warnings.emplace_back("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
    }
    if (type != "ExternalName" && !spec.string_at("externalName").empty()) {
        warnings.emplace_back("spec.externalName is ignored when spec.type is not \"ExternalName\""
        );
    }
    if (spec.string_at("trafficDistribution") == "PreferClose") {
        warnings.emplace_back(
            "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\""
        );
    }
}

}  // namespace sluice::apiserver
