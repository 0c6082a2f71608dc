#include "apiserver/service_addresses.hpp"

#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <charconv>
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
    std::uint32_t address = 0;
    for (int part = 0; part < 4; ++part) {
        unsigned number = 0;
        const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (fault != std::errc() || number > 255) {
            return std::nullopt;
        }
        address = (address << 8U) | number;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (part < 3) {
            if (!text.starts_with('.')) {
                return std::nullopt;
            }
            text.remove_prefix(1);
        }
    }
    return text.empty() ? std::optional(address) : std::nullopt;
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
            return refuse("the provided network does not match the current range");
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

void drop_node_ports(const Value& old_service, Value& spec) {
    Value* ports = spec.find("ports");
    if (ports == nullptr || !ports->is_array()) {
        return;
    }
    std::set<std::int64_t> old_ports;
    for (const Value& port : items_of(old_service.find_path({"spec", "ports"}))) {
        old_ports.insert(int_at(port, "nodePort", 0));
    }
    for (Value& port : ports->as_array()) {
        if (old_ports.contains(int_at(port, "nodePort", 0))) {
            port.erase("nodePort");
        }
    }
}

void keep_node_ports(const Value& old_service, Value& spec) {
    Value* ports = spec.find("ports");
    if (ports == nullptr || !ports->is_array()) {
        return;
    }
    for (Value& port : ports->as_array()) {
        if (int_at(port, "nodePort", 0) != 0) {
            continue;
        }
        for (const Value& old_port : items_of(old_service.find_path({"spec", "ports"}))) {
            const bool is_same = int_at(old_port, "port", 0) == int_at(port, "port", 0) &&
                                 old_port.string_at("protocol") == port.string_at("protocol");
            if (const auto number = int_at(old_port, "nodePort", 0); is_same && number != 0) {
                port.set("nodePort", number);
            }
        }
    }
}

void drop_unchanged(
    const Value& old_service, Value& spec, std::initializer_list<const char*> names
) {
    for (const char* name : names) {
        const Value* now = spec.find(name);
        const Value* before = old_service.find_path({"spec", name});
        if (now != nullptr && before != nullptr && *now == *before) {
            spec.erase(name);
        }
    }
}

}  // namespace

void keep_service_addresses(const Value& old_service, Value& service) {
    Value& spec = object_at(service, "spec");
    const bool had_address = has_address(old_service);
    if (had_address && has_address(service)) {
        const Value* address = old_service.find_path({"spec", "clusterIP"});
        if (address != nullptr && spec.string_at("clusterIP").empty()) {
            spec.set("clusterIP", *address);
        }
        const Value* addresses = old_service.find_path({"spec", "clusterIPs"});
        const bool is_kept =
            address != nullptr && spec.string_at("clusterIP") == address->as_string();
        if (addresses != nullptr && is_kept && items_of(spec.find("clusterIPs")).empty()) {
            spec.set("clusterIPs", *addresses);
        }
        for (const char* name : {"ipFamilies", "ipFamilyPolicy"}) {
            if (const Value* value = old_service.find_path({"spec", name})) {
                set_default(spec, name, *value);
            }
        }
    } else if (had_address) {
        drop_unchanged(
            old_service,
            spec,
            {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"}
        );
    }
    if (has_node_ports(old_service) && has_node_ports(service)) {
        keep_node_ports(old_service, spec);
    } else if (has_node_ports(old_service)) {
        drop_node_ports(old_service, spec);
    }
    const auto type = service_type_of(service);
    if (type != "NodePort" && type != "LoadBalancer") {
        drop_unchanged(old_service, spec, {"externalTrafficPolicy"});
    }
    if (type != "LoadBalancer") {
        drop_unchanged(old_service, spec, {"allocateLoadBalancerNodePorts"});
    }
}

Result<std::vector<Cause>> give_service_addresses(
    const State& state, const Value* old_service, Value& service
) {
    std::vector<Cause> causes;
    Value& spec = object_at(service, "spec");
    const bool needs_address =
        has_address(service) &&
        (old_service == nullptr || !has_address(*old_service) ||
         old_service->find("spec")->string_at("clusterIP") != spec.string_at("clusterIP"));
    if (!needs_address && !has_node_ports(service)) {
        return causes;
    }
    Used used = find_used(state, service);
    if (needs_address) {
        if (auto cause = give_address(used, service, spec)) {
            causes.push_back(std::move(*cause));
        }
        if (const std::string address(spec.string_at("clusterIP")); !address.empty()) {
            set_default(spec, "clusterIPs", json::Array{address});
            set_default(spec, "ipFamilies", json::Array{"IPv4"});
            set_default(spec, "ipFamilyPolicy", "SingleStack");
        }
    }
    if (has_node_ports(service)) {
        if (auto given = give_node_ports(used, service, spec, causes); !given) {
            return given.error();
        }
    }
    return causes;
}

}  // namespace sluice::apiserver
