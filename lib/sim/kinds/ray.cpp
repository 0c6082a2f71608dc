#include "sim/kinds/ray.hpp"

#include "api/meta/micro_time.hpp"
#include "sim/objects/conditions.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"
#include "sim/pods/pod_life.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace sluice::sim {

namespace {

constexpr std::string_view kSubmitter = "submitter";

std::string ray_pod_name(const json::Value& object, const Replicas& replicas, std::int64_t number) {
    if (replicas.name == "head" || replicas.name == kSubmitter) {
        return fmt::format("{}-{}", name_of(object), replicas.name);
    }
    return fmt::format("{}-{}-worker-{}", name_of(object), replicas.name, number);
}

void dress_ray_pod(
    json::Value& pod, const json::Value& object, const Replicas& replicas, std::int64_t
) {
    if (replicas.name == kSubmitter) {
        make_object_at(pod, {"spec"}).set("restartPolicy", "Never");
        for (const std::string_view name : {kRunSeconds, kExitCode}) {
            const std::string_view said = text_at(object, {"metadata", "annotations", name});
            if (!said.empty() && text_at(pod, {"metadata", "annotations", name}).empty()) {
                set_metadata(pod, "annotations", name, said);
            }
        }
        return;
    }
    const bool is_head = replicas.name == "head";
    set_metadata(pod, "labels", "ray.io/cluster", name_of(object));
    set_metadata(pod, "labels", "ray.io/is-ray-node", "yes");
    set_metadata(pod, "labels", "ray.io/node-type", is_head ? "head" : "worker");
    set_metadata(pod, "labels", "ray.io/group", is_head ? "headgroup" : replicas.said_name);
}

/// Returns the RayJob with a pod template for its submitter, which exists even if the user does not
/// specify it.
Result<json::Value> complete_job(const json::Value& object) {
    json::Value completed = object;
    if (text_at(object, {"spec", "submissionMode"}) == "K8sJobMode" &&
        object.find_path({"spec", "submitterPodTemplate"}) == nullptr) {
        const json::Array& containers = list_at(
            object, {"spec", "rayClusterSpec", "headGroupSpec", "template", "spec", "containers"}
        );
        const json::Value container = json::Object{
            {"name", "ray-job-submitter"},
            {"image", containers.empty() ? "ray" : containers.front().string_at("image")}
        };
        make_object_at(completed, {"spec", "submitterPodTemplate", "spec"})
            .set("containers", json::Array{container});
    }
    return completed;
}

Stage goes_on(const PodJob&, Outcome&) {
    return Stage::Running;
}

bool is_cluster_ready(const PodJob& job) {
    return std::ranges::all_of(job.replicas, [](const Replicas& each) {
        return each.name == kSubmitter || each.ready >= each.wanted;
    });
}

struct Workers {
    std::int64_t wanted = 0;
    std::int64_t ready = 0;
};

Workers workers_of(const PodJob& job) {
    Workers workers;
    for (const Replicas& each : job.replicas) {
        if (each.name != "head" && each.name != kSubmitter) {
            workers.wanted += each.wanted;
            workers.ready += each.ready;
        }
    }
    return workers;
}

/// Returns the time at the path; the current time if it is not set yet. Such times do not change.
std::string first_time(const PodJob& job, FieldPath path) {
    const std::string_view known = text_at(job.turn.object, path);
    return known.empty() ? api::to_string(job.turn.now) : std::string(known);
}

json::Value status_of_cluster(const PodJob& job, bool was_ready) {
    const Workers workers = workers_of(job);
    json::Value status = json::Object{
        {"desiredWorkerReplicas", workers.wanted},
        {"readyWorkerReplicas", workers.ready},
        {"availableWorkerReplicas", workers.ready}
    };
    // The state stays ready until the cluster is suspended.
    if (job.stage == Stage::Suspended) {
        status.set("state", job.active() == 0 ? "suspended" : "");
    } else if (was_ready || is_cluster_ready(job)) {
        status.set("state", "ready");
    }
    return status;
}

json::Value cluster_status(const PodJob& job) {
    const json::Value& object = job.turn.object;
    json::Value status = status_of_cluster(job, text_at(object, {"status", "state"}) == "ready");
    json::Array conditions = conditions_of(object);
    const bool is_suspended = job.stage == Stage::Suspended && job.active() == 0;
    const bool is_ready = status.string_at("state") == "ready";
    if (is_ready) {
        set_condition(
            conditions,
            {"RayClusterProvisioned",
             true,
             "AllPodRunningAndReadyFirstTime",
             "All Ray Pods are ready for the first time"},
            job.turn.now
        );
    } else if (is_suspended) {
        unset_condition(
            conditions,
            {"RayClusterProvisioned",
             false,
             "RayClusterPodsProvisioning",
             "RayCluster Pods are being provisioned for first time"},
            job.turn.now
        );
    }
    set_condition(
        conditions,
        {"RayClusterSuspended",
         is_suspended,
         is_suspended ? "RayClusterSuspended" : "UserRequest",
         ""},
        job.turn.now
    );
    status.set("conditions", std::move(conditions));
    status.set("observedGeneration", find_int(object, {"metadata", "generation"}).value_or(1));
    return status;
}

json::Value service_status(const PodJob& job) {
    const json::Value& object = job.turn.object;
    json::Array conditions = conditions_of(object);
    const bool is_ready = job.stage == Stage::Running && is_cluster_ready(job);
    set_condition(
        conditions,
        {"Ready",
         is_ready,
         is_ready ? "NonZeroServeEndpoints" : "ZeroServeEndpoints",
         is_ready ? "Number of serve endpoints is greater than 0" : "There are no serve endpoints"},
        job.turn.now
    );
    json::Value status = json::Object{
        {"conditions", std::move(conditions)},
        {"observedGeneration", find_int(object, {"metadata", "generation"}).value_or(1)}
    };
    if (is_ready) {
        const json::Value cluster =
            json::Object{{"rayClusterStatus", json::Object{{"state", "ready"}}}};
        status.set("activeServiceStatus", cluster);
        status.set("serviceStatus", "Running");
        status.set("numServeEndpoints", workers_of(job).ready + 1);
    }
    return status;
}

const Replicas* submitter_of(const PodJob& job) {
    const auto found = std::ranges::find(job.replicas, kSubmitter, &Replicas::name);
    return found == job.replicas.end() ? nullptr : &*found;
}

/// Returns the stage of a RayJob: its submitter decides, or the clock if it has none.
Stage judge_job(const PodJob& job, Outcome& outcome) {
    const json::Value& object = job.turn.object;
    if (const Replicas* submitter = submitter_of(job)) {
        return submitter->failed > 0      ? Stage::Failed
               : submitter->succeeded > 0 ? Stage::Succeeded
                                          : Stage::Running;
    }
    const auto ready = find_time(object, {"status", "rayClusterStatus", "lastUpdateTime"});
    if (!ready || text_at(object, {"status", "rayClusterStatus", "state"}) != "ready") {
        return Stage::Running;
    }
    const auto seconds = annotated_number(object, kRunSeconds);
    const Pace& pace = job.turn.pace;
    const Time end = later(*ready, pace.scale(seconds ? to_duration(*seconds) : pace.run_time));
    if (job.turn.now < end) {
        outcome.again_at = end;
        return Stage::Running;
    }
    return annotated_number(object, kExitCode).value_or(0) == 0 ? Stage::Succeeded : Stage::Failed;
}

std::int64_t wanted_of_job(const PodJob& job, const Replicas& replicas) {
    return replicas.name != kSubmitter || is_cluster_ready(job) || !replicas.pods.empty()
               ? replicas.wanted
               : 0;
}

json::Value job_status(const PodJob& job) {
    const json::Value& object = job.turn.object;
    const std::string time = api::to_string(job.turn.now);
    json::Value status = json::Object{
        {"observedGeneration", find_int(object, {"metadata", "generation"}).value_or(1)}
    };
    if (job.stage == Stage::Suspended) {
        status.set("jobDeploymentStatus", job.active() == 0 ? "Suspended" : "Suspending");
        status.set("rayClusterStatus", json::Object());
        return status;
    }
    const std::string_view known = text_at(object, {"status", "rayClusterStatus", "state"});
    json::Value cluster = status_of_cluster(job, known == "ready");
    const bool is_ready = cluster.string_at("state") == "ready";
    if (is_ready) {
        cluster.set(
            "lastUpdateTime", first_time(job, {"status", "rayClusterStatus", "lastUpdateTime"})
        );
    }
    status.set("rayClusterStatus", std::move(cluster));
    status.set("rayClusterName", name_of(object));
    status.set("jobId", fmt::format("{}-job", name_of(object)));
    status.set("startTime", first_time(job, {"status", "startTime"}));
    const bool is_over = job.stage != Stage::Running;
    if (!is_over) {
        status.set("jobDeploymentStatus", is_ready ? "Running" : "Initializing");
        if (is_ready) {
            status.set("jobStatus", "RUNNING");
        }
        return status;
    }
    const bool is_good = job.stage == Stage::Succeeded;
    status.set("jobDeploymentStatus", is_good ? "Complete" : "Failed");
    status.set("jobStatus", is_good ? "SUCCEEDED" : "FAILED");
    status.set(
        "message", is_good ? "Job finished successfully." : "Job entrypoint command failed."
    );
    status.set("endTime", time);
    return status;
}

bool is_ray_cleaned(const json::Value& object, const json::Value& pod) {
    return is_true_at(object, {"spec", "shutdownAfterJobFinishes"}) && is_active_pod(pod);
}

}  // namespace

PodJobKind ray_cluster_kind(const job_kinds::Description& description) {
    return {
        .description = &description,
        .pod_name = ray_pod_name,
        .dress = dress_ray_pod,
        .judge = goes_on,
        .replaces_failed = true,
        .status = cluster_status
    };
}

PodJobKind ray_service_kind(const job_kinds::Description& description) {
    PodJobKind kind = ray_cluster_kind(description);
    kind.status = service_status;
    return kind;
}

PodJobKind ray_job_kind(const job_kinds::Description& description) {
    return {
        .description = &description,
        .complete = complete_job,
        .pod_name = ray_pod_name,
        .dress = dress_ray_pod,
        .count = wanted_of_job,
        .judge = judge_job,
        .is_cleaned = is_ray_cleaned,
        .status = job_status
    };
}

}  // namespace sluice::sim
