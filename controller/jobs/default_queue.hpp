#pragma once

#include "api/local_queue.hpp"
#include "controller/reconcilers/view.hpp"

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
/// given it the queue: the queue has been Active since before, and the job runs as it was created.
/// A job that has changed since may have left the queue; its user says that with the label.
bool missed_default_queue(const api::ObjectMeta& job, const api::LocalQueue& queue);

}  // namespace sluice::controller
