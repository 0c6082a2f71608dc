#include "controller/reconcilers/workload_reports.hpp"

#include "controller/reconcile/workload_status.hpp"
#include "workload/capacity/capacity_words.hpp"
#include "workload/pods/text.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::controller {

namespace {

void add_problem(
    std::map<std::string, std::string>& problems,
    const workload::UnplaceablePods& pods,
    const std::string& words
) {
    std::string& of = problems[pods.workload];
    of += fmt::format("{}{}: {}", of.empty() ? "" : "; ", pods.pod_set, words);
}

}  // namespace

std::map<std::string, std::string> problems_of(
    const std::vector<workload::UnplaceablePods>& beyond,
    const std::vector<workload::UnplaceablePods>& unplaced
) {
    std::map<std::string, std::string> problems;
    for (const auto& pods : beyond) {
        add_problem(problems, pods, workload::beyond_nodes_words(pods));
    }
    std::map<std::string, std::string> others;
    for (const auto& pods : unplaced) {
        if (pods.is_admitted && !problems.contains(pods.workload)) {
            add_problem(others, pods, workload::unplaceable_words(pods));
        }
    }
    problems.merge(others);
    return problems;
}

std::vector<WorkloadReports::Report> WorkloadReports::observe(
    std::map<std::string, std::string> problems, Time now
) {
    std::map<std::string, Known> next;
    std::vector<Report> reports;
    for (auto& [workload, text] : problems) {
        const auto at = known_.find(workload);
        Known known = at == known_.end() ? Known{.since = now, .reported = {}, .words = {}}
                                         : std::move(at->second);
        const bool is_due = now - known.since >= kPatience &&
                            (known.words != text || now - known.reported >= kRepeat);
        if (is_due && reports.size() < kReportedMax) {
            known.reported = now;
            known.words = text;
            reports.push_back({.workload = workload, .words = std::move(text)});
        }
        next.emplace(workload, std::move(known));
    }
    known_ = std::move(next);
    return reports;
}

EventNote problem_event(
    const api::Workload& workload, const char* reason, const std::string& words
) {
    return {
        .regarding = reference_to(workload),
        .type = EventType::Warning,
        .reason = reason,
        .note = workload::truncated_event_note(words),
        .reporting_controller = std::string(kWorkloadController),
    };
}

}  // namespace sluice::controller
