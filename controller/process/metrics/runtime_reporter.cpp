#include "controller/process/metrics/runtime_reporter.hpp"

#include "metrics/process_usage.hpp"

#include <chrono>
#include <utility>

namespace sluice::controller {

namespace {

/// controller-runtime's queues have this priority for everything but the first list.
constexpr const char* kPriority = "0";

double to_seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

RuntimeReporter::RuntimeReporter(metrics::Registry& registry, Parts parts)
    : parts_(std::move(parts)), metrics_(registry) {}

void RuntimeReporter::set_role(const std::string& role) {
    if (!parts_.lease.empty()) {
        metrics_.leader_election_master_status.set({parts_.lease}, role == "leader" ? 1 : 0);
    }
}

void RuntimeReporter::observe_request(
    const std::string& host, const std::string& method, int status
) {
    const std::string code = status == 0 ? "<error>" : std::to_string(status);
    metrics_.rest_client_requests_total.add({code, host, method});
}

void RuntimeReporter::report() {
    if (parts_.work) {
        report_work();
    }
    if (parts_.dropped_events) {
        metrics_.sluice_events_dropped_total.raise_to(
            {}, static_cast<double>(parts_.dropped_events())
        );
    }
    if (parts_.journal != nullptr) {
        const journal::JournalCounts counts = parts_.journal->counts();
        metrics_.sluice_journal_bytes_total.raise_to({}, static_cast<double>(counts.bytes));
        metrics_.sluice_journal_gap.set({}, static_cast<double>(counts.gaps));
    }
}

void RuntimeReporter::report_process() {
    if (parts_.process) {
        metrics::report_process_usage(metrics_);
    }
}

void RuntimeReporter::report_work() {
    const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
    metrics::RuntimeMetrics& m = metrics_;
    for (const auto& [name, work] : parts_.work()) {
        const metrics::Labels controller{name};
        auto& total = m.controller_runtime_reconcile_total;
        total.raise_to({name, "success"}, number(work.succeeded));
        // Sluice has no requeues without a time.
        total.raise_to({name, "requeue"}, 0);
        total.raise_to({name, "requeue_after"}, number(work.postponed));
        total.raise_to({name, "error"}, number(work.failed));
        m.controller_runtime_reconcile_errors_total.raise_to(controller, number(work.failed));
        m.sluice_reconcile_failing_objects.set(controller, number(work.failing));
        m.controller_runtime_reconcile_time_seconds.set(controller, work.reconcile_times);
        m.controller_runtime_active_workers.set(controller, number(work.under_way));
        m.controller_runtime_max_concurrent_reconciles.set(controller, number(parts_.rows_max));
        const metrics::Labels queue{name, name};
        m.workqueue_depth.set({name, name, kPriority}, number(work.waiting));
        m.workqueue_adds_total.raise_to(queue, number(work.taken + work.waiting));
        m.workqueue_retries_total.raise_to(queue, number(work.failed));
        m.workqueue_queue_duration_seconds.set(queue, work.wait_times);
        m.workqueue_work_duration_seconds.set(queue, work.work_times);
        m.workqueue_unfinished_work_seconds.set(queue, to_seconds(work.unfinished));
        m.workqueue_longest_running_processor_seconds.set(queue, to_seconds(work.longest));
    }
}

}  // namespace sluice::controller
