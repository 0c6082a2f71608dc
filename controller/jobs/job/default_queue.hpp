// The LocalQueue `default` of a namespace, and jobs that missed it when they were created.
#pragma once

#include "api/kueue/local_queue.hpp"
#include "controller/reconcile/view.hpp"

#include <memory>
#include <string>

/// The LocalQueue `default` of a namespace, which jobs without a queue name get (KEP-2936).
namespace sluice::controller {

inline constexpr char kDefaultQueue[] = "default";

/// Returns the namespace's LocalQueue `default`; nullptr if it does not exist or is stopped.
std::shared_ptr<const api::LocalQueue> find_default_queue(
    const Stores& stores, const std::string& ns
);

/// Returns true if the job was created while the queue was in use, but without the webhook, which
/// would have set the queue. False if the job's spec has changed since then: the user may have
/// taken it out of the queue. If the job runs, and so would be stopped, it must also have been
/// created after the queue became Active.
bool missed_default_queue(
    const api::ObjectMeta& job, bool is_suspended, const api::LocalQueue& queue
);

}  // namespace sluice::controller
