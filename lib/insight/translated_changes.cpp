#include "insight/translated_changes.hpp"

#include "api/core/taint.hpp"
#include "api/kueue/kueue_names.hpp"
#include "insight/constraint_words.hpp"
#include "workload/pods/pod_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sluice::insight {
namespace {

/// Bounds the time on the thread of the state.
constexpr std::size_t kFlavorsMax = 16;

/// Pods of one podSet, adapted to a flavor.
struct Adapted {
    std::vector<std::string> tolerations;  // the taints that they tolerate now
    std::vector<std::string> labels;       // the labels that they allow now
};

void add_new(std::vector<std::string>& into, std::string text) {
    if (std::ranges::find(into, text) == into.end()) {
        into.push_back(std::move(text));
    }
}

void tolerate(const api::ResourceFlavor& flavor, api::PodSpec& pod, Adapted& adapted) {
    for (const api::Taint& taint : flavor.spec.node_taints) {
        const auto& given = flavor.spec.tolerations;
        if (api::find_untolerated_taint({taint}, given) == nullptr ||
            api::find_untolerated_taint({taint}, pod.tolerations) == nullptr) {
            continue;
        }
        pod.tolerations.push_back({
            .key = taint.key,
            .operator_ = "Equal",
            .value = taint.value,
            .effect = taint.effect,
            .toleration_seconds = {},
        });
        add_new(adapted.tolerations, print_taint(taint));
    }
}

/// Makes the node selector name the flavor's labels, and takes the requirements on these labels out
/// of the required node affinity.
void allow(const api::ResourceFlavor& flavor, api::PodSpec& pod, Adapted& adapted) {
    for (const auto& [key, value] : flavor.spec.node_labels) {
        const std::string label = fmt::format("{}={}", key, value);
        const auto selected = pod.node_selector.find(key);
        if (selected != pod.node_selector.end() && selected->second != value) {
            selected->second = value;
            add_new(adapted.labels, label);
        }
        if (!pod.affinity || !pod.affinity->node_affinity ||
            !pod.affinity->node_affinity->required_during_scheduling_ignored_during_execution) {
            continue;
        }
        auto& required =
            *pod.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
        for (auto& term : required.node_selector_terms) {
            const auto erased = std::erase_if(term.match_expressions, [&](const auto& requirement) {
                return requirement.key == key;
            });
            if (erased > 0) {
                add_new(adapted.labels, label);
            }
        }
    }
}

/// Returns true if the flavor refuses the pods for their tolerations, node selector or affinity.
bool refuses(const api::ResourceFlavor& flavor, const api::PodSpec& pod) {
    return workload::find_refusal(workload::make_pod_shape(pod), flavor, {}).has_value();
}

std::string describe(const Adapted& adapted) {
    std::string text;
    if (!adapted.tolerations.empty()) {
        text = fmt::format("toleration for {}", fmt::join(adapted.tolerations, ", "));
    }
    if (!adapted.labels.empty()) {
        text += fmt::format(
            "{}node selector and affinity that allow {}",
            text.empty() ? "" : ", and ",
            fmt::join(adapted.labels, ", ")
        );
    }
    return text;
}

void add_flavor(
    const workload::Translator& translator, const api::ResourceFlavor& flavor, Situation& situation
) {
    api::Workload changed = *situation.workload;
    Adapted adapted;
    for (auto& pod_set : changed.spec.pod_sets) {
        api::PodTemplateSpec pods = *pod_set.template_;
        if (refuses(flavor, pods.spec)) {
            tolerate(flavor, pods.spec, adapted);
        }
        if (refuses(flavor, pods.spec)) {
            allow(flavor, pods.spec, adapted);
        }
        pod_set.template_ = api::Shared<api::PodTemplateSpec>(std::move(pods));
    }
    if (adapted.tolerations.empty() && adapted.labels.empty()) {
        return;
    }
    ++changed.metadata.generation;
    situation.changes.push_back({
        .kind = adapted.tolerations.empty() ? "affinity" : "toleration",
        .change = describe(adapted),
        .object = {},
        .value = flavor.metadata.name,
        .needs = {},
        .events = translator.preview(changed),
    });
}

bool is_stopped(const std::string& policy) {
    return policy != api::stop_policy::kNone;
}

void add_start(const workload::Translator& translator, Situation& situation) {
    const bool stops_local = is_stopped(situation.local_queue->spec.stop_policy);
    const bool stops_cluster = is_stopped(situation.cluster_queue->spec.stop_policy);
    if (!stops_local && !stops_cluster) {
        return;
    }
    TranslatedChange start{
        .kind = "stopPolicy",
        .change = {},
        .object = {},
        .value = api::stop_policy::kNone,
        .needs = "administrator",
        .events = {},
    };
    if (stops_cluster) {
        api::ClusterQueue queue = *situation.cluster_queue;
        queue.spec.stop_policy = api::stop_policy::kNone;
        ++queue.metadata.generation;
        start.object = "clusterqueue/" + queue.metadata.name;
        start.events.push_back(engine::ClusterQueueChanged{translator.cluster_queue(queue)});
    }
    if (stops_local) {
        api::LocalQueue queue = *situation.local_queue;
        queue.spec.stop_policy = api::stop_policy::kNone;
        start.object += (start.object.empty() ? "" : " and ") +
                        fmt::format("localqueue/{}", queue.metadata.name);
        start.events.push_back(
            engine::LocalQueueChanged{translator.local_queue(queue, situation.cluster_queue.get())}
        );
    }
    start.change = "stopPolicy None of " + start.object;
    situation.changes.push_back(std::move(start));
}

}  // namespace

void add_translated_changes(const workload::Translator& translator, Situation& situation) {
    if (situation.cluster_queue == nullptr) {
        return;
    }
    std::size_t flavors = 0;
    for (const auto& [name, flavor] : situation.flavors) {
        if (++flavors > kFlavorsMax) {
            break;
        }
        add_flavor(translator, flavor, situation);
    }
    add_start(translator, situation);
}

}  // namespace sluice::insight
