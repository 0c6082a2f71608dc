// Translates the changes of a what-if into events of the engine.
#include "api/core/core.hpp"
#include "api/kueue/admission_check.hpp"
#include "api/kueue/cohort.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/kueue/topology.hpp"
#include "api/meta/codec.hpp"
#include "insight/what_if.hpp"
#include "workload/status/waiting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace sluice::insight {
namespace {

using api::WhatIfEdit;

/// The objects of the cluster, with those that edits have changed in their place.
class EditedObjects {
  public:
    explicit EditedObjects(const ObjectSource& source) : source_(source) {}

    std::shared_ptr<const api::ClusterQueue> cluster_queue(const std::string& name) const {
        const auto at = cluster_queues_.find(name);
        return at == cluster_queues_.end() ? source_.find_cluster_queue(name) : at->second;
    }
    std::shared_ptr<const api::LocalQueue> local_queue(
        const std::string& ns, const std::string& name
    ) const {
        const auto at = local_queues_.find({ns, name});
        return at == local_queues_.end() ? source_.find_local_queue(ns, name) : at->second;
    }
    std::shared_ptr<const api::Workload> workload(const std::string& ns, const std::string& name)
        const {
        const auto at = workloads_.find({ns, name});
        return at == workloads_.end() ? source_.find_workload(ns, name) : at->second;
    }

    std::map<std::string, std::shared_ptr<const api::ClusterQueue>> cluster_queues_;
    std::map<std::pair<std::string, std::string>, std::shared_ptr<const api::LocalQueue>>
        local_queues_;
    std::map<std::pair<std::string, std::string>, std::shared_ptr<const api::Workload>> workloads_;

  private:
    const ObjectSource& source_;
};

class Planner {
  public:
    Planner(const Surroundings& from, std::string_view ns, const MakeWorkload& make_workload)
        : from_(from), ns_(ns), make_workload_(make_workload), objects_(from.objects) {}

    Result<PlannedChange> run(const std::vector<WhatIfEdit>& edits) {
        if (edits.empty()) {
            return make_invalid("spec.edits: must name at least one change");
        }
        if (edits.size() > kEditsMax) {
            return make_invalid(fmt::format("spec.edits: at most {} changes", kEditsMax));
        }
        for (std::size_t i = 0; i < edits.size(); ++i) {
            if (const auto done = add(edits[i]); !done) {
                return with_context(done.error(), fmt::format("spec.edits[{}]", i));
            }
        }
        plan_.now = from_.now;
        plan_.state = std::make_shared<engine::State>(from_.state.fork());
        return std::move(plan_);
    }

  private:
    const workload::Translator& translator() const {
        return own_ == nullptr ? from_.translator : *own_;
    }
    workload::Translator& own_translator() {
        if (own_ == nullptr) {
            own_ = from_.translator.for_trial();
        }
        return *own_;
    }
    void append(workload::Translator::Events events) {
        for (auto& event : events) {
            plan_.events.push_back(std::move(event));
        }
    }

    Result<void> add(const WhatIfEdit& edit) {
        if (edit.kind == api::what_if::kSubmit) {
            return submit(edit);
        }
        if (edit.kind == api::what_if::kCancel) {
            return cancel(edit);
        }
        if (edit.kind == api::what_if::kPriority) {
            return set_priority(edit);
        }
        if (edit.kind != api::what_if::kQuota && edit.kind != api::what_if::kApply) {
            return make_invalid(fmt::format("kind: unknown value \"{}\"", edit.kind));
        }
        if (!ns_.empty()) {
            return make_invalid(fmt::format(
                "kind: {} changes more than the namespace; ask at the cluster scope", edit.kind
            ));
        }
        return edit.kind == api::what_if::kQuota ? set_quota(edit) : apply(edit);
    }

    Result<void> check_namespace(const std::string& ns) const {
        if (!ns_.empty() && ns != ns_) {
            return make_invalid(
                fmt::format("namespace: \"{}\" is not the namespace of the question", ns)
            );
        }
        return {};
    }

    void set_workload(api::Workload workload) {
        const std::string key = workload.metadata.namespace_ + "/" + workload.metadata.name;
        const auto queue =
            objects_.local_queue(workload.metadata.namespace_, workload.spec.queue_name);
        const auto cluster_queue =
            queue == nullptr ? nullptr : objects_.cluster_queue(queue->spec.cluster_queue);
        const auto obstacle = workload::find_obstacle(
            workload, queue.get(), cluster_queue.get(), translator(), translator().settings().gates
        );
        plan_.named.push_back({
            .workload = key,
            .obstacle = obstacle ? std::optional(obstacle->message) : std::nullopt,
        });
        append(translator().preview(workload));
        const std::pair name(workload.metadata.namespace_, workload.metadata.name);
        objects_.workloads_[name] = std::make_shared<const api::Workload>(std::move(workload));
    }

