#include "kube/runtime/leader_elector.hpp"

#include "api/meta/codec.hpp"
#include "base/assert.hpp"
#include "json/value.hpp"

#include <algorithm>
#include <utility>

namespace sluice::kube {
namespace {

std::int32_t to_seconds(Duration duration) {
    return static_cast<std::int32_t>(
        std::chrono::duration_cast<std::chrono::seconds>(duration).count()
    );
}

}  // namespace

LeaderElector::LeaderElector(LeaderOptions options, std::uint64_t seed)
    : options_(std::move(options)), prng_(seed) {
    SLUICE_ASSERT(
        to_seconds(options_.lease_length) * std::chrono::seconds(1) > options_.renew_deadline
    );
    SLUICE_ASSERT(options_.renew_deadline > options_.retry_period);
}

LeaderElector::Step LeaderElector::next(Instant now, Time wall) {
    Step step;
    step.until = leading_ ? renewed_at_ + options_.renew_deadline : now + options_.renew_deadline;
    if (leading_ && now >= step.until) {
        leading_ = false;
        lost_ = true;
    }
    if (lost_) {
        step.action = Action::Lost;
        return step;
    }
    if (now < not_before_) {
        step.action = Action::Wait;
        step.until = leading_ ? std::min(not_before_, step.until) : not_before_;
        return step;
    }
    if (must_read_) {
        step.action = Action::Get;
        return step;
    }
    step.action = absent_ ? Action::Create : Action::Update;
    step.lease = make_lease(wall);
    asked_at_ = now;
    is_unanswered_ = true;
    return step;
}

void LeaderElector::on_read(const api::Lease& lease, Instant now) {
    is_unanswered_ = false;
    absent_ = false;
    if (!seen_ || seen_->spec != lease.spec) {
        seen_at_ = now;
    }
    seen_ = lease;
    holder_ = lease.spec.holder_identity;
    if (leading_ && holder_ != options_.identity) {
        leading_ = false;
        lost_ = true;
        return;
    }
    must_read_ = is_held_by_other(now);
    if (must_read_) {
        // Wait up to 120 % longer, so that the waiting replicas do not all retry at the same time.
        const auto jitter = options_.retry_period.count() * prng_.between(0, 120) / 100;
        not_before_ = now + options_.retry_period + Duration(jitter);
    }
}

void LeaderElector::on_absent() {
    absent_ = true;
    must_read_ = false;
    seen_.reset();
}

void LeaderElector::on_written(const api::Lease& lease, Instant now) {
    is_unanswered_ = false;
    if (lost_) {
        return;
    }
    seen_ = lease;
    seen_at_ = now;
    // A renewal counts from the time of its request: other replicas may have seen it from then on.
    renewed_at_ = asked_at_;
    holder_ = options_.identity;
    absent_ = false;
    must_read_ = false;
    leading_ = true;
    not_before_ = now + options_.retry_period;
}

void LeaderElector::on_failed(const Error& error, Instant now) {
    // After any failure, the known state of the Lease may be out of date.
    must_read_ = true;
    absent_ = false;
    const bool look_again =
        error.code == ErrorCode::Conflict || error.code == ErrorCode::AlreadyExists;
    not_before_ = look_again && leading_ ? now : now + options_.retry_period;
}

std::optional<api::Lease> LeaderElector::release(Time wall) {
    if (!leading_ || !seen_) {
        return std::nullopt;
    }
    leading_ = false;
    lost_ = true;
    return make_released(*seen_, wall);
}

std::optional<api::Lease> LeaderElector::release_again(const api::Lease& read, Time wall) const {
    if (read.spec.holder_identity != options_.identity) {
        return std::nullopt;
    }
    return make_released(read, wall);
}

api::Lease LeaderElector::make_released(api::Lease lease, Time wall) {
    lease.spec.holder_identity.clear();
    lease.spec.lease_duration_seconds = 1;
    lease.spec.acquire_time = api::MicroTime{wall};
    lease.spec.renew_time = api::MicroTime{wall};
    return lease;
}

api::Lease LeaderElector::make_lease(Time wall) const {
    api::Lease lease;
    if (seen_) {
        lease = *seen_;
    }
    const bool is_renewal =
        lease.spec.holder_identity == options_.identity && lease.spec.acquire_time;
    lease.metadata.namespace_ = options_.namespace_;
    lease.metadata.name = options_.name;
    lease.spec.holder_identity = options_.identity;
    lease.spec.lease_duration_seconds = to_seconds(options_.lease_length);
    lease.spec.renew_time = api::MicroTime{std::chrono::floor<std::chrono::microseconds>(wall)};
    if (!is_renewal) {
        lease.spec.acquire_time = lease.spec.renew_time;
        lease.spec.lease_transitions = seen_ ? lease.spec.lease_transitions.value_or(0) + 1 : 0;
    }
    return lease;
}

bool LeaderElector::is_held_by_other(Instant now) const {
    if (!seen_) {
        return false;
    }
    const auto& spec = seen_->spec;
    if (spec.holder_identity.empty() || spec.holder_identity == options_.identity) {
        return false;
    }
    return now < seen_at_ + std::chrono::seconds(spec.lease_duration_seconds.value_or(0));
}

std::string make_lease_patch(const api::Lease& lease) {
    const auto whole = api::to_value(lease);
    json::Value metadata;
    metadata.set("resourceVersion", lease.metadata.resource_version);
    auto spec = whole.find("spec") == nullptr ? json::Value(json::Object{}) : *whole.find("spec");
    if (lease.spec.holder_identity.empty()) {
        // The printed spec omits an empty holder, and a merge patch leaves omitted fields
        // unchanged.
        spec.set("holderIdentity", nullptr);
    }
    json::Value patch;
    patch.set("metadata", std::move(metadata));
    patch.set("spec", std::move(spec));
    return json::print(patch);
}

}  // namespace sluice::kube
