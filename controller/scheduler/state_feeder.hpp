#pragma once

#include "controller/reconcilers/stores.hpp"
#include "engine/state.hpp"
#include "workload/translator.hpp"

#include <string>
#include <vector>

namespace sluice::controller {

/// Tells the engine what changed in the stores. Each function is called after the store of its kind
/// has taken the change; nothing reaches the engine before feed_all, which tells it everything that
/// is there.
class StateFeeder {
  public:
    StateFeeder(const Stores& stores, workload::Translator& translator, engine::State& state)
        : stores_(stores), translator_(translator), state_(state) {}

    /// Everything, in the order of dependence. Requires: all stores hold a whole list.
    void feed_all(Time now);
    bool is_fed() const { return is_fed_; }
    /// How many changes were told since the beginning; a cycle need not be repeated while it stays.
    std::uint64_t changes() const { return changes_; }

    // One a kind; kinds that no decision depends on do nothing.
    void changed(const kube::Change<api::ResourceFlavor>& c, Time now) {
        flavor_changed(c.key.name, now);
    }
    void changed(const kube::Change<api::AdmissionCheck>& c, Time now) {
        admission_check_changed(c.key.name, now);
    }
    void changed(const kube::Change<api::Topology>& c, Time now) {
        topology_changed(c.key.name, now);
    }
    void changed(const kube::Change<api::Namespace>& c, Time now) {
        namespace_changed(c.key.name, now);
    }
    void changed(const kube::Change<api::LimitRange>& c, Time now) {
        limit_range_changed(c.key.namespace_, c.key.name, now);
    }
    void changed(const kube::Change<api::RuntimeClass>& c, Time now) {
        runtime_class_changed(c.key.name, now);
    }
    void changed(const kube::Change<api::Cohort>& c, Time now) { cohort_changed(c, now); }
    void changed(const kube::Change<api::ClusterQueue>& c, Time now) {
        cluster_queue_changed(c.key.name, now);
    }
    void changed(const kube::Change<api::LocalQueue>& c, Time now) {
        local_queue_changed(c.key.namespace_, c.key.name, now);
    }
    void changed(const kube::Change<api::Workload>& c, Time now) {
        workload_changed(c.key.namespace_, c.key.name, now);
    }
    void changed(const kube::Change<api::Job>&, Time) {}
    void changed(const kube::Change<api::WorkloadPriorityClass>&, Time) {}
    void changed(const kube::Change<api::PriorityClass>&, Time) {}

    /// The Workload as the store has it now, though it did not change: a write of ours has ended.
    void workload_changed(const std::string& ns, const std::string& name, Time now);

    /// Makes exactly these ClusterQueues inactive, with the message of each; those whose activity
    /// or message changed are returned.
    std::vector<std::string> hold_back(workload::Translator::HeldBack messages, Time now);

    /// Any other event, for example how a write went.
    void apply(const engine::Event& event, Time now);

  private:
    void flavor_changed(const std::string& name, Time now);
    void admission_check_changed(const std::string& name, Time now);
    void topology_changed(const std::string& name, Time now);
    void namespace_changed(const std::string& name, Time now);
    void limit_range_changed(const std::string& ns, const std::string& name, Time now);
    void runtime_class_changed(const std::string& name, Time now);
    void cohort_changed(const kube::Change<api::Cohort>& change, Time now);
    void cluster_queue_changed(const std::string& name, Time now);
    void local_queue_changed(const std::string& ns, const std::string& name, Time now);
    void apply_all(const workload::Translator::Events& events, Time now);
    void feed_cluster_queue(const api::ClusterQueue& queue, Time now);
    void feed_local_queue(const api::LocalQueue& queue, Time now);
    void feed_workload(const api::Workload& workload, Time now);

    const Stores& stores_;
    workload::Translator& translator_;
    engine::State& state_;
    bool is_fed_ = false;
    std::uint64_t changes_ = 0;
};

}  // namespace sluice::controller
