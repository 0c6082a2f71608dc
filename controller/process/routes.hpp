#pragma once

#include "controller/reconcilers/reconcile.hpp"
#include "controller/reconcilers/stores.hpp"

#include <functional>

/// Which objects are to be looked at when one changed: events only say "look again".
namespace sluice::controller {

/// How soon an object is looked at. Statuses of queues follow their workloads in batches.
enum class Urgency : std::uint8_t { AtOnce, Batched };

/// Called for each object to look at.
using Look = std::function<void(const ObjectKey&, Urgency)>;

// Each is called after the store has taken the change.
void route(const Stores& stores, const kube::Change<api::ClusterQueue>& change, const Look& look);
void route(const Stores& stores, const kube::Change<api::LocalQueue>& change, const Look& look);
void route(const Stores& stores, const kube::Change<api::ResourceFlavor>& change, const Look& look);
void route(const Stores& stores, const kube::Change<api::Cohort>& change, const Look& look);
void route(
    const Stores& stores, const kube::Change<api::WorkloadPriorityClass>& change, const Look& look
);
void route(const Stores& stores, const kube::Change<api::Workload>& change, const Look& look);
void route(const Stores& stores, const kube::Change<api::AdmissionCheck>& change, const Look& look);
void route(const Stores& stores, const kube::Change<api::Topology>& change, const Look& look);
void route(const Stores& stores, const kube::Change<api::Job>& change, const Look& look);
void route(const Stores& stores, const kube::Change<api::Namespace>& change, const Look& look);
void route(const Stores& stores, const kube::Change<api::LimitRange>& change, const Look& look);
void route(const Stores& stores, const kube::Change<api::RuntimeClass>& change, const Look& look);
void route(const Stores& stores, const kube::Change<api::PriorityClass>& change, const Look& look);

/// Everything there is, for a replica that begins to act.
void route_all(const Stores& stores, const Look& look);

}  // namespace sluice::controller
