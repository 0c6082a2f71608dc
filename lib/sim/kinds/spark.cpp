#include "sim/kinds/spark.hpp"

#include "api/meta/micro_time.hpp"
#include "job_kinds/derived/spark_pod.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace sluice::sim {

namespace {

/// Returns the application with pod templates, which its roles describe in other fields.
Result<json::Value> complete(const json::Value& object) {
    json::Value completed = object;
    for (const auto role : {job_kinds::SparkRole::Driver, job_kinds::SparkRole::Executor}) {
        auto pod = job_kinds::make_spark_pod(object, role);
        if (!pod) {
            return pod.error();
        }
        make_object_at(completed, {"spec", job_kinds::to_string(role)})
            .set("podTemplate", std::move(*pod));
    }
    return completed;
}

std::string spark_pod_name(
    const json::Value& object, const Replicas& replicas, std::int64_t number
) {
    return replicas.name == "driver" ? fmt::format("{}-driver", name_of(object))
                                     : fmt::format("{}-exec-{}", name_of(object), number + 1);
}

void dress_spark_pod(
    json::Value& pod, const json::Value& object, const Replicas& replicas, std::int64_t number
) {
    set_metadata(pod, "labels", "sparkoperator.k8s.io/app-name", name_of(object));
    set_metadata(pod, "labels", "sparkoperator.k8s.io/launched-by-spark-operator", "true");
    set_metadata(pod, "labels", "spark-role", replicas.name);
    if (replicas.name == "executor") {
        set_metadata(pod, "labels", "spark-exec-id", std::to_string(number + 1));
    }
    json::Value& spec = make_object_at(pod, {"spec"});
    // Spark does not restart its pods.
    spec.set("restartPolicy", "Never");
    if (json::Value* containers = spec.find("containers");
        containers != nullptr && containers->is_array()) {
        for (json::Value& container : containers->as_array()) {
            if (container.string_at("image").empty()) {
                const std::string_view image = text_at(object, {"spec", "image"});
                container.set("image", image.empty() ? "spark" : image);
            }
        }
    }
}

const Replicas* driver_of(const PodJob& job) {
    const auto found = std::ranges::find(job.replicas, "driver", &Replicas::name);
    return found == job.replicas.end() ? nullptr : &*found;
}

std::int64_t wanted(const PodJob& job, const Replicas& replicas) {
    const Replicas* driver = driver_of(job);
    const bool may_run = replicas.name == "driver" || (driver != nullptr && driver->ready > 0);
    return may_run || !replicas.pods.empty() ? replicas.wanted : 0;
}

Stage judge_spark(const PodJob& job, Outcome&) {
    const Replicas* driver = driver_of(job);
    if (driver == nullptr) {
        return Stage::Running;
    }
    return driver->failed > 0 ? Stage::Failed
                              : (driver->succeeded > 0 ? Stage::Succeeded : Stage::Running);
}

/// Returns the state of an executor in the operator's spelling.
std::string_view state_of(const json::Value& pod) {
    const std::string_view phase = text_at(pod, {"status", "phase"});
    return phase == "Running"     ? "RUNNING"
           : phase == "Succeeded" ? "COMPLETED"
           : phase == "Failed"    ? "FAILED"
                                  : "PENDING";
}

json::Value make_spark_status(const PodJob& job) {
    const std::string time = api::to_string(job.turn.now);
    const Replicas* driver = driver_of(job);
    json::Value state = json::Object();
    json::Value info = json::Object();
    json::Value executors = json::Object();
    if (driver != nullptr && !driver->pods.empty() && job.stage != Stage::Suspended) {
        info.set("podName", name_of(*driver->pods.front()));
    }
    switch (job.stage) {
        case Stage::Suspended:
            state.set("state", job.active() == 0 ? "SUSPENDED" : "SUSPENDING");
            break;
        case Stage::Running:
            state.set("state", driver != nullptr && driver->ready > 0 ? "RUNNING" : "SUBMITTED");
            break;
        case Stage::Succeeded:
            state.set("state", "COMPLETED");
            break;
        case Stage::Failed:
            state.set("state", "FAILED");
            state.set("errorMessage", "driver container failed");
            break;
    }
    if (job.stage != Stage::Suspended) {
        for (const Replicas& replicas : job.replicas) {
            for (const json::Value* pod : replicas.pods) {
                if (replicas.name == "executor") {
                    executors.set(name_of(*pod), state_of(*pod));
                }
            }
        }
    }
    json::Value status = json::Object{
        {"applicationState", std::move(state)},
        {"driverInfo", std::move(info)},
        {"executorState", std::move(executors)}
    };
    if (job.stage != Stage::Suspended) {
        const std::string_view known =
            text_at(job.turn.object, {"status", "lastSubmissionAttemptTime"});
        status.set("lastSubmissionAttemptTime", known.empty() ? time : std::string(known));
        status.set("submissionAttempts", 1);
        status.set("executionAttempts", 1);
    }
    if (job.stage == Stage::Succeeded || job.stage == Stage::Failed) {
        status.set("terminationTime", time);
    }
    return status;
}

/// Returns true for executors: they end with their driver.
bool is_spark_cleaned(const json::Value&, const json::Value& pod) {
    return text_at(pod, {"metadata", "labels", "spark-role"}) == "executor";
}

}  // namespace

PodJobKind spark_kind(const job_kinds::Description& description) {
    return {
        .description = &description,
        .complete = complete,
        .pod_name = spark_pod_name,
        .dress = dress_spark_pod,
        .count = wanted,
        .judge = judge_spark,
        .is_cleaned = is_spark_cleaned,
        .status = make_spark_status
    };
}

}  // namespace sluice::sim
