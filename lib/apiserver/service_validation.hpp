#pragma once

#include "apiserver/field_checks.hpp"
#include "json/value.hpp"

namespace sluice::apiserver {

/// The only address of the Service is None: its pods have addresses, it has not.
bool is_headless(const json::Value& service);
/// The Service has ports of nodes or addresses from outside.
bool is_externally_accessible(const json::Value& service);
/// The Service is given ports of nodes; those that it asks for by itself it may have anyway.
bool allocates_node_ports(const json::Value& service);
/// Nodes are asked on a port of their own whether they have a pod of the Service.
bool needs_health_check_port(const json::Value& service);

/// What is wrong with a Service by itself, which has its addresses and families already.
void check_service(Causes& causes, const json::Value& service);
/// What an update may not change: addresses and families of one that had some.
void check_service_update(
    Causes& causes, const json::Value& service, const json::Value& old_service
);
/// What is wrong with the status of a Service: the addresses at which its balancer is reached.
void check_service_status(Causes& causes, const json::Value& service);
/// Whether addresses and families fit each other.
void check_cluster_ips(Causes& causes, const json::Value& service);

}  // namespace sluice::apiserver
