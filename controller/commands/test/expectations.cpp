#include "controller/commands/test/expectations.hpp"

#include "api/kueue/kueue_names.hpp"
#include "config/strict_reader.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace sluice::commands {

namespace {

constexpr std::array<std::pair<std::string_view, JobState>, 5> kStates{{
    {"Missing", JobState::Missing},
    {"Pending", JobState::Pending},
    {api::condition::kQuotaReserved, JobState::QuotaReserved},
    {api::condition::kAdmitted, JobState::Admitted},
    {api::condition::kFinished, JobState::Finished},
}};

void read_state(config::StrictReader& in, std::optional<JobState>& out) {
    std::string text;
    if (!in.read("state", text)) {
        return;
    }
    for (const auto& [name, state] : kStates) {
        if (text == name) {
            out = state;
            return;
        }
    }
    in.problems().add(
        in.path_of("state"), "must be Missing, Pending, QuotaReserved, Admitted or Finished"
    );
}

void require_full_name(config::StrictReader& in, std::string_view field, const std::string& name) {
    if (!name.empty() && name.find('/') == std::string::npos) {
        in.problems().add(in.path_of(field), "must be namespace/name");
    }
}

void read_job(config::StrictReader& in, JobExpectation& out) {
    in.read("job", out.job);
    in.read("workload", out.workload);
    in.read("kind", out.kind);
    read_state(in, out.state);
    in.read("clusterQueue", out.cluster_queue);
    in.read("flavors", out.flavors);
    in.read("preempted", out.preempted);
    in.read("message", out.message);
    require_full_name(in, "job", out.job);
    require_full_name(in, "workload", out.workload);
    if (out.job.empty() == out.workload.empty()) {
        in.problems().add(in.path_of("job"), "exactly one of job and workload must be set");
    }
    if (!out.state && out.cluster_queue.empty() && out.flavors.empty() && !out.preempted &&
        out.message.empty()) {
        in.problems().add(in.path_of("state"), "at least one expectation must be set");
    }
}

void read_queue(config::StrictReader& in, QueueExpectation& out) {
    in.read("name", out.name);
    in.read("pending", out.pending);
    in.read("reserving", out.reserving);
    in.read("admitted", out.admitted);
    in.read("usage", out.usage);
    if (out.name.empty()) {
        in.problems().add(in.path_of("name"), "must be set");
    }
    if (!out.pending && !out.reserving && !out.admitted && out.usage.empty()) {
        in.problems().add(in.path_of("name"), "at least one expectation must be set");
    }
}

void read_refusal(config::StrictReader& in, RefusalExpectation& out) {
    in.read("kind", out.kind);
    in.read("name", out.name);
    in.read("message", out.message);
    if (out.kind.empty() || out.name.empty()) {
        in.problems().add(in.path_of("kind"), "kind and name must be set");
    }
}

}  // namespace

Result<Expectations> read_expectations(const json::Value& document) {
    Expectations made;
    config::Problems problems;
    {
        config::StrictReader in(document, "", problems);
        in.objects("jobs", made.jobs, read_job);
        in.objects("clusterQueues", made.cluster_queues, read_queue);
        in.objects("refused", made.refused, read_refusal);
    }
    if (problems.empty() && made.jobs.empty() && made.cluster_queues.empty() &&
        made.refused.empty()) {
        problems.add("", "jobs, clusterQueues or refused must be set");
    }
    if (!problems.empty()) {
        return make_invalid(config::to_string(problems.take()));
    }
    return made;
}

std::string_view to_string(JobState state) {
    for (const auto& [name, known] : kStates) {
        if (known == state) {
            return name;
        }
    }
    return "Missing";
}

}  // namespace sluice::commands
