#pragma once

#include "controller/process/metrics/metrics_reporter.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/task_group.hpp"
#include "support/run_async.hpp"

namespace sluice::controller {

/// Brings the gauges of all changed queues up to date, as the process does when it is notified.
inline void refresh(MetricsReporter& reporter) {
    net::EventLoop loop;
    net::Notifier dirty(loop.executor());
    dirty.notify();
    net::TaskGroup tasks(loop.executor(), "metrics");
    tasks.spawn(reporter.keep_fresh(&dirty));
    test::run_what_is_ready(loop);
    test::run_async(loop, tasks.stop(Duration::zero()));
}

}  // namespace sluice::controller
