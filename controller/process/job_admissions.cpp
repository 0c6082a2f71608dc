#include "controller/process/job_admissions.hpp"

#include "net/on_loop.hpp"

#include <chrono>
#include <utility>

namespace sluice::controller {

namespace {

constexpr Duration kPoll = std::chrono::milliseconds(20);
/// The API server gives a webhook ten seconds.
constexpr Duration kSyncMax = std::chrono::seconds(8);

Error unavailable(const char* why) {
    return Error{ErrorCode::Unavailable, why, {}};
}

}  // namespace

AdmissionJudge JobAdmissions::make_judge(const JobKind& kind, Step step) {
    return [this, &kind, step](Request request) { return judge(&kind, step, std::move(request)); };
}

boost::asio::awaitable<Result<webhook::Verdict>> JobAdmissions::judge(
    const JobKind* kind, Step step, Request request
) {
    // Counted before it is asked whether this is open: close() looks the other way round.
    ++at_work_;
    if (!is_open_) {
        --at_work_;
        co_return unavailable("the controller is shutting down");
    }
    auto work = judge_here(kind, step, std::move(request));
    auto verdict = co_await net::on_loop(&parts_.loop, std::move(work));
    --at_work_;
    co_return verdict;
}

boost::asio::awaitable<Result<webhook::Verdict>> JobAdmissions::judge_here(
    const JobKind* kind, Step step, Request request
) {
    for (Duration waited{}; !parts_.is_synced(); waited += kPoll) {
        const bool goes_on = co_await net::pause_for(kPoll);
        if (!goes_on || !is_open_ || waited >= kSyncMax) {
            co_return unavailable("the controller has not seen all objects yet");
        }
    }
    co_return step == Step::Default ? default_job(parts_.context, *kind, *request)
                                    : judge_job(parts_.context, *kind, *request);
}

boost::asio::awaitable<void> JobAdmissions::close(Duration grace) {
    is_open_ = false;
    for (Duration waited{}; at_work_ > 0 && waited < grace; waited += kPoll) {
        const bool goes_on = co_await net::pause_for(kPoll);
        if (!goes_on) {
            co_return;
        }
    }
}

}  // namespace sluice::controller
