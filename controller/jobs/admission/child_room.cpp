#include "controller/jobs/admission/child_room.hpp"

#include "api/core/apps.hpp"
#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/job/job_ancestors.hpp"
#include "controller/jobs/members/batch_job_view.hpp"
#include "controller/jobs/members/pod_size.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/reconcile/workload_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::string_view kPods = "pods";
/// The annotation of a ReplicaSet in which the Deployment controller stores the number of replicas.
constexpr std::string_view kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";

void add_requests(api::ResourceList& sum, const api::ResourceList& requests, std::int64_t count) {
    for (const auto& [resource, amount] : requests) {
        sum[resource] += api::Quantity::from_billionths(amount.billionths() * count);
    }
}

/// Adds the requests that count for the pods of a template.
void add_pods(
    const Stores& stores,
    const std::string& ns,
    const api::PodSpec& pod,
    std::int64_t count,
    api::ResourceList& sum
) {
    add_requests(sum, counted_requests(stores, ns, pod), count);
    sum[std::string(kPods)] += api::Quantity(count);
}

/// The requests that count for an object above a job, and the part for pods of its own controller.
struct Budget {
    api::ResourceList counted;
    api::ResourceList own;
    bool has_own_pods = false;   ///< the object's own controller creates pods
    bool has_pod_quota = false;  ///< the resource `pods` has quota
};

/// An object above a job, or the job.
struct Node {
    Kind kind;
    const api::ObjectMeta* metadata = nullptr;
};

/// Orders children by age, then by name. A child that is not stored yet is last.
bool comes_before(const api::ObjectMeta& one, const api::ObjectMeta& other) {
    const auto age = [](const api::ObjectMeta& job) {
        return job.creation_timestamp.value_or(Time::max());
    };
    return std::tuple(age(one), std::string_view(one.name)) <
           std::tuple(age(other), std::string_view(other.name));
}

/// Returns the numbers by which a child exceeds the budget of the object above; nullopt if it fits.
std::optional<std::string> exceed(
    const Budget& budget,
    api::ResourceList& taken,
    const api::ResourceList& asks,
    const Node& parent
) {
    for (const auto& [resource, asked] : asks) {
        const auto counted = budget.counted.find(resource);
        const api::Quantity limit =
            counted == budget.counted.end() ? api::Quantity() : counted->second;
        const bool counts = resource != kPods || budget.has_pod_quota;
        if (counts && asked.sign() > 0 && taken[resource] + asked > limit) {
            return fmt::format(
                "{} {} of namespace {} counts {} of {}, of which {} are taken, and this asks for "
                "{}: remove the owner reference and name a queue, or ask for less",
                parent.kind.name(),
                parent.metadata->name,
                parent.metadata->namespace_,
                limit.to_string(),
                resource,
                taken[resource].to_string(),
                asked.to_string()
            );
        }
    }
    return std::nullopt;
}

class Room {
  public:
    Room(const JobKinds& kinds, const Stores& stores, const Settings& settings)
        : kinds_(kinds), stores_(stores), settings_(settings) {}

    /// Returns why the child has no room below the object that controls it. `workload` says what
    /// counts; if it is nullptr, the spec of that object does.
    std::optional<std::string> find_excess(
        const Node& child,
        const api::ResourceList& asks,
        const Node& parent,
        const api::Workload* workload
    ) const;
    /// Returns why a new pod, which no job's controller created, has no room below the managed job.
    std::optional<std::string> find_pod_excess(
        const api::Pod& pod, const ObjectKey& top, const api::Workload& workload
    ) const;
    /// Returns the requests of a job in that namespace; nullopt if they cannot be read.
    std::optional<api::ResourceList> asks_of(const GenericJob& job, const std::string& ns) const;
    std::optional<api::ResourceList> asks_of(const Node& node) const;

