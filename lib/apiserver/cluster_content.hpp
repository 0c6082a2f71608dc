// The objects of a new cluster.
#pragma once

#include "apiserver/api_server.hpp"
#include "base/clock.hpp"

#include <cstdint>
#include <string_view>

namespace sluice::apiserver {

/// Creates the objects of a new cluster: namespaces, the system's priority classes, and the default
/// roles.
void add_cluster_content(ApiServer& server, Time now);

/// Creates the Service `kubernetes`, by which pods find the API server, with an endpoint on the
/// loopback address.
void add_own_service(ApiServer& server, std::uint16_t port, Time now);

}  // namespace sluice::apiserver
