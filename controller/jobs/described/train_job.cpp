#include "controller/jobs/described/train_job.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/jobs/described/restarts.hpp"
#include "controller/jobs/described/startup_order.hpp"
#include "controller/jobs/described/training_runtime.hpp"
#include "controller/reconcile/workload_status.hpp"
#include "job_kinds/derived/replicated_jobs.hpp"
#include "json/patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace sluice::controller {

namespace {

/// Manager name of Kueue's entry in spec.runtimePatches.
const std::string& patch_manager() {
    static const std::string name = std::string(api::kKueueGroup) + "/manager";
    return name;
}

const job_kinds::Location& spec_of_patch() {
    static const job_kinds::Location way =
        job_kinds::Path::compile("trainingRuntimeSpec.template.spec")->steps();
    return way;
}

/// Returns Kueue's entry in spec.runtimePatches; nullptr if it is missing.
template <class Json>
Json* find_own_patch(Json& train_job) {
    Json* spec = train_job.find("spec");
    Json* patches = spec == nullptr ? nullptr : spec->find("runtimePatches");
    if (patches == nullptr || !patches->is_array()) {
        return nullptr;
    }
    auto& all = patches->as_array();
    const auto own = std::ranges::find_if(all, [](const json::Value& patch) {
        return patch.is_object() && patch.string_at("manager") == patch_manager();
    });
    return own == all.end() ? nullptr : &*own;
}

/// Returns true if injections of a start are still in the object.
bool has_injected_jobs(const json::Value& train_job) {
    const json::Value* own = find_own_patch(train_job);
    const json::Value* spec = own == nullptr ? nullptr : job_kinds::find(*own, spec_of_patch());
    const json::Value* jobs = spec == nullptr ? nullptr : spec->find("replicatedJobs");
    return jobs != nullptr && jobs->is_array() && !jobs->as_array().empty();
}

json::Value map_value(const api::StringMap& map) {
    json::Object made;
    for (const auto& [key, value] : map) {
        made.emplace_back(key, value);
    }
    return made;
}

/// Returns the runtime's tolerations and the injected ones: the list replaces that of the runtime.
json::Array all_tolerations(
    const api::PodTemplateSpec& live, const std::vector<api::Toleration>& injected
) {
    json::Array all;
    if (injected.empty()) {
        return all;
    }
    std::vector<api::Toleration> tolerations = live.spec.tolerations;
    for (const api::Toleration& one : injected) {
        if (std::ranges::find(tolerations, one) == tolerations.end()) {
            tolerations.push_back(one);
        }
    }
    for (const api::Toleration& one : tolerations) {
        all.push_back(api::to_value(one));
    }
    return all;
}

json::Value patch_of(
    std::string_view job, const api::PodTemplateSpec& live, const PodSetInfo& info
) {
    json::Value metadata = json::Object{};
    json::Value spec = json::Object{};
    const auto add = [](json::Value& to, std::string_view member, const api::StringMap& map) {
        if (!map.empty()) {
            to.set(member, map_value(map));
        }
    };
    add(metadata, "annotations", info.annotations);
    add(metadata, "labels", info.labels);
    add(spec, "nodeSelector", info.node_selector);
    if (json::Array all = all_tolerations(live, info.tolerations); !all.empty()) {
        spec.set("tolerations", std::move(all));
    }
    if (info.has_topology_gate) {
        spec.set("schedulingGates", with_topology_gate(live.spec.scheduling_gates));
    }
    json::Value pod_template =
        json::Object{{"metadata", std::move(metadata)}, {"spec", std::move(spec)}};
    json::Value job_spec = json::Object{{"template", std::move(pod_template)}};
    return json::Object{{"name", job}, {"template", json::Object{{"spec", std::move(job_spec)}}}};
}

const JobSetPaths& made_job_set_paths() {
    static const JobSetPaths kPaths{
        .spec = *job_kinds::Path::compile("jobSet.spec"),
        .statuses = *job_kinds::Path::compile("status.jobsStatus"),
    };
    return kPaths;
}

}  // namespace

json::Value& make_own_patch(json::Value& train_job) {
    json::Value* own = find_own_patch(train_job);
    if (own == nullptr) {
        json::Value& spec = *job_kinds::make_object(train_job, {{.name = "spec"}});
        json::Value* patches = spec.find("runtimePatches");
        if (patches == nullptr || !patches->is_array()) {
            patches = &spec.set("runtimePatches", json::Array{});
        }
        own = &patches->as_array().emplace_back(json::Object{{"manager", patch_manager()}});
    }
    job_kinds::make_object(*own, spec_of_patch());
    return *own;
}