  private:
    std::unique_ptr<GenericJob> view(const Node& node) const;
    std::optional<Budget> budget_of(const Node& parent, const api::Workload* workload) const;
    /// Adds the requests of the other children that take precedence.
    void add_elders(const Node& child, const Node& parent, bool with_pods, api::ResourceList& sum)
        const;
    bool is_named_by_service(const Node& parent, const std::string& cluster) const;
    /// Returns true if the controller of a kind of jobs made the pod, or no controller did.
    bool is_made_by_job(const api::ObjectMeta& pod) const;
    /// Adds the requests of the jobs that the object controls.
    void add_jobs_below(const Node& parent, api::ResourceList& sum) const;
    /// Adds the pods below the object that no job's controller created and, with `with_own`, the
    /// object's own pods. For the new pod's controller, all pods that it wants count, because the
    /// missing ones are about to be created.
    void add_pods_below(
        const Node& parent, bool with_own, const api::Pod& beside, api::ResourceList& sum
    ) const;
    /// Returns how many pods the controller of the pod wants; 0 if this is unknown.
    std::int64_t wanted_pods(const api::ObjectMeta& pod) const;

    const JobKinds& kinds_;
    const Stores& stores_;
    const Settings& settings_;
};

/// A Job that is being deleted may still run pods while its finalizers keep it.
std::unique_ptr<GenericJob> Room::view(const Node& node) const {
    const JobKind* kind = kinds_.find(node.kind.group(), node.kind.name());
    const kube::NamespacedName name{node.metadata->namespace_, node.metadata->name};
    if (kind == nullptr) {
        return nullptr;
    }
    if (node.kind == kind_of<api::Job>()) {
        auto job = stores_.of<api::Job>().find(name);
        const bool is_over =
            !job || (job->metadata.deletion_timestamp && !BatchJob(job, settings_).is_active());
        return is_over ? nullptr : std::make_unique<BatchJob>(std::move(job), settings_);
    }
    return kind->find_at(stores_, settings_, name, Time());
}

std::optional<api::ResourceList> Room::asks_of(const GenericJob& job, const std::string& ns) const {
    api::ResourceList sum;
    if (const auto* batch = dynamic_cast<const BatchJob*>(&job)) {
        add_pods(stores_, ns, batch->job().spec.template_.spec, batch->pod_count(), sum);
        return sum;
    }
    const auto pod_sets = job.pod_sets();
    if (!pod_sets) {
        return std::nullopt;
    }
    for (const api::PodSet& pod_set : *pod_sets) {
        add_pods(stores_, ns, pod_set.template_->spec, pod_set.count, sum);
    }
    return sum;
}

std::optional<api::ResourceList> Room::asks_of(const Node& node) const {
    const auto job = view(node);
    return job ? asks_of(*job, node.metadata->namespace_) : std::nullopt;
}

std::optional<Budget> Room::budget_of(const Node& parent, const api::Workload* workload) const {
    const auto job = view(parent);
    const auto own = job ? job->pod_sets() : Result<std::vector<api::PodSet>>(Error{});
    if (!job || (!own && workload == nullptr)) {
        return std::nullopt;
    }
    const std::vector<api::PodSet>& pod_sets = workload == nullptr ? *own : workload->spec.pod_sets;
    Budget budget;
    for (const api::PodSet& pod_set : pod_sets) {
        std::int64_t count = pod_set.count;
        if (workload != nullptr && workload->status.admission) {
            for (const auto& assignment : workload->status.admission->pod_set_assignments) {
                if (assignment.name == pod_set.name) {
                    count = assignment.count.value_or(pod_set.count);
                    budget.has_pod_quota = budget.has_pod_quota ||
                                           assignment.resource_usage.contains(std::string(kPods));
                }
            }
        }
        const api::PodSpec& pod = pod_set.template_->spec;
        const std::string& ns = parent.metadata->namespace_;
        add_pods(stores_, ns, pod, count, budget.counted);
        if (job->makes_pods_of(pod_set.name)) {
            budget.has_own_pods = true;
            add_pods(stores_, ns, pod, count, budget.own);
        }
    }
    return budget;
}

/// The status of a RayService names the clusters that KubeRay has created for it: two during an
/// update.
bool Room::is_named_by_service(const Node& parent, const std::string& cluster) const {
    const auto* services = parent.kind.group() == "ray.io" && parent.kind.name() == "RayService"
                               ? stores_.find_dynamic(parent.kind)
                               : nullptr;
    const auto service = services == nullptr
                             ? nullptr
                             : services->find(parent.metadata->namespace_, parent.metadata->name);
    if (!service) {
        return false;
    }
    constexpr std::array kStatuses{"activeServiceStatus", "pendingServiceStatus"};
    return std::ranges::any_of(kStatuses, [&](const char* which) {
        const json::Value* name = service->value.find_path({"status", which, "rayClusterName"});
        return name != nullptr && *name == json::Value(cluster);
    });
}

