#include "controller/commands/config/job_object.hpp"

#include "base/printable.hpp"
#include "controller/jobs/reconciliation/workload_of_job.hpp"
#include "controller/kinds/builtin_kinds.hpp"
#include "controller/process/settings.hpp"
#include "job_kinds/configured.hpp"
#include "workload/pods/requests.hpp"
#include "yaml/print.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace sluice::commands {

namespace {

using controller::GenericJob;
using controller::PodSetInfo;

std::string requests_of(const api::PodSpec& pod) {
    const workload::LimitRangeSummary no_limits;
    const auto requests =
        workload::pod_requests(workload::make_pod_resources(pod, nullptr, no_limits));
    std::vector<std::string> words;
    for (const auto& [resource, amount] : requests) {
        words.push_back(fmt::format("{}={}", resource, amount.to_string()));
    }
    return words.empty() ? "nothing" : fmt::format("{}", fmt::join(words, ", "));
}

std::string state_of(const GenericJob& job) {
    std::string text = job.is_suspended() ? "suspended" : "running";
    text += job.is_active() ? ", has active pods" : ", no active pods";
    text += job.are_pods_ready() ? ", all pods ready" : "";
    if (const auto end = job.find_end()) {
        text += fmt::format(
            "; {}{}{}",
            end->result == controller::JobEnd::Result::Succeeded ? "succeeded" : "failed",
            end->message.empty() ? "" : ": ",
            end->message
        );
    }
    if (const auto hold = job.find_hold()) {
        text += fmt::format("; on hold: {}", *hold);
    }
    return text;
}

/// Returns an example of what an admission injects, with placeholders for the values of flavors and
/// queues.
std::vector<PodSetInfo> sample_injection(const std::vector<api::PodSet>& pod_sets) {
    std::vector<PodSetInfo> infos;
    for (const api::PodSet& pod_set : pod_sets) {
        PodSetInfo info{.name = pod_set.name, .count = pod_set.count};
        info.labels[api::label::kPodSet] = pod_set.name;
        info.node_selector["label-of-the-flavor"] = "its-value";
        api::Toleration toleration;
        toleration.key = "taint-of-the-flavor";
        toleration.operator_ = "Exists";
        info.tolerations.push_back(toleration);
        infos.push_back(std::move(info));
    }
    return infos;
}

std::string indented(const std::string& text) {
    std::string made;
    std::size_t from = 0;
    while (from < text.size()) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        made += "  " + text.substr(from, end - from) + "\n";
        from = end + 1;
    }
    return made;
}

/// Escapes line by line, so that line breaks are kept.
std::string printable_lines(const std::string& text) {
    std::string made;
    std::size_t from = 0;
    while (from < text.size()) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        made += printable(text.substr(from, end - from)) + "\n";
        from = end + 1;
    }
    return made;
}

std::string explain_start(const GenericJob& job, const std::vector<api::PodSet>& pod_sets) {
    auto writes = job.start(sample_injection(pod_sets));
    if (!writes) {
        return fmt::format("cannot start: {}\n", writes.error().detail);
    }
    std::string text = "a start merges into the object:\n";
    for (controller::Write& write : *writes) {
        if (json::Value* metadata = write.body.find("metadata")) {
            metadata->erase("resourceVersion");
            metadata->erase("uid");
            if (metadata->as_object().empty()) {
                write.body.erase("metadata");
            }
        }
        text += indented(yaml::print(write.body));
    }
    return text;
}

std::string explain(const controller::JobKind& kind, const GenericJob& job) {
    const api::ObjectMeta& metadata = job.metadata();
    std::string text = fmt::format(
        "{} {}/{}, framework {}\n",
        kind.kind().name(),
        metadata.namespace_.empty() ? "default" : metadata.namespace_,
        metadata.name,
        kind.integration()
    );
    const std::string* queue = metadata.find_label(api::label::kQueueName);
    text += queue == nullptr || queue->empty()
                ? "queue: none; managed only with its owner or manageJobsWithoutQueueName\n"
                : fmt::format("queue: {}\n", *queue);
    if (job.is_left_alone()) {
        return text + "not managed: the description excludes objects like this one\n";
    }
    text += fmt::format("state: {}\n", state_of(job));
    if (const auto problem = controller::find_problem(job)) {
        text += fmt::format("problem: {}\n", problem->detail);
    }
    const auto pod_sets = job.pod_sets();
    if (!pod_sets) {
        return text + fmt::format("cannot make a Workload: {}\n", pod_sets.error().detail);
    }
    if (!job.priority_class().empty()) {
        text += fmt::format("PriorityClass: {}\n", job.priority_class());
    }
    text += "pod sets:\n";
    for (const api::PodSet& pod_set : *pod_sets) {
        text += fmt::format(
            "  {}: {} pods, each requests {}\n",
            pod_set.name,
            pod_set.count,
            requests_of(pod_set.template_->spec)
        );
    }
    return text + explain_start(job, *pod_sets);
}

}  // namespace

Result<std::string> explain_job(
    const json::Value& object,
    const config::Configuration& configuration,
    const config::FeatureGates& gates
) {
    config::Problems problems;
    const auto kinds = job_kinds::configured_kinds(configuration.integrations, problems);
    const auto& frameworks = configuration.integrations.frameworks;
    const controller::Registry registry = controller::make_registry(
        kinds, std::ranges::find(frameworks, "batch/job") != frameworks.end()
    );
    const std::string_view group = kube::group_of(object.string_at("apiVersion"));
    const controller::JobKind* kind = registry.job_kinds().find(group, object.string_at("kind"));
    if (kind == nullptr) {
        return make_invalid(fmt::format(
            "kind \"{}\" of \"{}\" is not enabled; add it to integrations.frameworks or "
            "integrations.jobKinds",
            object.string_at("kind"),
            object.string_at("apiVersion")
        ));
    }
    const auto settings = controller::make_settings(configuration, gates);
    if (!settings) {
        return settings.error();
    }
    controller::Stores stores;  // empty: only the object is given
    registry.add_stores(stores);
    for (const controller::KindEntry& entry : registry.all()) {
        stores.find(entry.kind)->replace({}, {});
    }
    const auto job = kind->read(stores, *settings, json::print(object));
    if (!job) {
        return job.error();
    }
    return printable_lines(explain(*kind, **job));
}

}  // namespace sluice::commands
