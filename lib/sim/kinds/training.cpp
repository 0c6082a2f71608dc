#include "sim/kinds/training.hpp"

#include "api/meta/micro_time.hpp"
#include "job_kinds/text.hpp"
#include "sim/objects/conditions.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

namespace sluice::sim {

namespace {

constexpr std::string_view kLabels = "training.kubeflow.org/";
/// Exit codes from this one on mean a signal; such a pod is tried again.
constexpr std::int64_t kSignals = 128;

/// Returns the replica specs of the object, such as spec.pytorchReplicaSpecs of a PyTorchJob;
/// nullptr if it has none.
const json::Value* replica_specs(const json::Value& object) {
    const json::Value* spec = object.find("spec");
    if (spec == nullptr || !spec->is_object()) {
        return nullptr;
    }
    for (const auto& [name, value] : spec->as_object()) {
        if (name.ends_with("ReplicaSpecs") && value.is_object()) {
            return &value;
        }
    }
    return nullptr;
}

/// Returns the type of replica as the object spells it. Example: Worker
std::string said_type(const json::Value& object, const Replicas& replicas) {
    const json::Value* specs = replica_specs(object);
    for (const auto& [name, value] : specs->as_object()) {
        if (job_kinds::lower_case(name) == replicas.name) {
            return name;
        }
    }
    return replicas.name;
}

std::string_view restart_policy(const json::Value& object, const Replicas& replicas) {
    const json::Value* spec = replica_specs(object)->find(said_type(object, replicas));
    const std::string_view said =
        spec == nullptr ? std::string_view() : spec->string_at("restartPolicy");
    return said.empty() ? "Never" : said;
}

bool leads(const Replicas& replicas) {
    constexpr std::array kLeaders = {"master", "chief", "launcher"};
    return replicas.wanted > 0 && std::ranges::find(kLeaders, replicas.name) != kLeaders.end();
}

const Replicas& leader_of(const PodJob& job) {
    const auto leader = std::ranges::find_if(job.replicas, leads);
    const auto worker = std::ranges::find(job.replicas, "worker", &Replicas::name);
    return leader != job.replicas.end()   ? *leader
           : worker != job.replicas.end() ? *worker
                                          : job.replicas.front();
}

std::string pod_name(const json::Value& object, const Replicas& replicas, std::int64_t number) {
    return fmt::format("{}-{}-{}", name_of(object), replicas.name, number);
}

void dress(
    json::Value& pod, const json::Value& object, const Replicas& replicas, std::int64_t number
) {
    const std::string kind = job_kinds::lower_case(object.string_at("kind"));
    const auto label = [&pod](std::string_view name, std::string_view value) {
        set_metadata(pod, "labels", std::string(kLabels) + std::string(name), value);
    };
    label("job-name", name_of(object));
    label("operator-name", kind == "mpijob" ? "mpi-operator" : kind + "-controller");
    label("replica-type", replicas.name);
    label("replica-index", std::to_string(number));
    if (leads(replicas)) {
        label("job-role", kind == "mpijob" ? replicas.name : "master");
    } else if (kind == "mpijob") {
        label("job-role", replicas.name);
    }
    // Only the operator knows the policy ExitCode, not the kubelet.
    const std::string_view policy = restart_policy(object, replicas);
    make_object_at(pod, {"spec"}).set("restartPolicy", policy == "ExitCode" ? "Never" : policy);
}

/// Returns the exit code of a failed pod.
std::int64_t exit_code_of(const json::Value& pod) {
    for (const json::Value& status : list_at(pod, {"status", "containerStatuses"})) {
        const auto code = find_int(status, {"state", "terminated", "exitCode"});
        if (code.value_or(0) != 0) {
            return *code;
        }
    }
    return 1;
}

Stage judge(const PodJob& job, Outcome& outcome) {
    if (job.replicas.empty()) {
        return Stage::Running;
    }
    for (const Replicas& replicas : job.replicas) {
        for (const json::Value* pod : replicas.pods) {
            if (text_at(*pod, {"status", "phase"}) != "Failed" || is_deleted(*pod)) {
                continue;
            }
            const bool is_tried_again = restart_policy(job.turn.object, replicas) == "ExitCode" &&
                                        exit_code_of(*pod) >= kSignals;
            if (!is_tried_again) {
                return Stage::Failed;
            }
            outcome.writes.push_back(deletion(*pod));
        }
    }
    const Replicas& leader = leader_of(job);
    return leader.succeeded >= leader.wanted ? Stage::Succeeded : Stage::Running;
}

json::Value replica_statuses(const PodJob& job) {
    json::Value statuses = json::Object();
    for (const Replicas& replicas : job.replicas) {
        json::Value status = json::Object();
        const auto set_count = [&status](std::string_view name, std::int64_t count) {
            if (count != 0) {
                status.set(name, count);
            }
        };
        set_count("active", job.stage == Stage::Suspended ? 0 : replicas.active);
        set_count("succeeded", replicas.succeeded);
        set_count("failed", replicas.failed);
        statuses.set(said_type(job.turn.object, replicas), std::move(status));
    }
    return statuses;
}

json::Array make_conditions(const PodJob& job) {
    const json::Value& object = job.turn.object;
    const Time now = job.turn.now;
    const std::string_view kind = object.string_at("kind");
    const std::string name = fmt::format("{} {}", kind, name_of(object));
    const auto reason = [kind](std::string_view what) { return fmt::format("{}{}", kind, what); };
    json::Array conditions = conditions_of(object);
    if (!has_condition(object, "Created")) {
        set_condition(conditions, {"Created", true, reason("Created"), name + " is created."}, now);
    }
    const auto set_running = [&](bool status, const std::string& why) {
        if (status) {
            set_condition(
                conditions, {"Running", true, reason("Running"), name + " is running."}, now
            );
        } else {
            unset_condition(conditions, {"Running", false, why, name + " is not running."}, now);
        }
    };
    switch (job.stage) {
        case Stage::Suspended:
            set_running(false, reason("Suspended"));
            set_condition(
                conditions, {"Suspended", true, reason("Suspended"), name + " is suspended."}, now
            );
            break;
        case Stage::Running: {
            unset_condition(
                conditions, {"Suspended", false, reason("Resumed"), name + " is resumed."}, now
            );
            const bool is_running = !job.replicas.empty() && leader_of(job).ready > 0;
            if (is_running) {
                set_running(true, {});
            }
            break;
        }
        case Stage::Succeeded:
        case Stage::Failed: {
            const bool is_good = job.stage == Stage::Succeeded;
            const std::string why = reason(is_good ? "Succeeded" : "Failed");
            set_running(false, why);
            const std::string message = is_good ? fmt::format("{} successfully completed.", name)
                                                : fmt::format("{} is failed.", name);
            set_condition(conditions, {is_good ? "Succeeded" : "Failed", true, why, message}, now);
            break;
        }
    }
    return conditions;
}

json::Value make_status(const PodJob& job) {
    const std::string time = api::to_string(job.turn.now);
    json::Value status = json::Object{{"conditions", make_conditions(job)}};
    status.set("replicaStatuses", replica_statuses(job));
    if (job.stage != Stage::Suspended) {
        const std::string_view started = text_at(job.turn.object, {"status", "startTime"});
        status.set("startTime", started.empty() ? time : std::string(started));
    }
    if (job.stage == Stage::Succeeded || job.stage == Stage::Failed) {
        status.set("completionTime", time);
    }
    return status;
}

bool is_cleaned(const json::Value& object, const json::Value& pod) {
    const std::string_view policy = text_at(object, {"spec", "runPolicy", "cleanPodPolicy"});
    return policy == "All" || (policy == "Running" && is_active_pod(pod));
}

}  // namespace

PodJobKind training_kind(const job_kinds::Description& description) {
    return {
        .description = &description,
        .pod_name = pod_name,
        .dress = dress,
        .judge = judge,
        .is_cleaned = is_cleaned,
        .status = make_status
    };
}

}  // namespace sluice::sim