void Room::add_elders(const Node& child, const Node& parent, bool with_pods, api::ResourceList& sum)
    const {
    for (const Kind kind : kinds_.all()) {
        const kube::AnyStore* store = stores_.find(kind);
        if (store == nullptr || (kind == kind_of<api::Pod>() && !with_pods)) {
            continue;
        }
        for (const auto& name : store->names_by_index(kChildIndex, parent.metadata->uid)) {
            const Node other{kind, store->find_metadata(name)};
            const bool is_it = kind == child.kind && name.name == child.metadata->name;
            if (other.metadata == nullptr || is_it ||
                comes_before(*child.metadata, *other.metadata) ||
                name.namespace_ != child.metadata->namespace_ ||
                is_named_by_service(parent, name.name)) {
                continue;
            }
            if (kind == kind_of<api::Pod>()) {
                const auto pod = stores_.of<api::Pod>().find(name);
                if (!has_ended(*pod) && !pod->metadata.deletion_timestamp) {
                    add_pods(stores_, name.namespace_, pod->spec, 1, sum);
                }
                continue;
            }
            const auto job = view(other);
            const auto asks =
                job && !job->find_end() ? asks_of(*job, name.namespace_) : std::nullopt;
            if (asks) {
                add_requests(sum, *asks, 1);
            }
        }
    }
}

std::optional<std::string> Room::find_excess(
    const Node& child,
    const api::ResourceList& asks,
    const Node& parent,
    const api::Workload* workload
) const {
    const auto budget = budget_of(parent, workload);
    if (!budget) {
        return std::nullopt;
    }
    api::ResourceList taken = budget->own;
    if (!is_named_by_service(parent, child.metadata->name)) {
        add_elders(child, parent, !budget->has_own_pods, taken);
    }
    return exceed(*budget, taken, asks, parent);
}

bool Room::is_made_by_job(const api::ObjectMeta& pod) const {
    const api::OwnerReference* owner = pod.controller_owner();
    return owner == nullptr ||
           kinds_.find(kube::group_of(owner->api_version), owner->kind) != nullptr;
}

void Room::add_jobs_below(const Node& parent, api::ResourceList& sum) const {
    for (const Kind kind : kinds_.all()) {
        const kube::AnyStore* store = stores_.find(kind);
        if (store == nullptr || kind == kind_of<api::Pod>()) {
            continue;
        }
        for (const auto& name : store->names_by_index(kChildIndex, parent.metadata->uid)) {
            const auto job = view({kind, store->find_metadata(name)});
            const auto asks =
                job && !job->find_end() ? asks_of(*job, name.namespace_) : std::nullopt;
            if (asks) {
                add_requests(sum, *asks, 1);
            }
        }
    }
}

std::int64_t Room::wanted_pods(const api::ObjectMeta& pod) const {
    const api::OwnerReference& owner = *pod.controller_owner();
    const auto kind = stores_.find_kind(kube::group_of(owner.api_version), owner.kind);
    if (!kind) {
        return 0;
    }
    if (const auto* sets = dynamic_cast<kube::KindStore<api::StatefulSet>*>(stores_.find(*kind))) {
        const auto set = sets->objects().find(pod.namespace_, owner.name);
        return set ? set->spec.replicas.value_or(1) : 0;
    }
    // A ReplicaSet of a Deployment.
    const api::ObjectMeta* maker = stores_.find_metadata({*kind, pod.namespace_, owner.name});
    const std::string_view said =
        maker == nullptr ? std::string_view() : find_value(maker->annotations, kDesiredReplicas);
    std::int64_t wanted = 0;
    std::from_chars(said.data(), said.data() + said.size(), wanted);
    return wanted;
}