    Result<void> submit(const WhatIfEdit& edit) {
        if (edit.count < 1 || edit.count > kCopiesMax) {
            return make_invalid(fmt::format("count: must be from 1 to {}", kCopiesMax));
        }
        auto made = make_workload_(edit.object.view());
        if (!made) {
            return with_context(made.error(), "object");
        }
        if (const auto done = check_namespace(made->metadata.namespace_); !done) {
            return done;
        }
        const std::string name = made->metadata.name;
        for (std::int32_t i = 0; i < edit.count; ++i) {
            api::Workload copy = *made;
            if (edit.count > 1) {
                copy.metadata.name = fmt::format("{}-{}", name, i);
            }
            copy.metadata.uid = fmt::format("what-if-{:09}", ++submitted_);
            copy.metadata.generation = 1;
            copy.metadata.creation_timestamp = from_.now;
            set_workload(std::move(copy));
        }
        return {};
    }

    Result<std::shared_ptr<const api::Workload>> find_workload(const WhatIfEdit& edit) const {
        if (const auto done = check_namespace(edit.namespace_); !done) {
            return done.error();
        }
        auto found = objects_.workload(edit.namespace_, edit.workload);
        if (found == nullptr) {
            return Error{
                .code = ErrorCode::NotFound,
                .detail = fmt::format(
                    "workload: namespace {} has no Workload {}", edit.namespace_, edit.workload
                ),
                .status = {},
            };
        }
        return found;
    }

    Result<void> cancel(const WhatIfEdit& edit) {
        const auto found = find_workload(edit);
        if (!found) {
            return found.error();
        }
        plan_.events.push_back(engine::WorkloadDeleted{.ns = edit.namespace_, .name = edit.workload}
        );
        return {};
    }

    Result<void> set_priority(const WhatIfEdit& edit) {
        const auto found = find_workload(edit);
        if (!found) {
            return found.error();
        }
        const auto classes = from_.objects.priority_classes();
        const auto at = std::ranges::find_if(classes, [&](const auto& priority) {
            return priority->metadata.name == edit.priority_class;
        });
        if (at == classes.end()) {
            return make_invalid(fmt::format(
                "priorityClass: WorkloadPriorityClass {} does not exist", edit.priority_class
            ));
        }
        api::Workload changed = **found;
        changed.spec.priority = (*at)->value;
        ++changed.metadata.generation;
        set_workload(std::move(changed));
        return {};
    }

    static api::ResourceQuota* find_quota_in(
        std::vector<api::ResourceGroup>& groups, const WhatIfEdit& edit
    ) {
        for (auto& group : groups) {
            for (auto& flavor : group.flavors) {
                for (auto& quota : flavor.resources) {
                    if (flavor.name == edit.flavor && quota.name == edit.resource) {
                        return &quota;
                    }
                }
            }
        }
        return nullptr;
    }

    static Result<void> change_quota(
        std::vector<api::ResourceGroup>& groups, const WhatIfEdit& edit
    ) {
        auto* quota = find_quota_in(groups, edit);
        if (quota == nullptr) {
            return make_invalid(fmt::format(
                "flavor: {} has no quota of {} in flavor {}", edit.node, edit.resource, edit.flavor
            ));
        }
        const std::string_view text = edit.amount;
        const auto value = api::Quantity::parse(text.empty() ? text : text.substr(1));
        const char sign = text.empty() ? ' ' : text.front();
        if (!value || value->sign() < 0 || (sign != '+' && sign != '-' && sign != '=')) {
            return make_invalid(
                fmt::format("amount: \"{}\" must be a quantity after +, - or =", edit.amount)
            );
        }
        api::Quantity changed = sign == '=' ? *value : quota->nominal_quota;
        if (sign == '+') {
            changed += *value;
        } else if (sign == '-') {
            changed -= *value;
        }
        if (changed.sign() < 0) {
            return make_invalid(
                fmt::format("amount: nominalQuota would be {}, below 0", changed.to_string())
            );
        }
        quota->nominal_quota = changed;
        return {};
    }

    Result<void> set_quota(const WhatIfEdit& edit) {
        const std::size_t slash = edit.node.find('/');
        const std::string kind = edit.node.substr(0, slash);
        const std::string name = slash == std::string::npos ? "" : edit.node.substr(slash + 1);
        if (kind == "clusterqueue") {
            const auto found = objects_.cluster_queue(name);
            if (found == nullptr) {
                return make_invalid(fmt::format("node: ClusterQueue {} does not exist", name));
            }
            api::ClusterQueue changed = *found;
            if (const auto done = change_quota(changed.spec.resource_groups, edit); !done) {
                return done;
            }
            ++changed.metadata.generation;
            set_cluster_queue(std::move(changed));
            return {};
        }
        if (kind == "cohort") {
            return change_cohort(name, edit);
        }
        return make_invalid("node: must be clusterqueue/NAME or cohort/NAME");
    }

