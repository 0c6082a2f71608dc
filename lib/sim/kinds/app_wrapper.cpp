#include "sim/kinds/app_wrapper.hpp"

#include "api/kueue/kueue_names.hpp"
#include "job_kinds/builtin.hpp"
#include "job_kinds/derived/wrapped_pod_sets.hpp"
#include "job_kinds/path.hpp"
#include "sim/objects/conditions.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace sluice::sim {

namespace {

/// Label of objects that a wrapper has created.
constexpr std::string_view kLabel = "workload.codeflare.dev/appwrapper";

/// Progress of a wrapped object.
enum class Progress : std::uint8_t { Waiting, Ready, Succeeded, Failed };

Progress progress_of_pod(const json::Value& pod) {
    const std::string_view phase = text_at(pod, {"status", "phase"});
    return phase == "Succeeded" ? Progress::Succeeded
           : phase == "Failed"  ? Progress::Failed
           : is_ready_pod(pod)  ? Progress::Ready
                                : Progress::Waiting;
}

Progress progress_of_job(const json::Value& job) {
    if (has_condition(job, "Complete") || has_condition(job, "Failed")) {
        return has_condition(job, "Complete") ? Progress::Succeeded : Progress::Failed;
    }
    const std::int64_t wanted = find_int(job, {"spec", "parallelism"}).value_or(1);
    const std::int64_t done = find_int(job, {"status", "ready"}).value_or(0) +
                              find_int(job, {"status", "succeeded"}).value_or(0);
    return done >= std::min(wanted, find_int(job, {"spec", "completions"}).value_or(wanted))
               ? Progress::Ready
               : Progress::Waiting;
}

Progress progress_of(const json::Value& object) {
    const std::string_view kind = object.string_at("kind");
    if (kind == "Pod") {
        return progress_of_pod(object);
    }
    if (kind == "Job") {
        return progress_of_job(object);
    }
    if (kind == "Deployment" || kind == "StatefulSet") {
        const std::int64_t wanted = find_int(object, {"spec", "replicas"}).value_or(1);
        return find_int(object, {"status", "readyReplicas"}).value_or(0) >= wanted
                   ? Progress::Ready
                   : Progress::Waiting;
    }
    for (const job_kinds::Description& each : job_kinds::builtin_descriptions()) {
        if (each.kind != kind || !object.string_at("apiVersion").starts_with(each.group)) {
            continue;
        }
        if (each.finished && each.finished->succeeded.holds(object)) {
            return Progress::Succeeded;
        }
        if (each.finished && each.finished->failed.holds(object)) {
            return Progress::Failed;
        }
        const bool is_ready = each.ready ? each.ready->holds(object) : each.active.holds(object);
        return is_ready ? Progress::Ready : Progress::Waiting;
    }
    return Progress::Succeeded;  // nothing to wait for, as with a Service
}

/// Merges the labels, annotations and fields that a start has injected into a pod set into its
/// template.
void inject(json::Value& pod_template, const json::Value& info) {
    for (const std::string_view part : {"labels", "annotations"}) {
        if (const json::Value* added = info.find(part); added != nullptr && added->is_object()) {
            for (const auto& [name, value] : added->as_object()) {
                make_object_at(pod_template, {"metadata", part}).set(name, value);
            }
        }
    }
    json::Value& spec = make_object_at(pod_template, {"spec"});
    if (const json::Value* added = info.find("nodeSelector");
        added != nullptr && added->is_object()) {
        for (const auto& [name, value] : added->as_object()) {
            make_object_at(spec, {"nodeSelector"}).set(name, value);
        }
    }
    for (const std::string_view part : {"tolerations", "schedulingGates"}) {
        json::Array all = list_at(spec, {part});
        std::ranges::copy(list_at(info, {part}), std::back_inserter(all));
        if (!all.empty()) {
            spec.set(part, std::move(all));
        }
    }
}

class AppWrapperTurn {
  public:
    explicit AppWrapperTurn(const Turn& turn)
        : turn_(turn),
          wrapper_(turn.object),
          components_(list_at(wrapper_, {"spec", "components"})) {
        std::ranges::copy_if(turn.owned, std::back_inserter(made_), [](const json::Value* each) {
            return !text_at(*each, {"metadata", "labels", kLabel}).empty();
        });
    }

    Outcome run() {
        const std::string_view phase = text_at(wrapper_, {"status", "phase"});
        if (is_deleted(wrapper_) || phase == "Succeeded" || phase == "Failed") {
            return {};
        }
        conditions_ = conditions_of(wrapper_);
        if (is_true_at(wrapper_, {"spec", "suspend"})) {
            suspend();
        } else {
            deploy();
        }
        json::Value status = json::Object{{"phase", phase_}, {"conditions", conditions_}};
        replace_status(wrapper_, std::move(status), outcome_);
        return std::move(outcome_);
    }

