#include "sim/host_ports.hpp"

#include "sim/fields.hpp"

#include <algorithm>
#include <string_view>

namespace sluice::sim {

namespace {

constexpr std::string_view kEveryAddress = "0.0.0.0";

std::string text_or(const json::Value& object, std::string_view member, std::string_view absent) {
    const std::string_view text = text_at(object, {member});
    return std::string(text.empty() ? absent : text);
}

void add_ports(std::vector<HostPort>& ports, const json::Value& container) {
    for (const json::Value& port : list_at(container, {"ports"})) {
        if (const auto number = find_int(port, {"hostPort"}).value_or(0); number > 0) {
            ports.push_back(
                {.address = text_or(port, "hostIP", kEveryAddress),
                 .protocol = text_or(port, "protocol", "TCP"),
                 .port = number}
            );
        }
    }
}

bool is_same_port(const HostPort& left, const HostPort& right) {
    return left.port == right.port && left.protocol == right.protocol &&
           (left.address == right.address || left.address == kEveryAddress ||
            right.address == kEveryAddress);
}

}  // namespace

std::vector<HostPort> host_ports_of(const json::Value& pod) {
    std::vector<HostPort> ports;
    for (const json::Value& container : list_at(pod, {"spec", "containers"})) {
        add_ports(ports, container);
    }
    for (const json::Value& container : list_at(pod, {"spec", "initContainers"})) {
        if (text_at(container, {"restartPolicy"}) == "Always") {
            add_ports(ports, container);
        }
    }
    return ports;
}

bool are_taken(const std::vector<HostPort>& wanted, const std::vector<HostPort>& taken) {
    return std::ranges::any_of(wanted, [&taken](const HostPort& port) {
        return std::ranges::any_of(taken, [&port](const HostPort& other) {
            return is_same_port(port, other);
        });
    });
}

}  // namespace sluice::sim
