#pragma once

#include "api/kueue/local_queue.hpp"
#include "controller/reconcile/view.hpp"

#include <memory>
#include <string>

/// The LocalQueue `default` of a namespace, which jobs that name none are given (KEP-2936).
namespace sluice::controller {

inline constexpr char kDefaultQueue[] = "default";

/// Null: there is none, or it is stopped.
std::shared_ptr<const api::LocalQueue> find_default_queue(
    const Stores& stores, const std::string& ns
);

/// Whether the job was created while the queue was in use, unseen by the webhook, which would have
/// given it the queue. The job is as it was created: one that has changed since may have left the
/// queue. One that runs, and would be stopped, must also have come after the queue became Active.
bool missed_default_queue(
    const api::ObjectMeta& job, bool is_suspended, const api::LocalQueue& queue
);

}  // namespace sluice::controller
