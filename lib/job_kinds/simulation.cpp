#include "job_kinds/simulation.hpp"

#include "config/strict_reader.hpp"
#include "job_kinds/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace sluice::job_kinds {

namespace {

using config::Problems;
using config::StrictReader;

constexpr std::array<std::string_view, 3> kObjectWords = {"name", "Kind", "kind"};
constexpr std::array<std::string_view, 7> kPodWords = {
    "name", "Kind", "kind", "podSet", "podSetAsWritten", "index", "number"
};
/// Placeholders that are whole values.
constexpr std::array<std::string_view, 3> kValueWords = {"{now}", "{since}", "{generation}"};
constexpr std::array<std::string_view, 5> kCounts = {
    "wanted", "active", "ready", "succeeded", "failed"
};
constexpr std::array<std::pair<std::string_view, JobStage>, 6> kStages = {{
    {"suspending", JobStage::Suspending},
    {"suspended", JobStage::Suspended},
    {"starting", JobStage::Starting},
    {"running", JobStage::Running},
    {"succeeded", JobStage::Succeeded},
    {"failed", JobStage::Failed},
}};

template <class Words>
bool has_word(const Words& words, std::string_view word) {
    return std::ranges::find(words, word) != std::ranges::end(words);
}

/// Checks the placeholders of a text.
void check_text(
    std::string_view text,
    std::span<const std::string_view> words,
    const std::string& where,
    Problems& problems
) {
    for (std::size_t open = text.find('{'); open != std::string_view::npos;
         open = text.find('{', open + 1)) {
        const std::size_t close = text.find('}', open);
        const std::string_view word = text.substr(open + 1, close - open - 1);
        if (close == std::string_view::npos || !has_word(words, word)) {
            problems.add(where, fmt::format("\"{{{}}}\" is not a placeholder here", word));
        }
    }
}

PodSetChoice read_choice(StrictReader& reader) {
    PodSetChoice made;
    reader.read("of", made.of);
    reader.read("except", made.except);
    return made;
}

void read_pods(StrictReader& reader, SimulatedPods& into) {
    into.pod_sets = read_choice(reader);
    reader.read("name", into.name);
    check_text(into.name, kPodWords, reader.path_of("name"), reader.problems());
    reader.read("labels", into.labels);
    for (const auto& [name, text] : into.labels) {
        check_text(text, kPodWords, reader.path_of("labels"), reader.problems());
    }
    reader.read("inheritedAnnotations", into.inherited_annotations);
    reader.read("restartPolicy", into.restart_policy);
    into.restart_policy_from = read_path(reader, "restartPolicyFrom");
    reader.read("last", into.are_last);
}

void read_cleanup(StrictReader& reader, SimulatedCleanup& into) {
    into.pod_sets = read_choice(reader);
    into.when = read_predicate(reader, "when");
    reader.read("onlyActive", into.only_active);
}

void read_condition(StrictReader& reader, SimulatedCondition& into) {
    reader.read("type", into.type);
    if (into.type.empty()) {
        reader.problems().add(reader.path_of("type"), "is required");
    }
    reader.read("status", into.status);
    reader.read("reason", into.reason);
    reader.read("message", into.message);
    check_text(into.reason, kObjectWords, reader.path_of("reason"), reader.problems());
    check_text(into.message, kObjectWords, reader.path_of("message"), reader.problems());
    reader.read("onlyIfPresent", into.only_if_present);
}

void check_fields(const json::Value& value, const std::string& where, Problems& problems);

/// Checks an object that is a placeholder of a value. Returns false if it is not one.
bool check_form(const json::Value& object, const std::string& where, Problems& problems) {
    StrictReader reader(object, where, problems);
    std::string text;
    if (reader.read("$count", text)) {
        read_choice(reader);
        if (!has_word(kCounts, text)) {
            problems.add(where, fmt::format("\"{}\" is not a count of pods", text));
        }
    } else if (const json::Value* each = reader.take("$perPodSet")) {
        check_fields(*each, where, problems);
    } else if (reader.object("$perPod", [](StrictReader& phases) {
                   std::map<std::string, std::string> texts;
                   phases.read("phases", texts);
                   phases.read("otherwise", texts[""]);
               })) {
        read_choice(reader);
    } else {
        return reader.read("$podName", text);
    }
    return true;
}

bool is_form(const json::Value& value) {
    return value.is_object() && std::ranges::any_of(value.as_object(), [](const auto& member) {
               return member.first.starts_with('$');
           });
}

void check_fields(const json::Value& value, const std::string& where, Problems& problems) {
    if (value.is_string() && !has_word(kValueWords, value.as_string())) {
        check_text(value.as_string(), kObjectWords, where, problems);
    } else if (is_form(value)) {
        if (!check_form(value, where, problems)) {
            problems.add(where, "needs one of $count, $perPodSet, $perPod, $podName");
        }
    } else if (value.is_object()) {
        for (const auto& [name, member] : value.as_object()) {
            check_fields(member, fmt::format("{}.{}", where, name), problems);
        }
    }
}

void read_status(StrictReader& reader, SimulatedStatus& into) {
    std::vector<std::string> stages;
    reader.read("in", stages);
    for (const std::string& stage : stages) {
        const auto found =
            std::ranges::find(kStages, stage, [](const auto& each) { return each.first; });
        if (found == kStages.end()) {
            reader.problems().add(
                reader.path_of("in"), fmt::format("\"{}\" is not a stage", stage)
            );
        } else {
            into.stages.push_back(found->second);
        }
    }
    reader.objects("conditions", into.conditions, read_condition);
    if (const json::Value* fields = reader.take("fields")) {
        check_fields(*fields, reader.path_of("fields"), reader.problems());
        into.fields = *fields;
    }
}

}  // namespace

bool PodSetChoice::includes(std::string_view pod_set) const {
    return (of.empty() || has_word(of, pod_set)) && !has_word(except, pod_set);
}

Simulation read_simulation(
    const json::Value& document, const std::string& path, Problems& problems
) {
    Simulation made;
    StrictReader reader(document, path, problems);
    reader.objects("pods", made.pods, read_pods);
    if (std::ranges::all_of(made.pods, [](const auto& each) { return each.name.empty(); })) {
        problems.add(reader.path_of("pods"), "needs the names of the pods");
    }
    SimulatedEnd end;
    if (reader.object("end", [&end](StrictReader& r) {
            r.read("with", end.deciders);
            r.read("failsWithAny", end.fails_with_any);
            end.ready_since = read_path(r, "runTimeAfter");
        })) {
        made.end = std::move(end);
    }
    reader.read("runsWithDecider", made.runs_with_decider);
    made.stays_running = read_predicate(reader, "staysRunning");
    reader.objects("cleanup", made.cleanup, read_cleanup);
    reader.objects("status", made.status, read_status);
    return made;
}

}  // namespace sluice::job_kinds
