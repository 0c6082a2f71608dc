#include "api/scheme.hpp"

#include "api/admission_check.hpp"
#include "api/apps.hpp"
#include "api/cluster_queue.hpp"
#include "api/cohort.hpp"
#include "api/config_map.hpp"
#include "api/core.hpp"
#include "api/custom_resource_definition.hpp"
#include "api/event.hpp"
#include "api/job.hpp"
#include "api/lease.hpp"
#include "api/local_queue.hpp"
#include "api/multi_kueue.hpp"
#include "api/priority_class.hpp"
#include "api/provisioning_request_config.hpp"
#include "api/resource_flavor.hpp"
#include "api/topology.hpp"
#include "api/workload.hpp"

#include <algorithm>
#include <array>

namespace sluice::api {
namespace {

/// Those of kueue.x-k8s.io come first.
constexpr std::array kKinds{
    kind_of<ClusterQueue>(),
    kind_of<Cohort>(),
    kind_of<LocalQueue>(),
    kind_of<Workload>(),
    kind_of<ResourceFlavor>(),
    kind_of<Topology>(),
    kind_of<AdmissionCheck>(),
    kind_of<WorkloadPriorityClass>(),
    kind_of<MultiKueueConfig>(),
    kind_of<MultiKueueCluster>(),
    kind_of<ProvisioningRequestConfig>(),
    kind_of<Namespace>(),
    kind_of<LimitRange>(),
    kind_of<Node>(),
    kind_of<Pod>(),
    kind_of<Secret>(),
    kind_of<ConfigMap>(),
    kind_of<RuntimeClass>(),
    kind_of<PriorityClass>(),
    kind_of<Job>(),
    kind_of<Deployment>(),
    kind_of<ReplicaSet>(),
    kind_of<StatefulSet>(),
    kind_of<Lease>(),
    kind_of<Event>(),
    kind_of<CustomResourceDefinition>(),
};

}  // namespace

std::string api_version(const KindInfo& kind) {
    std::string text(kind.group);
    text += kind.group.empty() ? "" : "/";
    return text += kind.version;
}

std::span<const KindInfo> all_kinds() {
    return kKinds;
}

std::span<const KindInfo> kueue_kinds() {
    const auto is_foreign = [](const KindInfo& kind) { return kind.group != ClusterQueue::kGroup; };
    const auto end = std::ranges::find_if(kKinds, is_foreign);
    return {kKinds.begin(), end};
}

}  // namespace sluice::api
