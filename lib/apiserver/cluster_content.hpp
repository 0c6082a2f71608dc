#pragma once

#include "apiserver/api_server.hpp"
#include "base/clock.hpp"

#include <cstdint>

namespace sluice::apiserver {

/// Creates what each cluster has from its beginning: namespaces, the priority classes of the
/// system, the range of service addresses, and the levels of flow control that must be there.
void add_cluster_content(ApiServer& server, Time now);

/// Creates the Service `kubernetes`, by which pods find the API server, with its endpoint on the
/// loopback.
void add_own_service(ApiServer& server, std::uint16_t port, Time now);

}  // namespace sluice::apiserver