void Room::add_pods_below(
    const Node& parent, bool with_own, const api::Pod& beside, api::ResourceList& sum
) const {
    const std::string& maker = beside.metadata.controller_owner()->uid;
    std::int64_t siblings = 0;
    const ObjectKey key{parent.kind, parent.metadata->namespace_, parent.metadata->name};
    std::map<std::string, bool> is_below;  // by the uid of the pods' controller
    for (const auto& [name, pod] : stores_.of<api::Pod>().all()) {
        const api::OwnerReference* owner = pod->metadata.controller_owner();
        if (name.namespace_ != key.ns || owner == nullptr || has_ended(*pod) ||
            pod->metadata.deletion_timestamp || is_marked_managed(pod->metadata)) {
            continue;
        }
        const auto [known, is_new] = is_below.try_emplace(owner->uid, false);
        if (is_new && is_made_by_job(pod->metadata)) {
            known->second = with_own && owner->uid == parent.metadata->uid;
        } else if (is_new) {
            const auto top = find_managed_ancestor(kinds_, stores_, settings_, pod->metadata);
            known->second = top && *top == key;
        }
        if (known->second && owner->uid == maker) {
            ++siblings;
        } else if (known->second) {
            add_pods(stores_, name.namespace_, pod->spec, 1, sum);
        }
    }
    siblings = std::max(siblings, wanted_pods(beside.metadata) - 1);
    add_pods(stores_, key.ns, beside.spec, siblings, sum);
}

std::optional<std::string> Room::find_pod_excess(
    const api::Pod& pod, const ObjectKey& top, const api::Workload& workload
) const {
    const Node parent{top.kind, stores_.find_metadata(top)};
    const auto budget = parent.metadata == nullptr ? std::nullopt : budget_of(parent, &workload);
    if (!budget) {
        return std::nullopt;
    }
    api::ResourceList taken = budget->own;
    add_jobs_below(parent, taken);
    add_pods_below(parent, !budget->has_own_pods, pod, taken);
    api::ResourceList asks;
    add_pods(stores_, top.ns, pod.spec, 1, asks);
    return exceed(*budget, taken, asks, parent);
}

bool is_elastic_object(const api::ObjectMeta& object) {
    return find_value(object.annotations, api::annotation::kElasticJob) == "true";
}

/// Returns true if the slice of the job above ungates the child's pods.
bool is_gated_by_slice(
    const JobKinds& kinds, const Settings& settings, const Node& child, const Node& parent
) {
    const JobKind* kind = kinds.find(child.kind.group(), child.kind.name());
    return settings.elastic_jobs && kind != nullptr && kind->is_gated_below_managed() &&
           is_elastic_object(*child.metadata) && is_elastic_object(*parent.metadata);
}

}  // namespace

std::optional<std::string> find_excess(
    const JobKinds& kinds,
    const Stores& stores,
    const Settings& settings,
    Kind kind,
    const api::ObjectMeta& child,
    const GenericJob& job
) {
    const auto top = find_managed_ancestor(kinds, stores, settings, child);
    const std::optional<ObjectKey> topmost = top ? *top : std::nullopt;
    if (!topmost) {
        return std::nullopt;
    }
    const auto workload = find_counting_workload(stores, *topmost);
    const Room room(kinds, stores, settings);
    Node node{kind, &child};
    auto asks = room.asks_of(job, child.namespace_);
    while (workload && asks) {
        const api::OwnerReference* owner = node.metadata->controller_owner();
        const auto above = owner == nullptr
                               ? std::nullopt
                               : kinds.find_above(kube::group_of(owner->api_version), owner->kind);
        if (!above) {
            return std::nullopt;
        }
        const ObjectKey key{above->kind, child.namespace_, owner->name};
        const Node parent{above->kind, stores.find_metadata(key)};
        const bool is_top = key == *topmost;
        if (is_gated_by_slice(kinds, settings, node, parent)) {
            return std::nullopt;
        }
        auto excess = room.find_excess(node, *asks, parent, is_top ? workload.get() : nullptr);
        if (excess || is_top) {
            return excess;
        }
        node = parent;
        asks = room.asks_of(node);
    }
    return std::nullopt;
}

std::optional<std::string> find_pod_excess(
    const JobKinds& kinds,
    const Stores& stores,
    const Settings& settings,
    const ObjectKey& top,
    const api::Pod& pod
) {
    const api::OwnerReference* owner = pod.metadata.controller_owner();
    const auto is_job = [&kinds](std::string_view group, std::string_view name) {
        return kinds.find(group, name) != nullptr;
    };
    if (owner == nullptr || is_job(kube::group_of(owner->api_version), owner->kind) ||
        !is_job(top.kind.group(), top.kind.name())) {
        return std::nullopt;
    }
    const auto workload = find_counting_workload(stores, top);
    return workload ? Room(kinds, stores, settings).find_pod_excess(pod, top, *workload)
                    : std::nullopt;
}

}  // namespace sluice::controller
