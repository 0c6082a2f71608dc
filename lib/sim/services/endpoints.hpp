#pragma once

#include "sim/turn.hpp"

namespace sluice::sim {

/// The label of what these controllers make of Endpoints.
inline constexpr std::string_view kEndpointsController = "endpoints.kubernetes.io/managed-by";

/// One turn over a Service: its Endpoints and EndpointSlices have the pods that it selects.
Outcome reconcile_service(const Turn& turn);

/// One turn over Endpoints that somebody wrote for a Service without a selector: EndpointSlices
/// say the same.
Outcome mirror_endpoints(const Turn& turn);

}  // namespace sluice::sim
