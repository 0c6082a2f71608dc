#pragma once

#include "apiserver/api_server.hpp"
#include "base/clock.hpp"

#include <cstdint>
#include <string_view>

namespace sluice::apiserver {

/// Creates what each cluster has from its beginning: namespaces, the priority classes of the
/// system, the range of service addresses, the levels of flow control that must be there, and that
/// the store is healthy.
void add_cluster_content(ApiServer& server, Time now);

/// Says by a ComponentStatus that a part of the control plane is healthy.
void add_component_status(ApiServer& server, std::string_view name);

/// Creates the Service `kubernetes`, by which pods find the API server, with its endpoint on the
/// loopback.
void add_own_service(ApiServer& server, std::uint16_t port, Time now);

}  // namespace sluice::apiserver
