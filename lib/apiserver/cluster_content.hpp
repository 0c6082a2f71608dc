#pragma once

#include "apiserver/api_server.hpp"
#include "base/clock.hpp"

#include <cstdint>
#include <string_view>

namespace sluice::apiserver {

/// Creates the objects that each cluster has from its beginning: namespaces, the priority classes
/// of the system, and the default roles.
void add_cluster_content(ApiServer& server, Time now);

/// Creates the Service `kubernetes`, by which pods find the API server, with its endpoint on the
/// loopback.
void add_own_service(ApiServer& server, std::uint16_t port, Time now);

}  // namespace sluice::apiserver
