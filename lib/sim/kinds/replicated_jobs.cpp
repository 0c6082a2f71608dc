#include "sim/kinds/replicated_jobs.hpp"

#include "job_kinds/text.hpp"
#include "sim/objects/fields.hpp"
#include "sim/pods/owned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::sim {

namespace {

constexpr std::string_view kJobSetLabels = "jobset.sigs.k8s.io/";
constexpr std::string_view kAttempt = "jobset.sigs.k8s.io/restart-attempt";

void count(ReplicatedJob& replicated, const json::Value& job) {
    replicated.jobs.push_back(&job);
    if (has_condition(job, "Complete")) {
        ++replicated.succeeded;
        return;
    }
    if (has_condition(job, "Failed")) {
        ++replicated.failed;
        return;
    }
    const std::int64_t parallelism = find_int(job, {"spec", "parallelism"}).value_or(1);
    const std::int64_t pods =
        std::min(parallelism, find_int(job, {"spec", "completions"}).value_or(parallelism));
    const std::int64_t done = find_int(job, {"status", "ready"}).value_or(0) +
                              find_int(job, {"status", "succeeded"}).value_or(0);
    const bool is_suspended = is_true_at(job, {"spec", "suspend"});
    replicated.suspended += is_suspended ? 1 : 0;
    replicated.active += find_int(job, {"status", "active"}).value_or(0) > 0 ? 1 : 0;
    replicated.ready += !is_suspended && done >= pods ? 1 : 0;
}

/// Returns the patch that resumes a Job. It includes parts of the template, because the start of
/// the owner may have changed it.
json::Value resumption(const json::Value& job) {
    json::Value pod_template = json::Object();
    for (const std::string_view part : {"labels", "annotations"}) {
        if (const json::Value* found = job.find_path({"spec", "template", "metadata", part})) {
            make_object_at(pod_template, {"metadata"}).set(part, *found);
        }
    }
    for (const std::string_view part : {"nodeSelector", "tolerations", "schedulingGates"}) {
        if (const json::Value* found = job.find_path({"spec", "template", "spec", part})) {
            make_object_at(pod_template, {"spec"}).set(part, *found);
        }
    }
    return json::Object{
        {"spec", json::Object{{"suspend", false}, {"template", std::move(pod_template)}}}
    };
}

}  // namespace

json::Value ReplicatedJob::to_status() const {
    return json::Object{
        {"name", name},
        {"ready", ready},
        {"succeeded", succeeded},
        {"failed", failed},
        {"active", active},
        {"suspended", suspended}
    };
}

ReplicatedJobs ReplicatedJobs::find(const Turn& turn, const json::Array& entries) {
    ReplicatedJobs found{.owner = turn.object, .all = {}};
    for (const json::Value& entry : entries) {
        found.all.push_back({
            .spec = &entry,
            .name = std::string(entry.string_at("name")),
            .wanted = find_int(entry, {"replicas"}).value_or(1),
            .jobs = {},
        });
    }
    for (const json::Value* job : turn.owned_of("Job")) {
        const std::string_view name =
            text_at(*job, {"metadata", "labels", "jobset.sigs.k8s.io/replicatedjob-name"});
        const auto entry = std::ranges::find(found.all, name, &ReplicatedJob::name);
        if (entry != found.all.end() && !is_deleted(*job)) {
            count(*entry, *job);
        }
    }
    return found;
}

bool ReplicatedJobs::has_failed() const {
    return std::ranges::any_of(all, [](const ReplicatedJob& each) { return each.failed > 0; });
}

json::Array ReplicatedJobs::statuses() const {
    json::Array statuses;
    for (const ReplicatedJob& each : all) {
        statuses.push_back(each.to_status());
    }
    return statuses;
}

bool ReplicatedJobs::may_start(std::size_t place) const {
    if (is_suspended) {
        return true;  // a suspended Job does not run
    }
    if (is_in_order && place > 0 && !all[place - 1].is_ready()) {
        return false;
    }
    const json::Array& needed = list_at(*all[place].spec, {"dependsOn"});
    return std::ranges::all_of(needed, [this](const json::Value& need) {
        const auto other = std::ranges::find(all, need.string_at("name"), &ReplicatedJob::name);
        return other == all.end() ||
               (need.string_at("status") == "Complete" ? other->is_complete() : other->is_ready());
    });
}