    Result<void> change_cohort(const std::string& name, const WhatIfEdit& edit) {
        const auto at = cohorts_.find(name);
        const auto known = at == cohorts_.end() ? from_.objects.find_cohort(name) : at->second;
        if (known == nullptr) {
            return make_invalid(fmt::format("node: Cohort {} does not exist", name));
        }
        api::Cohort changed = *known;
        if (const auto done = change_quota(changed.spec.resource_groups, edit); !done) {
            return done;
        }
        set_cohort(std::move(changed));
        return {};
    }

    void set_cluster_queue(api::ClusterQueue queue) {
        append({engine::ClusterQueueChanged{translator().cluster_queue(queue)}});
        const std::string name = queue.metadata.name;
        objects_.cluster_queues_[name] =
            std::make_shared<const api::ClusterQueue>(std::move(queue));
    }
    void set_cohort(api::Cohort cohort) {
        own_translator().set(cohort);
        append({engine::CohortChanged{translator().cohort(cohort)}});
        const std::string name = cohort.metadata.name;
        cohorts_[name] = std::make_shared<const api::Cohort>(std::move(cohort));
    }
    void set_local_queue(api::LocalQueue queue) {
        const auto cluster_queue = objects_.cluster_queue(queue.spec.cluster_queue);
        append({engine::LocalQueueChanged{translator().local_queue(queue, cluster_queue.get())}});
        const std::pair name(queue.metadata.namespace_, queue.metadata.name);
        objects_.local_queues_[name] = std::make_shared<const api::LocalQueue>(std::move(queue));
    }

    /// Reads the object as a T and passes it on.
    template <class T, class Take>
    static Result<void> read(const json::Value& value, const Take& take) {
        auto object = api::from_value<T>(value);
        if (!object) {
            return with_context(object.error(), "object");
        }
        take(*std::move(object));
        return {};
    }

    Result<void> apply(const WhatIfEdit& edit) {
        const auto value = json::parse(edit.object.view());
        if (!value) {
            return with_context(value.error(), "object");
        }
        if (value->string_at("apiVersion") != api::kKueueApiVersion) {
            return make_invalid(fmt::format("object: apiVersion must be {}", api::kKueueApiVersion)
            );
        }
        const std::string_view kind = value->string_at("kind");
        if (kind == "ResourceFlavor") {
            return read<api::ResourceFlavor>(*value, [this](const api::ResourceFlavor& flavor) {
                append(own_translator().set(flavor));
                refresh_queues();
            });
        }
        if (kind == "Topology") {
            return read<api::Topology>(*value, [this](const api::Topology& topology) {
                append(own_translator().set(topology));
                refresh_queues();
            });
        }
        if (kind == "AdmissionCheck") {
            return read<api::AdmissionCheck>(*value, [this](const api::AdmissionCheck& check) {
                own_translator().set(check);
                refresh_queues();
            });
        }
        if (kind == "Cohort") {
            return read<api::Cohort>(*value, [this](api::Cohort cohort) {
                set_cohort(std::move(cohort));
                refresh_queues();
            });
        }
        if (kind == "ClusterQueue") {
            return read<api::ClusterQueue>(*value, [this](api::ClusterQueue queue) {
                set_cluster_queue(next_of(std::move(queue)));
            });
        }
        if (kind == "LocalQueue") {
            return read<api::LocalQueue>(*value, [this](api::LocalQueue queue) {
                set_local_queue(std::move(queue));
            });
        }
        if (kind == "Workload") {
            return read<api::Workload>(*value, [this](api::Workload workload) {
                set_workload(std::move(workload));
            });
        }
        return make_invalid(fmt::format("object: kind {} cannot be tried", kind));
    }

    /// Gives the ClusterQueue a generation after the present one.
    api::ClusterQueue next_of(api::ClusterQueue queue) const {
        const auto known = objects_.cluster_queue(queue.metadata.name);
        const std::int64_t present = known == nullptr ? 0 : known->metadata.generation;
        queue.metadata.generation = std::max(queue.metadata.generation, present + 1);
        return queue;
    }

    /// Translates the ClusterQueues again: an object that they refer to changed.
    void refresh_queues() {
        for (const auto& [name, node] : from_.state.tree().cluster_queues_by_name()) {
            if (const auto queue = objects_.cluster_queue(name)) {
                append({engine::ClusterQueueChanged{translator().cluster_queue(*queue)}});
            }
        }
    }

    const Surroundings& from_;
    std::string_view ns_;
    const MakeWorkload& make_workload_;
    EditedObjects objects_;
    std::map<std::string, std::shared_ptr<const api::Cohort>> cohorts_;
    std::unique_ptr<workload::Translator> own_;  // once changes of its objects are tried
    PlannedChange plan_;
    std::uint32_t submitted_ = 0;
};

}  // namespace

Result<PlannedChange> plan_change(
    const Surroundings& from,
    const std::vector<WhatIfEdit>& edits,
    std::string_view ns,
    const MakeWorkload& make_workload
) {
    return Planner(from, ns, make_workload).run(edits);
}

}  // namespace sluice::insight
