#include "api/schema/scheme.hpp"

#include "api/core/apps.hpp"
#include "api/core/config_map.hpp"
#include "api/core/core.hpp"
#include "api/core/custom_resource_definition.hpp"
#include "api/core/event.hpp"
#include "api/core/job.hpp"
#include "api/core/lease.hpp"
#include "api/kueue/admission_check.hpp"
#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/cohort.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/kueue/multi_kueue.hpp"
#include "api/kueue/priority_class.hpp"
#include "api/kueue/provisioning_request_config.hpp"
#include "api/kueue/resource_flavor.hpp"
#include "api/kueue/topology.hpp"
#include "api/kueue/workload.hpp"

#include <algorithm>
#include <array>

namespace sluice::api {
namespace {

/// The kinds of kueue.x-k8s.io come first.
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