std::string ReplicatedJobs::name_of_job(const ReplicatedJob& each, std::int64_t number) const {
    return fmt::format("{}-{}-{}", name_of(owner), job_kinds::lower_case(each.name), number);
}

json::Value ReplicatedJobs::make_job(const ReplicatedJob& each, std::int64_t number) const {
    const std::string name = name_of_job(each, number);
    const json::Value* found = each.spec->find_path({"template", "spec"});
    json::Value spec = found == nullptr ? json::Value(json::Object()) : *found;
    spec.set("suspend", is_suspended);
    json::Value job = json::Object{
        {"apiVersion", "batch/v1"},
        {"kind", "Job"},
        {"metadata", json::Object{{"name", name}, {"ownerReferences", owner_references(owner)}}}
    };
    for (const std::string_view part : {"labels", "annotations"}) {
        if (const json::Value* said = each.spec->find_path({"template", "metadata", part})) {
            make_object_at(job, {"metadata"}).set(part, *said);
        }
    }
    const std::pair<std::string_view, std::string> marks[] = {
        {"jobset-name", std::string(name_of(owner))},
        {"replicatedjob-name", each.name},
        {"replicatedjob-replicas", std::to_string(each.wanted)},
        {"job-index", std::to_string(number)},
        {"job-key", template_hash(json::Value(name))},
        {"restart-attempt", std::to_string(restarts)},
    };
    json::Value& pod_template = make_object_at(spec, {"template"});
    for (const auto& [mark, value] : marks) {
        for (json::Value* marked : {&job, &pod_template}) {
            for (const std::string_view part : {"labels", "annotations"}) {
                set_metadata(*marked, part, std::string(kJobSetLabels) + std::string(mark), value);
            }
        }
    }
    if (json::Value& pod = make_object_at(pod_template, {"spec"});
        pod.string_at("restartPolicy").empty()) {
        pod.set("restartPolicy", "OnFailure");
    }
    job.set("spec", std::move(spec));
    return job;
}

void ReplicatedJobs::manage(Outcome& outcome) const {
    for (std::size_t place = 0; place < all.size(); ++place) {
        const ReplicatedJob& each = all[place];
        std::ptrdiff_t seen = 0;
        for (std::int64_t i = 0; i < each.wanted; ++i) {
            if (std::ssize(outcome.writes) >= kPodsAtOnce) {
                return;
            }
            const json::Value* job = find_named(each.jobs, name_of_job(each, i));
            seen += job == nullptr ? 0 : 1;
            if (job == nullptr) {
                if (!may_start(place) && seen == std::ssize(each.jobs)) {
                    break;  // further Jobs neither exist nor may be created
                }
                if (may_start(place)) {
                    outcome.writes.push_back(
                        {.body = make_job(each, i), .api_version = "batch/v1", .kind = "Job"}
                    );
                }
                continue;
            }
            const bool is_old =
                text_at(*job, {"metadata", "labels", kAttempt}) != std::to_string(restarts);
            if (is_old) {
                outcome.writes.push_back(background_deletion(*job));
                continue;
            }
            const bool is_held = is_true_at(*job, {"spec", "suspend"});
            const bool is_over = has_condition(*job, "Complete") || has_condition(*job, "Failed");
            if (is_over || is_held == is_suspended || (!is_suspended && !may_start(place))) {
                continue;
            }
            const json::Value held = json::Object{{"spec", json::Object{{"suspend", true}}}};
            outcome.writes.push_back(
                {.verb = Write::Verb::Patch,
                 .name = std::string(name_of(*job)),
                 .body = is_suspended ? held : resumption(make_job(each, i)),
                 .api_version = "batch/v1",
                 .kind = "Job"}
            );
        }
    }
}

void ReplicatedJobs::remove_active(Outcome& outcome) const {
    for (const ReplicatedJob& each : all) {
        for (const json::Value* job : each.jobs) {
            if (!has_condition(*job, "Complete") && !has_condition(*job, "Failed")) {
                outcome.writes.push_back(background_deletion(*job));
            }
        }
    }
}

}  // namespace sluice::sim
