#pragma once

#include "base/clock.hpp"
#include "controller/jobs/job_admission.hpp"
#include "controller/process/admission_handler.hpp"
#include "net/event_loop.hpp"

#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

namespace sluice::controller {

/// Judges jobs on the loop of the stores, which they are judged by, for the webhook server on
/// another.
class JobAdmissions {
  public:
    struct Parts {
        net::EventLoop& loop;  ///< of the stores
        AdmissionContext context;
        /// Whether the stores hold what the API server has. Thread: that of the loop.
        std::function<bool()> is_synced;
    };
    enum class Step : std::uint8_t { Default, Judge };

    explicit JobAdmissions(Parts parts) : parts_(std::move(parts)) {}

    /// The webhook of a kind. Its errors: those of default_job() and judge_job(); Unavailable when
    /// the stores are not filled within some seconds, and after close().
    /// Lifetime: kind and this must outlive it.
    AdmissionJudge make_judge(const JobKind& kind, Step step);

    /// Takes no more, and waits for those that are being judged for at most `grace`.
    /// Thread: that of the loop.
    boost::asio::awaitable<void> close(Duration grace);

  private:
    using Request = std::shared_ptr<const api::AdmissionRequest>;
    boost::asio::awaitable<Result<webhook::Verdict>> judge(
        const JobKind* kind, Step step, Request request
    );
    boost::asio::awaitable<Result<webhook::Verdict>> judge_here(
        const JobKind* kind, Step step, Request request
    );

    Parts parts_;
    std::atomic<bool> is_open_ = true;
    std::atomic<std::size_t> at_work_ = 0;
};

}  // namespace sluice::controller
