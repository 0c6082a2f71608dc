#include "apiserver/ingress_validation.hpp"

#include "api/names.hpp"
#include "apiserver/ip_address.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace sluice::apiserver {

namespace {

using json::Value;

/// A host of which the first label may be `*`.
void check_wildcard_host(Causes& causes, const std::string& path, std::string_view host) {
    if (host.starts_with("*.") && api::has_subdomain_form(host.substr(2))) {
        return;
    }
    causes.push_back(invalid_value(
        path,
        host,
        api::pattern_problem(
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS "
            "subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and "
            "end with an alphanumeric character",
            R"(\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)",
            {"*.example.com"}
        )
    ));
}

void check_host(Causes& causes, const std::string& path, std::string_view host) {
    if (host.find('*') != std::string_view::npos) {
        check_wildcard_host(causes, path, host);
    } else {
        check_subdomain(causes, path, host);
    }
}

void check_service_backend(Causes& causes, const std::string& path, const Value& service) {
    const std::string_view name = service.string_at("name");
    if (name.empty()) {
        causes.push_back(required_value(path + ".service.name"));
    } else {
        check_label(causes, path + ".service.name", name);
    }
    const Value& port = member_or_null(service, "port");
    const std::string_view port_name = port.string_at("name");
    const std::int64_t number = int_at(port, "number", 0);
    if (!port_name.empty() && number != 0) {
        causes.push_back(invalid_value(path, "", "cannot set both port name & port number"));
    } else if (number != 0) {
        check_port(causes, path + ".service.port.number", number);
    } else if (!port_name.empty()) {
        const std::string field = path + ".service.port.name";
        add_problems(causes, field, port_name, find_port_name_problems(port_name));
    } else {
        causes.push_back(required_value(path, "port name or number is required"));
    }
}

void check_backend(Causes& causes, const std::string& path, const Value& backend) {
    const Value* resource = backend.find("resource");
    const Value* service = backend.find("service");
    if (resource != nullptr && service != nullptr) {
        causes.push_back(invalid_value(path, "", "cannot set both resource and service backends"));
    } else if (service != nullptr) {
        check_service_backend(causes, path, *service);
    } else if (resource == nullptr) {
        causes.push_back(invalid_value(path, "", "resource or service backend is required"));
    } else {
        for (const char* const name : {"kind", "name"}) {
            if (resource->string_at(name).empty()) {
                causes.push_back(required_value(fmt::format("{}.resource.{}", path, name)));
            }
        }
    }
}

/// A path that is compared as it is written, whole or in its beginning.
void check_plain_path(Causes& causes, const std::string& field, std::string_view path) {
    for (const char* const bad : {"//", "/./", "/../", "%2f", "%2F"}) {
        if (path.find(bad) != std::string_view::npos) {
            causes.push_back(invalid_value(field, path, fmt::format("must not contain '{}'", bad)));
        }
    }
    for (const char* const bad : {"/..", "/."}) {
        if (path.ends_with(bad)) {
            causes.push_back(invalid_value(field, path, fmt::format("cannot end with '{}'", bad)));
        }
    }
}

void check_http_path(Causes& causes, const std::string& field, const Value& http_path) {
    const std::string_view path = http_path.string_at("path");
    const std::string_view type = http_path.string_at("pathType");
    if (type.empty()) {
        causes.push_back(required_value(field + ".pathType", "pathType must be specified"));
        return;
    }
    const bool is_plain = type == "Exact" || type == "Prefix";
    if (!is_plain && type != "ImplementationSpecific") {
        causes.push_back(unsupported_value(
            field + ".pathType", type, {"Exact", "ImplementationSpecific", "Prefix"}
        ));
    } else {
        if (!path.starts_with('/') && (is_plain || !path.empty())) {
            causes.push_back(invalid_value(field + ".path", path, "must be an absolute path"));
        }
        if (is_plain) {
            check_plain_path(causes, field + ".path", path);
        }
    }
    check_backend(causes, field + ".backend", member_or_null(http_path, "backend"));
}

void check_rule(Causes& causes, const std::string& path, const Value& rule) {
    if (const std::string_view host = rule.string_at("host"); !host.empty()) {
        if (parse_ip_address(host)) {
            causes.push_back(
                invalid_value(path + ".host", host, "must be a DNS name, not an IP address")
            );
        }
        check_host(causes, path + ".host", host);
    }
    const Value* http = rule.find("http");
    if (http == nullptr || !http->is_object()) {
        return;
    }
    const auto& paths = items_of(http->find("paths"));
    if (paths.empty()) {
        causes.push_back(required_value(path + ".http.paths"));
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
        check_http_path(causes, element_path(path + ".http.paths", i), paths[i]);
    }
}

}  // namespace

void check_ingress(Causes& causes, const Value& ingress) {
    const Value& spec = member_or_null(ingress, "spec");
    const Value* fallback = spec.find("defaultBackend");
    const auto& rules = items_of(spec.find("rules"));
    if (rules.empty() && fallback == nullptr) {
        causes.push_back(invalid_value(
            "spec",
            member_or_null(spec, "rules"),
            "either `defaultBackend` or `rules` must be specified"
        ));
    }
    if (fallback != nullptr) {
        check_backend(causes, "spec.defaultBackend", *fallback);
    }
    for (std::size_t i = 0; i < rules.size(); ++i) {
        check_rule(causes, element_path("spec.rules", i), rules[i]);
    }
    const auto& certificates = items_of(spec.find("tls"));
    for (std::size_t i = 0; i < certificates.size(); ++i) {
        const std::string path = element_path("spec.tls", i);
        const auto& hosts = items_of(certificates[i].find("hosts"));
        for (std::size_t j = 0; j < hosts.size(); ++j) {
            if (hosts[j].is_string()) {
                check_host(causes, element_path(path + ".hosts", j), hosts[j].as_string());
            }
        }
        if (const auto secret = certificates[i].string_at("secretName"); !secret.empty()) {
            check_subdomain(causes, path + ".secretName", secret);
        }
    }
    if (const auto name = spec.string_at("ingressClassName"); !name.empty()) {
        check_subdomain(causes, "spec.ingressClassName", name);
    }
}

void check_new_ingress(Causes& causes, const Value& ingress) {
    const Value* said =
        ingress.find_path({"metadata", "annotations", "kubernetes.io/ingress.class"});
    const Value* name = ingress.find_path({"spec", "ingressClassName"});
    if (said != nullptr && name != nullptr && !(*said == *name)) {
        causes.push_back(invalid_value(
            "annotations.kubernetes.io/ingress.class",
            *said,
            "must match `ingressClassName` when both are specified"
        ));
    }
}

}  // namespace sluice::apiserver
