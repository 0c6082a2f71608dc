#include "sim/job/job_pod.hpp"

#include "sim/objects/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace sluice::sim {

namespace {

/// generateName adds five characters, and a name has at most 63.
constexpr std::size_t kGeneratedPrefixMax = 58;

std::int64_t number_of(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole && number >= 0 ? number : -1;
}

std::int64_t count_in(const json::Value& pod, std::string_view annotation) {
    return std::max<std::int64_t>(
        0, number_of(text_at(pod, {"metadata", "annotations", annotation}))
    );
}

std::int64_t restarts(const json::Value& pod) {
    std::int64_t most = 0;
    for (const json::Value& status : list_at(pod, {"status", "containerStatuses"})) {
        most = std::max(most, find_int(status, {"restartCount"}).value_or(0));
    }
    return most;
}

std::optional<Time> ready_since(const json::Value& pod) {
    const json::Value* ready =
        find_element(list_at(pod, {"status", "conditions"}), "type", "Ready");
    return ready == nullptr ? std::nullopt : find_time(*ready, {"lastTransitionTime"});
}

/// Returns the rank of a pod; the smallest rank is removed first: not bound, then not running, not
/// ready, ready for a shorter time, with more restarts, younger.
auto removal_rank(const JobPod& pod) {
    const json::Value& object = *pod.object;
    const int phase = pod.phase == "Running" ? 2 : pod.phase == "Unknown" ? 1 : 0;
    const auto ready = pod.is_ready ? ready_since(object) : std::nullopt;
    const auto created = find_time(object, {"metadata", "creationTimestamp"});
    return std::tuple(
        !text_at(object, {"spec", "nodeName"}).empty(),
        phase,
        pod.is_ready,
        -ready.value_or(Time()).time_since_epoch(),
        -restarts(object),
        -created.value_or(Time()).time_since_epoch(),
        pod.index.value_or(-1),
        pod.name
    );
}

void add_index_variable(json::Value& spec, std::string_view containers) {
    json::Value* list = spec.find(containers);
    if (list == nullptr || !list->is_array()) {
        return;
    }
    constexpr std::string_view kName = "JOB_COMPLETION_INDEX";
    for (json::Value& container : list->as_array()) {
        json::Value* variables = container.find("env");
        if (variables == nullptr || !variables->is_array()) {
            variables = &container.set("env", json::Array());
        }
        if (find_element(variables->as_array(), "name", kName) == nullptr) {
            const json::Value field =
                json::Object{{"fieldPath", fmt::format("metadata.labels['{}']", kCompletionIndex)}};
            variables->as_array().emplace_back(
                json::Object{{"name", kName}, {"valueFrom", json::Object{{"fieldRef", field}}}}
            );
        }
    }
}

std::string generate_name(std::string_view job, std::optional<std::int64_t> index) {
    const std::string tail = index ? fmt::format("-{}-", *index) : "-";
    return std::string(job.substr(0, kGeneratedPrefixMax - tail.size())) + tail;
}

}  // namespace

JobPod JobPod::make(const json::Value& pod) {
    JobPod made;
    made.object = &pod;
    made.name = text_at(pod, {"metadata", "name"});
    made.uid = text_at(pod, {"metadata", "uid"});
    made.phase = text_at(pod, {"status", "phase"});
    made.is_deleted = pod.find_path({"metadata", "deletionTimestamp"}) != nullptr;
    made.is_tracked =
        std::ranges::any_of(list_at(pod, {"metadata", "finalizers"}), [](const json::Value& each) {
            return each == json::Value(kTrackingFinalizer);
        });
    made.is_ready = has_condition(pod, "Ready");
    const std::int64_t index =
        number_of(text_at(pod, {"metadata", "annotations", kCompletionIndex}));
    made.index = index < 0 ? std::nullopt : std::optional(index);
    return made;
}

Time JobPod::finished_at() const {
    const json::Array& statuses = list_at(*object, {"status", "containerStatuses"});
    std::optional<Time> last;
    bool have_all_ended = !statuses.empty();
    for (const json::Value& status : statuses) {
        const auto time = find_time(status, {"state", "terminated", "finishedAt"});
        have_all_ended = have_all_ended && time;
        last = time ? std::max(last.value_or(*time), *time) : last;
    }
    if (have_all_ended && last) {
        return *last;
    }
    if (const auto since = ready_since(*object); since && !is_ready) {
        return *since;
    }
    if (const auto deleted = find_time(*object, {"metadata", "deletionTimestamp"})) {
        const auto grace = find_int(*object, {"metadata", "deletionGracePeriodSeconds"});
        return *deleted - std::chrono::seconds(grace.value_or(0));
    }
    return find_time(*object, {"metadata", "creationTimestamp"}).value_or(Time());
}