TrainJob::TrainJob(
    Kind kind,
    std::shared_ptr<const job_kinds::Description> description,
    std::shared_ptr<const api::DynamicObject> object,
    const Settings& settings,
    const Stores& stores
)
    : DescribedJob(kind, std::move(description), std::move(object), settings), stores_(stores) {}

std::string TrainJob::place_of(const job_kinds::DescribedPodSet& pod_set) const {
    return fmt::format("job[{}]", pod_set.name);
}

bool TrainJob::is_stop_unfinished() const {
    return is_held() && has_injected_jobs(value());
}

bool TrainJob::is_suspended() const {
    return is_held() && !is_stop_unfinished();
}

std::optional<bool> TrainJob::is_described_by(const api::Workload& workload) const {
    const bool runs = !is_held() && is_admitted(workload);
    return runs || !source() ? std::optional(true) : std::nullopt;
}

std::optional<Result<json::Value>> TrainJob::derive() const {
    const auto key = runtime_of(value(), metadata().namespace_);
    if (!key) {
        return make_invalid("unsupported runtime: " + kind_of_runtime(value()));
    }
    const kube::AnyStore* kind = stores_.find(key->kind);
    const auto* runtimes = stores_.find_dynamic(key->kind);
    const auto runtime =
        runtimes == nullptr ? nullptr : runtimes->find(kube::NamespacedName{key->ns, key->name});
    if (!runtime && (kind == nullptr || !kind->shows_all())) {
        return Error{
            ErrorCode::Unavailable,
            fmt::format(
                "runtime '{}' not found: {} is not known yet", key->name, kind_of_runtime(value())
            ),
            {}
        };
    }
    if (!runtime) {
        return make_invalid(fmt::format("runtime '{}' not found", key->name));
    }
    json::Value derived = value();
    json::Value spec =
        json::Object{{"replicatedJobs", job_kinds::make_replicated_jobs(value(), runtime->value)}};
    for (const char* member : {"startupPolicy", "failurePolicy"}) {
        const json::Value* policy = runtime->value.find_path({"spec", "template", "spec", member});
        if (policy != nullptr) {
            spec.set(member, *policy);
        }
    }
    derived.set("jobSet", json::Object{{"spec", std::move(spec)}});
    return Result<json::Value>(std::move(derived));
}

void TrainJob::keep_released(json::Value& document) const {
    keep_released_jobs(document, made_job_set_paths());
}

bool TrainJob::starts_in_order() const {
    const auto document = source();
    return document && has_startup_order(**document, made_job_set_paths());
}

std::vector<api::ReclaimablePod> TrainJob::reclaimable_pods(const api::Workload& workload) const {
    const auto document = source();
    const json::Value* spec = document ? made_job_set_paths().spec.find(**document) : nullptr;
    if (spec != nullptr && may_restart(*spec, nullptr)) {
        return {};
    }
    return DescribedJob::reclaimable_pods(workload);
}

Result<void> TrainJob::inject(
    json::Value& object,
    const std::vector<job_kinds::DescribedPodSet>& pod_sets,
    const std::vector<PodSetInfo>& injected
) const {
    json::Array jobs;
    for (std::size_t i = 0; i < pod_sets.size(); ++i) {
        const auto live = read_template(**source(), pod_sets[i].pod_template);
        if (!live) {
            return live.error();
        }
        if (const auto merged = injection_patch(*live, injected[i]); !merged) {
            return merged.error();
        }
        jobs.push_back(patch_of(pod_sets[i].said_name, *live, injected[i]));
    }
    job_kinds::find(make_own_patch(object), spec_of_patch())
        ->set("replicatedJobs", std::move(jobs));
    return {};
}

StopStep TrainJob::next_stop_step(const api::Workload* /*workload*/) const {
    json::Value changed = value();
    if (!is_held()) {
        suspend(description().suspension, changed);
        return {.kind = StopStep::Kind::Suspend, .writes = one_write(changed)};
    }
    if (!has_injected_jobs(changed)) {
        return {};
    }
    if (is_active()) {
        return {.kind = StopStep::Kind::Wait, .writes = {}};
    }
    job_kinds::find(*find_own_patch(changed), spec_of_patch())->erase("replicatedJobs");
    return {.kind = StopStep::Kind::Restore, .writes = one_write(changed)};
}

}  // namespace sluice::controller
