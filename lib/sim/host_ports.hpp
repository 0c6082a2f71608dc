#pragma once

#include "json/value.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sluice::sim {

/// A port of a node that a container takes for itself (`hostPort`).
struct HostPort {
    std::string address;   ///< `hostIP`; "0.0.0.0": every address of the node
    std::string protocol;  ///< `TCP`, `UDP` or `SCTP`
    std::int64_t port = 0;
};

/// The ports that a pod takes of its node: those of its containers, and of its init containers that
/// go on beside them (`restartPolicy: Always`).
std::vector<HostPort> host_ports_of(const json::Value& pod);
/// Whether one of the wanted ports is taken: the same port and protocol at the same address, where
/// 0.0.0.0 is the same as any.
bool are_taken(const std::vector<HostPort>& wanted, const std::vector<HostPort>& taken);

}  // namespace sluice::sim
