#include "controller/scheduler/state_feeder.hpp"

#include "controller/reconcilers/cohort_tree.hpp"
#include "engine/engine.hpp"

#include <utility>

namespace sluice::controller {

namespace {

bool refers_to_class(const api::Workload& workload, const std::string& runtime_class) {
    for (const api::PodSet& pod_set : workload.spec.pod_sets) {
        if (pod_set.template_->spec.runtime_class_name == runtime_class) {
            return true;
        }
    }
    return false;
}

}  // namespace

void StateFeeder::apply(const engine::Event& event, Time now) {
    ++changes_;
    engine::apply(state_, event, now);
}

void StateFeeder::apply_all(const workload::Translator::Events& events, Time now) {
    for (const engine::Event& event : events) {
        apply(event, now);
    }
}

void StateFeeder::feed_all(Time now) {
    for (const auto& [key, object] : stores_.resource_flavors.all()) {
        apply_all(translator_.set(*object), now);
    }
    for (const auto& [key, object] : stores_.admission_checks.all()) {
        translator_.set(*object);
    }
    for (const auto& [key, object] : stores_.topologies.all()) {
        apply_all(translator_.set(*object), now);
    }
    for (const auto& [key, object] : stores_.namespaces.all()) {
        translator_.set(*object);
    }
    for (const auto& [key, object] : stores_.limit_ranges.all()) {
        translator_.set(*object);
    }
    for (const auto& [key, object] : stores_.runtime_classes.all()) {
        translator_.set(*object);
    }
    for (const auto& [key, object] : stores_.cohorts.all()) {
        translator_.set(*object);
        apply(engine::CohortChanged{translator_.cohort(*object)}, now);
    }
    for (const auto& [key, object] : stores_.cluster_queues.all()) {
        apply(engine::ClusterQueueChanged{translator_.cluster_queue(*object)}, now);
    }
    for (const auto& [key, object] : stores_.local_queues.all()) {
        feed_local_queue(*object, now);
    }
    for (const auto& [key, object] : stores_.workloads.all()) {
        feed_workload(*object, now);
    }
    is_fed_ = true;
}

void StateFeeder::feed_cluster_queue(const api::ClusterQueue& queue, Time now) {
    apply(engine::ClusterQueueChanged{translator_.cluster_queue(queue)}, now);
    for (const auto& [key, local_queue] : stores_.local_queues_of(queue.metadata.name)) {
        feed_local_queue(*local_queue, now);  // the selector may match its namespace otherwise now
    }
}

void StateFeeder::feed_local_queue(const api::LocalQueue& queue, Time now) {
    const auto cluster_queue = stores_.cluster_queues.find(queue.spec.cluster_queue);
    apply(engine::LocalQueueChanged{translator_.local_queue(queue, cluster_queue.get())}, now);
}

void StateFeeder::feed_workload(const api::Workload& workload, Time now) {
    apply_all(translator_.set(workload), now);
}

void StateFeeder::flavor_changed(const std::string& name, Time now) {
    if (!is_fed_) {
        return;
    }
    const auto flavor = stores_.resource_flavors.find(name);
    apply_all(flavor ? translator_.set(*flavor) : translator_.remove_flavor(name), now);
    for (const auto& [key, queue] : stores_.cluster_queues_of_flavor(name)) {
        feed_cluster_queue(*queue, now);
    }
}

void StateFeeder::admission_check_changed(const std::string& name, Time now) {
    if (!is_fed_) {
        return;
    }
    if (const auto check = stores_.admission_checks.find(name)) {
        translator_.set(*check);
    } else {
        translator_.remove_admission_check(name);
    }
    for (const auto& [key, queue] : stores_.cluster_queues_of_check(name)) {
        feed_cluster_queue(*queue, now);
    }
}

void StateFeeder::topology_changed(const std::string& name, Time now) {
    if (!is_fed_) {
        return;
    }
    const auto topology = stores_.topologies.find(name);
    apply_all(topology ? translator_.set(*topology) : translator_.remove_topology(name), now);
    for (const auto& [key, flavor] : stores_.resource_flavors.all()) {
        if (flavor->spec.topology_name == name) {
            for (const auto& [queue_key, queue] : stores_.cluster_queues_of_flavor(key.name)) {
                feed_cluster_queue(*queue, now);
            }
        }
    }
}

void StateFeeder::namespace_changed(const std::string& name, Time now) {
    if (!is_fed_) {
        return;
    }
    if (const auto ns = stores_.namespaces.find(name)) {
        translator_.set(*ns);
    } else {
        translator_.remove_namespace(name);
    }
    const auto& all = stores_.local_queues.all();
    for (auto at = all.lower_bound({name, ""}); at != all.end() && at->first.namespace_ == name;
         ++at) {
        feed_local_queue(*at->second, now);
    }
}

void StateFeeder::limit_range_changed(const std::string& ns, const std::string& name, Time now) {
    if (!is_fed_) {
        return;
    }
    if (const auto range = stores_.limit_ranges.find(ns, name)) {
        translator_.set(*range);
    } else {
        translator_.remove_limit_range(ns, name);
    }
    const auto& all = stores_.workloads.all();
    for (auto at = all.lower_bound({ns, ""}); at != all.end() && at->first.namespace_ == ns; ++at) {
        feed_workload(*at->second, now);
    }
}

void StateFeeder::runtime_class_changed(const std::string& name, Time now) {
    if (!is_fed_) {
        return;
    }
    if (const auto runtime_class = stores_.runtime_classes.find(name)) {
        translator_.set(*runtime_class);
    } else {
        translator_.remove_runtime_class(name);
    }
    for (const auto& [key, workload] : stores_.workloads.all()) {
        if (refers_to_class(*workload, name)) {
            feed_workload(*workload, now);
        }
    }
}

void StateFeeder::cohort_changed(const kube::Change<api::Cohort>& change, Time now) {
    if (!is_fed_) {
        return;
    }
    const std::string& name = change.key.name;
    if (const auto cohort = stores_.cohorts.find(name)) {
        translator_.set(*cohort);
        apply(engine::CohortChanged{translator_.cohort(*cohort)}, now);
    } else {
        translator_.remove_cohort(name);
        apply(engine::CohortDeleted{name}, now);
    }
    if (concerns_cycle(stores_, change)) {
        for (const std::string& queue : find_cohort_tree(stores_, name).cluster_queues) {
            cluster_queue_changed(queue, now);
        }
    }
}

void StateFeeder::cluster_queue_changed(const std::string& name, Time now) {
    if (!is_fed_) {
        return;
    }
    if (const auto queue = stores_.cluster_queues.find(name)) {
        feed_cluster_queue(*queue, now);
        return;
    }
    apply(engine::ClusterQueueDeleted{name}, now);
    for (const auto& [key, local_queue] : stores_.local_queues_of(name)) {
        feed_local_queue(*local_queue, now);
    }
}

std::vector<std::string> StateFeeder::hold_back(workload::Translator::HeldBack messages, Time now) {
    const workload::Translator::HeldBack before = translator_.held_back();
    std::vector<std::string> changed;
    for (const auto& [name, message] : messages) {
        const auto old = before.find(name);
        if (old == before.end() || old->second != message) {
            changed.push_back(name);
        }
    }
    for (const auto& [name, message] : before) {
        if (!messages.contains(name)) {
            changed.push_back(name);
        }
    }
    translator_.set_held_back(std::move(messages));
    for (const std::string& name : changed) {
        cluster_queue_changed(name, now);
    }
    return changed;
}

void StateFeeder::local_queue_changed(const std::string& ns, const std::string& name, Time now) {
    if (!is_fed_) {
        return;
    }
    if (const auto queue = stores_.local_queues.find(ns, name)) {
        feed_local_queue(*queue, now);
    } else {
        apply(engine::LocalQueueDeleted{.ns = ns, .name = name}, now);
    }
}

void StateFeeder::workload_changed(const std::string& ns, const std::string& name, Time now) {
    if (!is_fed_) {
        return;
    }
    if (const auto workload = stores_.workloads.find(ns, name)) {
        feed_workload(*workload, now);
    } else {
        apply_all(translator_.remove_workload(ns, name), now);
    }
}

}  // namespace sluice::controller