std::int64_t JobPod::counted_index_failures() const {
    return count_in(*object, kIndexFailures);
}

std::int64_t JobPod::all_index_failures() const {
    return counted_index_failures() + count_in(*object, kIgnoredIndexFailures);
}

void sort_for_removal(JobPods& pods) {
    using Ranked = std::pair<decltype(removal_rank(pods.front())), JobPod>;
    std::vector<Ranked> ranked;
    ranked.reserve(pods.size());
    for (const JobPod& pod : pods) {
        ranked.emplace_back(removal_rank(pod), pod);
    }
    std::ranges::stable_sort(ranked, {}, &Ranked::first);
    std::ranges::transform(ranked, pods.begin(), &Ranked::second);
}

namespace {

/// Returns true if each pod has an index below `completions` that no other has.
bool have_own_indexes(const JobPods& pods, std::int64_t completions) {
    std::vector<std::int64_t> indexes;
    indexes.reserve(pods.size());
    for (const JobPod& pod : pods) {
        indexes.push_back(pod.index.value_or(completions));
    }
    std::ranges::sort(indexes);
    return std::ranges::adjacent_find(indexes) == indexes.end() &&
           (indexes.empty() || indexes.back() < completions);
}

}  // namespace

JobPods choose_for_removal(
    JobPods active, std::int64_t at_least, std::optional<std::int64_t> indexed_completions
) {
    const bool is_any_surplus =
        indexed_completions && !have_own_indexes(active, *indexed_completions);
    if (at_least <= 0 && !is_any_surplus) {
        return {};
    }
    sort_for_removal(active);
    JobPods removed;
    JobPods left;
    if (indexed_completions) {
        // Keeps the last pod of each index in the sort order.
        std::map<std::int64_t, std::size_t> kept;
        constexpr std::int64_t kNone = -1;
        for (std::size_t i = 0; i < active.size(); ++i) {
            const std::int64_t index = active[i].index.value_or(kNone);
            if (index != kNone && index < *indexed_completions) {
                kept[index] = i;
            }
        }
        for (std::size_t i = 0; i < active.size(); ++i) {
            const auto found = kept.find(active[i].index.value_or(kNone));
            (found != kept.end() && found->second == i ? left : removed).push_back(active[i]);
        }
    } else {
        left = std::move(active);
    }
    for (const JobPod& pod : left) {
        if (std::ssize(removed) >= at_least) {
            break;
        }
        removed.push_back(pod);
    }
    return removed;
}

Write lose_finalizer(const json::Value& pod) {
    json::Array left = list_at(pod, {"metadata", "finalizers"});
    std::erase(left, json::Value(kTrackingFinalizer));
    const json::Value metadata = json::Object{
        {"uid", text_at(pod, {"metadata", "uid"})},
        {"finalizers", left.empty() ? json::Value() : json::Value(std::move(left))}
    };
    return {
        .verb = Write::Verb::Patch,
        .name = std::string(text_at(pod, {"metadata", "name"})),
        .body = json::Object{{"metadata", metadata}}
    };
}

json::Value make_job_pod(const json::Value& job, std::optional<std::int64_t> index) {
    const std::string_view name = text_at(job, {"metadata", "name"});
    json::Value pod = json::Object{{"apiVersion", "v1"}, {"kind", "Pod"}};
    json::Value metadata = json::Object{{"generateName", generate_name(name, index)}};
    for (const std::string_view part : {"labels", "annotations"}) {
        const json::Value* found = job.find_path({"spec", "template", "metadata", part});
        if (found != nullptr) {
            metadata.set(part, *found);
        }
    }
    json::Array finalizers = list_at(job, {"spec", "template", "metadata", "finalizers"});
    if (std::ranges::find(finalizers, json::Value(kTrackingFinalizer)) == finalizers.end()) {
        finalizers.emplace_back(kTrackingFinalizer);
    }
    metadata.set("finalizers", std::move(finalizers));
    metadata.set(
        "ownerReferences",
        json::Array{json::Object{
            {"apiVersion", "batch/v1"},
            {"kind", "Job"},
            {"name", name},
            {"uid", text_at(job, {"metadata", "uid"})},
            {"controller", true},
            {"blockOwnerDeletion", true}
        }}
    );
    const json::Value* found = job.find_path({"spec", "template", "spec"});
    json::Value spec = found == nullptr ? json::Value(json::Object()) : *found;
    if (index) {
        for (const std::string_view part : {"labels", "annotations"}) {
            make_object_at(metadata, {part}).set(kCompletionIndex, std::to_string(*index));
        }
        spec.set("hostname", fmt::format("{}-{}", name, *index));
        add_index_variable(spec, "initContainers");
        add_index_variable(spec, "containers");
    }
    pod.set("metadata", std::move(metadata));
    pod.set("spec", std::move(spec));
    return pod;
}

}  // namespace sluice::sim
