#include "apiserver/service_addresses.hpp"

#include "apiserver/ip_address.hpp"
#include "apiserver/service_validation.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace sluice::apiserver {

namespace {

using json::Value;

constexpr std::uint32_t kFirstAddress = (10U << 24U) | (96U << 16U);
constexpr std::uint32_t kAddresses = 1U << 20U;
/// The lowest are left to those who ask for one.
constexpr std::uint32_t kFirstGiven = 256;
constexpr std::int64_t kFirstPort = 30'000;
constexpr std::int64_t kLastPort = 32'767;
constexpr std::uint32_t kPortRoom = kLastPort - kFirstPort + 1;

std::string print_address(std::uint32_t address) {
    return fmt::format(
        "{}.{}.{}.{}",
        address >> 24U,
        (address >> 16U) & 255U,
        (address >> 8U) & 255U,
        address & 255U
    );
}

std::optional<std::uint32_t> read_address(std::string_view text) {
    const auto address = parse_ip_address(text);
    if (!address || address->is_v6) {
        return std::nullopt;
    }
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        number = (number << 8U) | address->bytes[i];
    }
    return number;
}

std::string_view service_type_of(const Value& service) {
    const Value* spec = service.find("spec");
    return spec == nullptr ? std::string_view() : spec->string_at("type");
}

bool has_address(const Value& service) {
    return service_type_of(service) != "ExternalName";
}

bool has_node_ports(const Value& service) {
    const auto type = service_type_of(service);
    const Value* allocates = service.find_path({"spec", "allocateLoadBalancerNodePorts"});
    const bool is_declined = allocates != nullptr && *allocates == Value(false);
    return type == "NodePort" || (type == "LoadBalancer" && !is_declined);
}

struct Used {
    std::set<std::string, std::less<>> addresses;
    std::set<std::pair<std::string, std::int64_t>> ports;  ///< by protocol
};

Used find_used(const State& state, const Value& service) {
    Used used;
    const Value* uid = service.find_path({"metadata", "uid"});
    for (const auto& [name, other] : state.store.objects({"", "services"})) {
        const Value* other_uid = other->find_path({"metadata", "uid"});
        if (uid != nullptr && other_uid != nullptr && *uid == *other_uid) {
            continue;
        }
        for (const Value& address : items_of(other->find_path({"spec", "clusterIPs"}))) {
            used.addresses.insert(address.as_string());
        }
        for (const Value& port : items_of(other->find_path({"spec", "ports"}))) {
            if (const auto number = int_at(port, "nodePort", 0); number != 0) {
                used.ports.emplace(port.string_at("protocol"), number);
            }
        }
        const Value* spec = other->find("spec");
        if (const auto port = spec == nullptr ? 0 : int_at(*spec, "healthCheckNodePort", 0);
            port != 0) {
            used.ports.emplace("TCP", port);
        }
    }
    return used;
}

/// Where the search begins, so that addresses of services that come and go are not the same.
std::uint32_t begin_of(const Value& service, std::uint32_t count) {
    std::uint32_t hash = 2166136261U;
    const Value* uid = service.find_path({"metadata", "uid"});
    for (const char c : uid == nullptr ? std::string() : uid->as_string()) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    }
    return hash % count;
}

std::optional<Cause> give_address(const Used& used, const Value& service, Value& spec) {
    const std::string asked(spec.string_at("clusterIP"));
    if (asked == "None") {
        return std::nullopt;
    }
    const auto refuse = [&asked](std::string_view why) {
        return invalid_value(
            "spec.clusterIPs",
            json::Array{asked},
            fmt::format("failed to allocate IP {}: {}", asked, why)
        );
    };
    if (!asked.empty()) {
        const auto address = read_address(asked);
        if (!address || *address <= kFirstAddress || *address - kFirstAddress >= kAddresses - 1) {
            return refuse(fmt::format(
                "the provided IP ({}) is not in the valid range. The range of valid IPs is "
                "10.96.0.0/12",
                asked
            ));
        }
        if (used.addresses.contains(asked)) {
            return refuse("provided IP is already allocated");
        }
        return std::nullopt;
    }
    constexpr std::uint32_t kRoom = kAddresses - kFirstGiven - 1;
    const std::uint32_t begin = begin_of(service, kRoom);
    for (std::uint32_t i = 0; i < kRoom; ++i) {
        const auto address = print_address(kFirstAddress + kFirstGiven + (begin + i) % kRoom);
        if (!used.addresses.contains(address)) {
            spec.set("clusterIP", address);
            spec.set("clusterIPs", json::Array{address});
            return std::nullopt;
        }
    }
    return refuse("range is full");
}

/// The free port that is next to `begin`, which is then used; nothing: there is none.
std::optional<std::int64_t> take_free_port(
    Used& used, const std::string& protocol, std::uint32_t begin
) {
    for (std::uint32_t i = 0; i < kPortRoom; ++i) {
        const std::int64_t number = kFirstPort + (begin + i) % kPortRoom;
        if (used.ports.emplace(protocol, number).second) {
            return number;
        }
    }
    return std::nullopt;
}

Result<void> give_node_ports(
    Used& used, const Value& service, Value& spec, std::vector<Cause>& causes
) {
    Value* ports = spec.find("ports");
    if (ports == nullptr || !ports->is_array()) {
        return {};
    }
    std::uint32_t next = begin_of(service, kPortRoom);
    std::size_t place = 0;
    for (Value& port : ports->as_array()) {
        const std::string path = fmt::format("spec.ports[{}].nodePort", place++);
        const std::string protocol(port.string_at("protocol"));
        const std::int64_t asked = int_at(port, "nodePort", 0);
        if (asked != 0 && (asked < kFirstPort || asked > kLastPort)) {
            causes.push_back(invalid_value(
                path,
                asked,
                fmt::format(
                    "provided port is not in the valid range. The range of valid ports is {}-{}",
                    kFirstPort,
                    kLastPort
                )
            ));
        } else if (asked != 0 && !used.ports.emplace(protocol, asked).second) {
            causes.push_back(invalid_value(path, asked, "provided port is already allocated"));
        }
        if (asked == 0) {
            const auto number = take_free_port(used, protocol, next);
            if (!number) {
                return internal("failed to allocate a nodePort: range is full");
            }
            port.set("nodePort", *number);
            next = static_cast<std::uint32_t>(*number - kFirstPort) + 1;
        }
    }
    return {};
}

}  // namespace

Result<std::vector<Cause>> give_service_addresses(
    const State& state, const Value* old_service, Value& service
) {
    std::vector<Cause> causes;
    Value& spec = object_at(service, "spec");
    const bool needs_address =
        has_address(service) &&
        (old_service == nullptr || !has_address(*old_service) ||
         old_service->find("spec")->string_at("clusterIP") != spec.string_at("clusterIP"));
    const bool needs_port = has_node_ports(service) || needs_health_check_port(service);
    if (!needs_address && !needs_port) {
        return causes;
    }
    Used used = find_used(state, service);
    if (needs_address) {
        if (auto cause = give_address(used, service, spec)) {
            causes.push_back(std::move(*cause));
        }
    }
    if (has_node_ports(service)) {
        if (auto given = give_node_ports(used, service, spec, causes); !given) {
            return given.error();
        }
    }
    if (needs_health_check_port(service) && int_at(spec, "healthCheckNodePort", 0) == 0) {
        const auto number = take_free_port(used, "TCP", begin_of(service, kPortRoom));
        if (!number) {
            return internal("failed to allocate a HealthCheck NodePort: range is full");
        }
        spec.set("healthCheckNodePort", *number);
    }
    return causes;
}

}  // namespace sluice::apiserver
