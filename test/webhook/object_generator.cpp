#include "webhook/object_generator.hpp"

#include "api/kueue/topology_assignment.hpp"

#include <utility>

namespace sluice::test {

using json::Value;

std::string ObjectGenerator::word() {
    return one_of("alpha", "beta", "gamma", "team-a") + std::to_string(prng_.below(20));
}

Value ObjectGenerator::fair_sharing(bool with_history) {
    Value made;
    made.set("weightedShare", prng_.between(0, 1000));
    if (with_history && maybe()) {
        Value history;
        history.set("lastUpdate", "2026-01-02T03:04:05Z");
        history.set("consumedResources", *json::parse(R"({"cpu":"100m"})"));
        made.set("admissionFairSharingStatus", std::move(history));
    }
    return made;
}

Value ObjectGenerator::cluster_queue_spec(bool old) {
    Value spec{json::Object{}};
    if (maybe()) {
        spec.set(old ? "cohort" : "cohortName", word());
    }
    if (maybe()) {
        spec.set("queueingStrategy", "StrictFIFO");
    }
    if (old && prng_.chance(30)) {
        spec.set("admissionChecks", json::Array{Value(word()), Value(word())});
    }
    if (maybe()) {
        spec.set(
            "admissionChecksStrategy",
            *json::parse(R"({"admissionChecks":[{"name":"c","onFlavors":["f"]}]})")
        );
    }
    if (maybe()) {
        Value fungibility;
        fungibility.set(
            "whenCanBorrow",
            old ? one_of("Borrow", "MayStopSearch", "TryNextFlavor")
                : one_of("MayStopSearch", "TryNextFlavor")
        );
        fungibility.set(
            "whenCanPreempt",
            old ? one_of("Preempt", "MayStopSearch", "TryNextFlavor")
                : one_of("MayStopSearch", "TryNextFlavor")
        );
        spec.set("flavorFungibility", std::move(fungibility));
    }
    if (!old && maybe()) {
        spec.set("concurrentAdmissionPolicy", *json::parse(R"({"migration":{"mode":"m"}})"));
    }
    return spec;
}

Value ObjectGenerator::cluster_queue_status(bool old) {
    Value status{json::Object{}};
    status.set("pendingWorkloads", prng_.between(0, 9));
    if (maybe()) {
        status.set("fairSharing", fair_sharing(old));
    }
    if (old && maybe()) {
        status.set(
            "pendingWorkloadsStatus",
            *json::parse(R"({"clusterQueuePendingWorkload":[],"lastChangeTime":"t"})")
        );
    }
    return status;
}

Value ObjectGenerator::local_queue_status(bool old) {
    Value status{json::Object{}};
    if (maybe()) {
        status.set(old ? "flavorUsage" : "flavorsUsage", *json::parse(R"([{"name":"f"}])"));
    }
    if (old && maybe()) {
        status.set("flavors", *json::parse(R"([{"name":"f","resources":["cpu"]}])"));
    }
    if (maybe()) {
        status.set("fairSharing", fair_sharing(true));
    }
    return status;
}

Value ObjectGenerator::topology(bool old) {
    api::DomainAssignment assignment{.levels = {"block", "host"}, .domains = {}};
    for (auto n = prng_.below(5); n > 0; --n) {
        assignment.domains.push_back({.values = {word(), word()}, .count = prng_.between(1, 3)});
    }
    return old ? api::make_domains(assignment) : api::make_slices(assignment);
}

Value ObjectGenerator::workload_spec(bool old) {
    Value spec{json::Object{}};
    spec.set("queueName", word());
    if (maybe()) {
        spec.set("priority", prng_.between(-5, 5));
        const bool pods = maybe();
        if (old) {
            spec.set("priorityClassName", word());
            spec.set(
                "priorityClassSource",
                prng_.chance(20) ? ""
                : pods           ? "scheduling.k8s.io/priorityclass"
                                 : "kueue.x-k8s.io/workloadpriorityclass"
            );
        } else {
            Value ref;
            ref.set("group", pods ? "scheduling.k8s.io" : "kueue.x-k8s.io");
            ref.set("kind", pods ? "PriorityClass" : "WorkloadPriorityClass");
            ref.set("name", word());
            spec.set("priorityClassRef", std::move(ref));
        }
    }
    json::Array pod_sets;
    for (auto n = prng_.between(1, 3); n > 0; --n) {
        Value pod_set;
        pod_set.set("name", word());
        pod_set.set("template", *json::parse(R"({"spec":{"containers":[{"name":"c"}]}})"));
        if (maybe()) {
            Value request;
            request.set("required", word());
            if (!old && maybe()) {
                request.set(
                    "podsetSliceRequiredTopologyConstraints",
                    *json::parse(R"([{"topology":"t","size":2}])")
                );
            }
            pod_set.set("topologyRequest", std::move(request));
        }
        pod_sets.push_back(std::move(pod_set));
    }
    spec.set("podSets", std::move(pod_sets));
    if (!old && maybe()) {
        spec.set("preemptionGates", *json::parse(R"([{"name":"g"}])"));
    }
    return spec;
}

Value ObjectGenerator::workload_status(bool old) {
    Value status{json::Object{}};
    if (maybe()) {
        status.set(
            old ? "accumulatedPastExexcutionTimeSeconds" : "accumulatedPastExecutionTimeSeconds",
            prng_.between(1, 100)
        );
    }
    if (maybe()) {
        json::Array assignments;
        for (auto n = prng_.between(1, 3); n > 0; --n) {
            Value assignment;
            assignment.set("name", word());
            if (maybe()) {
                assignment.set("topologyAssignment", topology(old));
            }
            assignments.push_back(std::move(assignment));
        }
        Value admission;
        admission.set("clusterQueue", word());
        admission.set("podSetAssignments", std::move(assignments));
        status.set("admission", std::move(admission));
    }
    if (!old && maybe()) {
        status.set("preemptionGates", *json::parse(R"([{"name":"g","position":"Open"}])"));
    }
    return status;
}

Value ObjectGenerator::multikueue_spec(bool old) {
    Value spec{json::Object{}};
    Value config;
    const bool has_config = maybe();
    config.set("location", old && !has_config ? std::string() : word());
    config.set("locationType", old && !has_config ? "" : one_of("Secret", "Path"));
    Value& place = old ? spec : spec.set("clusterSource", json::Object{});
    if (old || has_config) {
        place.set("kubeConfig", std::move(config));
    }
    if (!has_config) {
        Value profile;
        profile.set("name", word());
        place.set("clusterProfileRef", std::move(profile));
    }
    return spec;
}

Value ObjectGenerator::make(std::string_view kind, bool old) {
    Value object;
    object.set("apiVersion", old ? "kueue.x-k8s.io/v1beta1" : "kueue.x-k8s.io/v1beta2");
    object.set("kind", kind);
    Value metadata;
    metadata.set("name", word());
    metadata.set("labels", *json::parse(R"({"kueue.x-k8s.io/x":"y"})"));
    metadata.set("generation", prng_.between(1, 9));
    object.set("metadata", std::move(metadata));
    if (kind == "ClusterQueue") {
        object.set("spec", cluster_queue_spec(old));
        object.set("status", cluster_queue_status(old));
    } else if (kind == "LocalQueue") {
        object.set("spec", *json::parse(R"({"clusterQueue":"c","stopPolicy":"None"})"));
        object.set("status", local_queue_status(old));
    } else if (kind == "Cohort") {
        object.set("spec", *json::parse(R"({"parentName":"p"})"));
        if (maybe()) {
            Value status;
            status.set("fairSharing", fair_sharing(old));
            object.set("status", std::move(status));
        }
    } else if (kind == "Workload") {
        object.set("spec", workload_spec(old));
        object.set("status", workload_status(old));
    } else {
        object.set("spec", multikueue_spec(old));
    }
    return object;
}

}  // namespace sluice::test
