#include "apiserver/service_addresses.hpp"

#include "apiserver/ip_address.hpp"
#include "apiserver/service_validation.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
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

struct Used {
    std::set<std::string, std::less<>> addresses;
    std::set<std::int64_t> ports;  ///< of nodes, whatever the protocol
};

void add_ports(const Value& service, std::set<std::int64_t>& ports) {
    for (const Value& port : items_of(service.find_path({"spec", "ports"}))) {
        ports.insert(int_at(port, "nodePort", 0));
    }
    const Value* spec = service.find("spec");
    ports.insert(spec == nullptr ? 0 : int_at(*spec, "healthCheckNodePort", 0));
    ports.erase(0);
}

/// By all other services.
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
        add_ports(*other, used.ports);
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

/// Ports of nodes for one Service.
class NodePorts {
  public:
    NodePorts(std::set<std::int64_t>& used, const Value& service)
        : used_(used), next_(begin_of(service, kPortRoom)) {}

    /// Takes this one. Returns why not; "": it is taken.
    std::string take(std::int64_t number) {
        if (number < kFirstPort || number > kLastPort) {
            return fmt::format(
                "provided port is not in the valid range. The range of valid ports is {}-{}",
                kFirstPort,
                kLastPort
            );
        }
        return used_.insert(number).second ? "" : "provided port is already allocated";
    }

    /// Takes one that is free; none: there is none.
    std::optional<std::int64_t> take_free() {
        for (std::uint32_t i = 0; i < kPortRoom; ++i) {
            const std::int64_t number = kFirstPort + next_++ % kPortRoom;
            if (used_.insert(number).second) {
                return number;
            }
        }
        return std::nullopt;
    }

  private:
    std::set<std::int64_t>& used_;
    std::uint32_t next_;
};

/// The port of nodes that one of the ports from this on asks for with the same number; 0: none.
std::int64_t find_asked(const json::Array& ports, std::size_t from) {
    const auto number = int_at(ports[from], "port", 0);
    for (std::size_t i = from; i < ports.size(); ++i) {
        const auto asked = int_at(ports[i], "nodePort", 0);
        if (asked != 0 && int_at(ports[i], "port", 0) == number) {
            return asked;
        }
    }
    return 0;
}

/// What a Service has of ports of nodes. Ports of one number share theirs in a new Service. In an
/// update, ports that it had or that it names twice are not taken anew.
struct PortsOfService {
    bool is_new = true;
    std::set<std::int64_t> own;                  ///< that it has
    std::map<std::int64_t, std::int64_t> given;  ///< by the number of the port
};

Result<std::vector<Cause>> give_node_ports(
    NodePorts& node_ports, PortsOfService known, Value& service
) {
    Value* list = object_at(service, "spec").find("ports");
    if (list == nullptr || !list->is_array()) {
        return std::vector<Cause>();
    }
    json::Array& ports = list->as_array();
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const auto number = int_at(ports[i], "port", 0);
        auto asked = int_at(ports[i], "nodePort", 0);
        if (asked == 0 && !allocates_node_ports(service)) {
            continue;
        }
        const auto given = known.given.find(number);
        if (asked == 0 && known.is_new) {
            asked = given != known.given.end() ? given->second : find_asked(ports, i);
        }
        const bool has_it = known.is_new ? given != known.given.end() && given->second == asked
                                         : known.own.contains(asked);
        if (asked == 0) {
            const auto free = node_ports.take_free();
            if (!free) {
                return internal("failed to allocate a nodePort: range is full");
            }
            asked = *free;
        } else if (!has_it) {
            if (const std::string why = node_ports.take(asked); !why.empty()) {
                return std::vector{
                    invalid_value(element_path("spec.ports", i) + ".nodePort", asked, why)
                };
            }
        }
        known.own.insert(asked);
        known.given.emplace(number, asked);
        ports[i].set("nodePort", asked);
    }
    return std::vector<Cause>();
}

Result<void> give_health_port(NodePorts& node_ports, Value& service) {
    Value& spec = object_at(service, "spec");
    if (const auto asked = int_at(spec, "healthCheckNodePort", 0); asked != 0) {
        const std::string why = node_ports.take(asked);
        return why.empty()
                   ? Result<void>()
                   : internal(fmt::format(
                         "failed to allocate requested HealthCheck NodePort {}: {}", asked, why
                     ));
    }
    const auto number = node_ports.take_free();
    if (!number) {
        return internal("failed to allocate a HealthCheck NodePort: range is full");
    }
    spec.set("healthCheckNodePort", *number);
    return {};
}

bool may_have_node_ports(const Value& service) {
    const auto type = service_type_of(service);
    return type == "NodePort" || type == "LoadBalancer";
}

}  // namespace

Result<std::vector<Cause>> give_service_addresses(
    const State& state, const Value* old_service, Value& service
) {
    const bool needs_address =
        has_address(service) && (old_service == nullptr || !has_address(*old_service));
    const bool needs_health_port =
        needs_health_check_port(service) &&
        (old_service == nullptr || !needs_health_check_port(*old_service));
    if (!needs_address && !needs_health_port && !may_have_node_ports(service)) {
        return std::vector<Cause>();
    }
    Used used = find_used(state, service);
    if (needs_address) {
        if (auto cause = give_address(used, service, object_at(service, "spec"))) {
            return std::vector{std::move(*cause)};
        }
    }
    NodePorts node_ports(used.ports, service);
    if (may_have_node_ports(service)) {
        PortsOfService known{.is_new = old_service == nullptr, .own = {}, .given = {}};
        if (old_service != nullptr) {
            add_ports(*old_service, known.own);
            used.ports.insert(known.own.begin(), known.own.end());
        }
        auto causes = give_node_ports(node_ports, std::move(known), service);
        if (!causes || !causes->empty()) {
            return causes;
        }
    }
    if (needs_health_port) {
        if (auto given = give_health_port(node_ports, service); !given) {
            return given.error();
        }
    }
    return std::vector<Cause>();
}

}  // namespace sluice::apiserver
