#include "controller/jobs/pod/pod_kind.hpp"

#include "api/meta/codec.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/jobs/pod/pod_admission.hpp"
#include "controller/jobs/pod/pod_group.hpp"
#include "controller/jobs/pod/single_pod.hpp"
#include "controller/reconcile/owned_workloads.hpp"
#include "controller/reconcile/pod_groups.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <algorithm>
#include <utility>

namespace sluice::controller {

namespace {

const kube::Store<api::Pod>::Objects& pods_of_group(
    const Stores& stores, const std::string& ns, std::string_view group
) {
    return stores.of<api::Pod>().by_index(kPodGroupIndex, ns + "/" + std::string(group));
}

/// Returns true if only pods own the Workload: without them it is useless.
bool is_of_pods_alone(const api::ObjectMeta& workload) {
    return !workload.owner_references.empty() &&
           std::ranges::all_of(workload.owner_references, [](const api::OwnerReference& owner) {
               return owner.kind == api::Pod::kKind && owner.api_version == api::Pod::kVersion &&
                      !owner.controller.value_or(false);
           });
}

class PodKind final : public JobKind {
  public:
    Kind kind() const override { return kind_of<api::Pod>(); }
    std::string_view integration() const override { return "pod"; }
    const KindAdmission* admission() const override { return &pod_admission(); }

    Result<std::unique_ptr<GenericJob>> read(
        const Stores& /*stores*/, const Settings& settings, std::string_view json
    ) const override {
        auto pod = api::decode<api::Pod>(json);
        if (!pod) {
            return pod.error();
        }
        return std::make_unique<SinglePod>(
            std::make_shared<const api::Pod>(std::move(*pod)), settings, Time()
        );
    }

    std::unique_ptr<GenericJob> find(
        const Stores& stores, const Settings& settings, const kube::NamespacedName& name
    ) const override {
        return find_at(stores, settings, name, Time());
    }

    std::unique_ptr<GenericJob> find_at(
        const Stores& stores, const Settings& settings, const kube::NamespacedName& name, Time now
    ) const override {
        const std::string_view group = group_in_name(name.name);
        if (group.empty()) {
            auto pod = stores.of<api::Pod>().find(name);
            const bool is_job =
                pod && !pod->metadata.deletion_timestamp &&
                pod_group_of(pod->metadata, settings.workload_identifier_annotations).empty();
            return is_job ? std::make_unique<SinglePod>(std::move(pod), settings, now) : nullptr;
        }
        Pods pods;
        for (const auto& [key, pod] : pods_of_group(stores, name.namespace_, group)) {
            pods.push_back(pod);
        }
        if (pods.empty()) {
            return nullptr;
        }
        return std::make_unique<PodGroup>(
            std::move(pods), std::string(group), stores, settings, now
        );
    }

    Outcome release(
        const Stores& stores, const Settings& settings, const kube::NamespacedName& name
    ) const override {
        Outcome outcome;
        const std::string_view group = group_in_name(name.name);
        if (!group.empty()) {
            const auto workload = find_group_workload(stores, name.namespace_, {group});
            const bool is_own = workload && (workload->metadata.deletion_timestamp
                                                 ? is_of_pod_group(workload->metadata)
                                                 : is_of_pods_alone(workload->metadata));
            if (auto without = is_own ? remove_finalizer(*workload) : std::nullopt) {
                outcome.writes.push_back(std::move(*without));
            }
            return outcome;
        }
        const auto pod = stores.of<api::Pod>().find(name);
        const bool is_going =
            pod && pod->metadata.deletion_timestamp &&
            pod_group_of(pod->metadata, settings.workload_identifier_annotations).empty();
        if (auto without = is_going ? release_pod(*pod) : std::nullopt) {
            outcome.writes.push_back(std::move(*without));
        }
        return outcome;
    }
};

}  // namespace

std::shared_ptr<const JobKind> make_pod_kind() {
    return std::make_shared<const PodKind>();
}

std::vector<std::string> groups_of_pod(const api::Pod& pod, bool by_annotation) {
    const std::string_view group = pod_group_of(pod.metadata, by_annotation);
    if (group.empty()) {
        return {};
    }
    return {pod.metadata.namespace_ + "/" + std::string(group)};
}

}  // namespace sluice::controller
