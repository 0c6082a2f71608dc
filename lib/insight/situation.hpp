// A workload in its cluster at one moment: all that an explanation is made of.
#pragma once

#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/kueue/priority_class.hpp"
#include "api/kueue/resource_flavor.hpp"
#include "api/kueue/workload.hpp"
#include "engine/state/state.hpp"
#include "engine/types/event.hpp"
#include "engine/types/time.hpp"
#include "insight/object_source.hpp"
#include "workload/status/pending_order.hpp"
#include "workload/status/waiting.hpp"
#include "workload/translation/references.hpp"
#include "workload/translation/translator.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::insight {

/// A change of one object with the events that it has for the engine.
struct TranslatedChange {
    std::string kind;    ///< as ExplainedRemedy::kind
    std::string change;  ///< in words
    std::string object;  ///< as ExplainedRemedy::object
    std::string value;
    std::string needs;
    std::vector<engine::Event> events;
};

/// How much an explanation says.
enum class Depth : std::uint8_t {
    Full,
    Summary,  ///< without levels, constraints and remedies
};

/// A workload in its cluster at one moment. It refers to nothing that changes, so that it can be
/// explained on another thread. Objects that do not exist are nullptr.
struct Situation {
    engine::Time now;
    Depth depth = Depth::Full;
    std::shared_ptr<engine::State> state;  ///< a fork, which situations of one moment share
    std::shared_ptr<const api::Workload> workload;
    std::shared_ptr<const api::LocalQueue> local_queue;
    std::shared_ptr<const api::ClusterQueue> cluster_queue;
    std::vector<std::shared_ptr<const api::LocalQueue>> local_queues;  ///< of the namespace
    std::vector<std::shared_ptr<const api::WorkloadPriorityClass>> priority_classes;
    std::map<std::string, api::ResourceFlavor> flavors;  ///< those of the ClusterQueue
    std::optional<workload::Waiting> obstacle;           ///< why no queue tries it
    workload::Activity activity;                         ///< of the ClusterQueue
    std::optional<workload::PlaceInQueues> place;
    std::vector<TranslatedChange> changes;  ///< remedies that objects alone decide
};

/// Where a situation is taken from. *Lifetime*: during take_situation().
struct Surroundings {
    const engine::State& state;
    const workload::Translator& translator;
    const ObjectSource& objects;
    /// Finds the place of a pending workload.
    std::function<std::optional<workload::PlaceInQueues>(engine::WorkloadIndex)> find_place;
    engine::Time now;
};

/// Takes what explains the workload; nullopt if it does not exist. *Cost*: a fork of the state, and
/// a translation for each flavor that refuses its pods. Thread: that of the state.
std::optional<Situation> take_situation(
    const Surroundings& from, std::string_view ns, std::string_view name
);

/// Takes what explains at most `limit` Workloads of the namespace, of all if it is empty, in the
/// order of "namespace/name", from the one after `after`; each with Depth::Summary. *Cost*: a fork
/// of the state, and about 10 us a workload. Thread: that of the state.
std::vector<Situation> take_situations(
    const Surroundings& from, std::string_view ns, std::string_view after, std::size_t limit
);

}  // namespace sluice::insight