  private:
    void set(
        std::string_view type, bool status, std::string_view reason, std::string_view message = ""
    ) {
        set_condition(conditions_, {type, status, reason, message}, turn_.now);
    }

    void suspend() {
        for (const json::Value* each : made_) {
            if (!is_deleted(*each)) {
                outcome_.writes.push_back(background_deletion(*each));
            }
        }
        const bool is_gone = made_.empty();
        phase_ = is_gone ? "Suspended" : "Suspending";
        set(api::condition::kQuotaReserved, !is_gone, "Suspended", "Suspend is true");
        set("ResourcesDeployed", !is_gone, "Suspended", "Suspend is true");
        set(api::condition::kPodsReady, false, "Suspended", "Suspend is true");
    }

    void deploy() {
        Progress least = Progress::Succeeded;
        bool has_failed = false;
        for (std::size_t i = 0; i < components_.size(); ++i) {
            const json::Value* made = find_component(i);
            const Progress progress = made == nullptr ? Progress::Waiting : progress_of(*made);
            if (made == nullptr) {
                create(i);
            }
            has_failed = has_failed || progress == Progress::Failed;
            least = std::min(least, progress);
        }
        phase_ = "Running";
        set(api::condition::kQuotaReserved, true, "Resuming", "Suspend is false");
        set("ResourcesDeployed", true, "Resuming", "Suspend is false");
        if (has_failed || least == Progress::Succeeded) {
            end(!has_failed);
        } else if (least == Progress::Ready) {
            set(api::condition::kPodsReady, true, "SufficientPodsReady");
        } else {
            set(api::condition::kPodsReady, false, "InsufficientPodsReady");
        }
    }

    void end(bool is_good) {
        phase_ = is_good ? "Succeeded" : "Failed";
        set(api::condition::kQuotaReserved, false, phase_);
        if (is_good) {
            return;
        }
        set("ResourcesDeployed", false, phase_);
        for (const json::Value* each : made_) {
            outcome_.writes.push_back(background_deletion(*each));
        }
    }

    std::string name_of_component(std::size_t place) const {
        const json::Value* body = components_[place].find("template");
        const std::string_view said = body == nullptr ? std::string_view() : name_of(*body);
        return said.empty() ? fmt::format("{}-{}", name_of(wrapper_), place) : std::string(said);
    }

    const json::Value* find_component(std::size_t place) const {
        const json::Value* body = components_[place].find("template");
        const std::string name = name_of_component(place);
        const auto found = std::ranges::find_if(made_, [&](const json::Value* each) {
            return body != nullptr && name_of(*each) == name &&
                   each->string_at("kind") == body->string_at("kind");
        });
        return found == made_.end() ? nullptr : *found;
    }

    void create(std::size_t place) {
        json::Value component = components_[place];
        const auto pod_sets = job_kinds::wrapped_pod_sets(
            component, nullptr, fmt::format("spec.components[{}]", place)
        );
        const json::Array infos = list_at(component, {"podSetInfos"});
        for (std::size_t i = 0; pod_sets && i < pod_sets->size(); ++i) {
            const auto path = job_kinds::Path::compile((*pod_sets)[i].string_at("path"));
            json::Value* pod_template =
                path ? job_kinds::make_object(component, path->steps()) : nullptr;
            if (pod_template == nullptr) {
                continue;
            }
            set_metadata(*pod_template, "labels", kLabel, name_of(wrapper_));
            if (i < infos.size()) {
                inject(*pod_template, infos[i]);
            }
        }
        json::Value* body = component.find("template");
        if (body == nullptr) {
            return;
        }
        set_metadata(*body, "labels", kLabel, name_of(wrapper_));
        json::Value& metadata = make_object_at(*body, {"metadata"});
        metadata.set("name", name_of_component(place));
        metadata.set("ownerReferences", owner_references(wrapper_));
        outcome_.writes.push_back(
            {.body = *body,
             .api_version = std::string(body->string_at("apiVersion")),
             .kind = std::string(body->string_at("kind"))}
        );
    }

    const Turn& turn_;
    const json::Value& wrapper_;
    const json::Array& components_;
    std::vector<const json::Value*> made_;
    json::Array conditions_;
    std::string phase_;
    Outcome outcome_;
};

}  // namespace

Outcome reconcile_app_wrapper(const Turn& turn) {
    return AppWrapperTurn(turn).run();
}

}  // namespace sluice::sim
