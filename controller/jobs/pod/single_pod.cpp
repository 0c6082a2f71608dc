#include "controller/jobs/pod/single_pod.hpp"

#include "api/kueue/kueue_names.hpp"
#include "controller/jobs/members/pod_state.hpp"
#include "controller/jobs/pod/pod_resize.hpp"
#include "controller/reconcile/owned_workloads.hpp"

#include <fmt/format.h>

namespace sluice::controller {

namespace {

constexpr std::string_view kPodSet = "main";

}  // namespace

Result<std::vector<api::PodSet>> SinglePod::pod_sets() const {
    auto pod_set = make_pod_set(*pod_, std::string(kPodSet), 1, settings_);
    if (!pod_set) {
        return pod_set.error();
    }
    std::vector<api::PodSet> pod_sets;
    pod_sets.push_back(std::move(*pod_set));
    return pod_sets;
}

bool SinglePod::is_left_alone() const {
    return is_unmanaged_pod(pod_->metadata, settings_);
}

bool SinglePod::is_suspended() const {
    return is_held_or_over(*pod_);
}

bool SinglePod::is_active() const {
    return occupies_quota(*pod_, settings_, now_);
}

std::optional<Time> SinglePod::active_until() const {
    const auto last = find_last_moment(*pod_);
    return is_active() && last ? std::optional(*last + std::chrono::milliseconds(1)) : std::nullopt;
}

bool SinglePod::are_pods_ready() const {
    return is_ready(*pod_) || has_succeeded(*pod_);
}

std::optional<JobEnd> SinglePod::find_end() const {
    if (!has_ended(*pod_)) {
        return std::nullopt;
    }
    return JobEnd{
        .result = has_succeeded(*pod_) ? JobEnd::Result::Succeeded : JobEnd::Result::Failed,
        .message = pod_->status.message,
    };
}

Result<std::vector<Write>> SinglePod::start(const std::vector<PodSetInfo>& injected) const {
    if (injected.size() != 1) {
        return make_invalid(
            fmt::format("invalid podset infos: expecting 1 pod set got {}", injected.size())
        );
    }
    std::vector<Write> writes;
    if (is_gated(*pod_)) {
        auto write = start_pod(*pod_, injected.front());
        if (!write) {
            return write.error();
        }
        writes.push_back(std::move(*write));
    }
    return writes;
}

StopStep SinglePod::next_stop_step(const api::Workload* workload) const {
    return next_stop_step_for(
        {.reason = api::reason::kNoMatchingWorkload, .message = {}}, workload
    );
}

/// Makes both writes in one row, because the second does not depend on the result of the first.
StopStep SinglePod::next_stop_step_for(const StopCause& cause, const api::Workload*) const {
    StopStep step;
    if (is_suspended() && cause.reason != api::reason::kWorkloadDeleted) {
        return step;
    }
    const bool is_uncounted = cause.reason == api::reason::kNoMatchingWorkload;
    if (const auto spared = is_uncounted ? spared_until(*pod_, now_) : std::nullopt) {
        step.kind = StopStep::Kind::Wait;
        step.again_at = spared;
        return step;
    }
    auto write = end_pod(*pod_, cause, now_);
    if (!write) {
        return step;
    }
    step.kind = StopStep::Kind::Suspend;
    const bool is_deletion = write->verb == Verb::Delete;
    step.writes.push_back(std::move(*write));
    if (!is_deletion) {
        step.writes.push_back(
            {.verb = Verb::Delete, .object = key_of(*pod_), .body = {}, .uid = pod_->metadata.uid}
        );
    }
    return step;
}

std::optional<bool> SinglePod::is_described_by(const api::Workload& workload) const {
    const bool is_own = is_owned_by(workload.metadata, metadata().uid);
    const auto& pod_sets = workload.spec.pod_sets;
    if (is_own && pod_sets.size() == 1 && !is_gated(*pod_) &&
        is_resized_within(*pod_, *pod_sets.front().template_)) {
        return true;
    }
    const bool is_unknown =
        !pod_->raw_spec.empty() || workload.metadata.controller_owner() == nullptr;
    return is_unknown ? std::nullopt : std::optional(is_own);
}

std::vector<Write> SinglePod::release() const {
    std::vector<Write> writes;
    if (auto write = release_pod(*pod_)) {
        writes.push_back(std::move(*write));
    }
    return writes;
}

std::vector<Write> SinglePod::release_deleted() const {
    return is_deleted_and_over(*pod_) ? release() : std::vector<Write>();
}

}  // namespace sluice::controller
