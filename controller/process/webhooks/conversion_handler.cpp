#include "controller/process/webhooks/conversion_handler.hpp"

#include "base/log.hpp"
#include "webhook/conversion_review.hpp"

#include <fmt/format.h>

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::controller {

namespace {

constexpr std::size_t kAtOnceBytesMax = std::size_t{64} * 1024;
constexpr std::size_t kAnswerBytesInMemory = std::size_t{1024} * 1024;

/// Takes the bytes of one answer from the budget, and returns them when it is destroyed.
class AnswerShare {
  public:
    explicit AnswerShare(std::shared_ptr<AnswerBudget> budget) : budget_(std::move(budget)) {}
    ~AnswerShare() { give_back(); }
    AnswerShare(const AnswerShare&) = delete;
    AnswerShare& operator=(const AnswerShare&) = delete;

    Result<void> take(std::size_t bytes) {
        if (taken_ + bytes > budget_->bytes_max()) {
            return make_invalid(
                fmt::format("the converted objects have more than {} bytes", budget_->bytes_max())
            );
        }
        if (!budget_->take(bytes)) {
            return Error{ErrorCode::TooManyRequests, "too many reviews are being converted", {}};
        }
        taken_ += bytes;
        return {};
    }
    void give_back() { budget_->give_back(std::exchange(taken_, 0)); }

  private:
    std::shared_ptr<AnswerBudget> budget_;
    std::size_t taken_ = 0;
};

/// An answer that is written to a file once it is large.
class SpooledAnswer final : public webhook::AnswerSink {
  public:
    explicit SpooledAnswer(std::shared_ptr<AnswerBudget> budget)
        : share_(std::make_shared<AnswerShare>(std::move(budget))) {}

    Result<void> append(std::string_view bytes) override {
        const auto taken = share_->take(bytes.size());
        if (!taken) {
            return taken.error();
        }
        return body_.append(bytes);
    }
    void clear() override {
        body_ = net::SpooledBody(kAnswerBytesInMemory);
        share_->give_back();
    }
    void give_to(net::ServerResponse& response) {
        response.spooled = std::move(body_);
        response.held = std::move(share_);
    }

  private:
    std::shared_ptr<AnswerShare> share_;
    net::SpooledBody body_{kAnswerBytesInMemory};
};

/// A request and its result. Shared with a worker, so that it outlives a cancelled coroutine of the
/// request.
struct Task {
    net::ServerRequest request;
    net::ServerResponse response;
    std::string failure;
};

int status_of(ErrorCode code) {
    if (code == ErrorCode::Invalid) {
        return 400;
    }
    const bool is_passing = code == ErrorCode::Canceled || code == ErrorCode::TooManyRequests;
    return is_passing ? 503 : 500;
}

void convert(Task& task, const std::shared_ptr<AnswerBudget>& budget, const std::stop_token& stop) {
    auto& response = task.response;
    const auto body = task.request.body.view();
    SpooledAnswer answer(budget);
    const auto outcome = body ? webhook::answer_conversion_review(*body, answer, {}, stop)
                              : Result<webhook::ConversionOutcome>(body.error());
    task.request.body = net::SpooledBody();
    if (!outcome) {
        response.status = status_of(outcome.error().code);
        response.body = outcome.error().detail + "\n";
        return;
    }
    task.failure = outcome->failure;
    response.content_type = "application/json";
    answer.give_to(response);
}

/// Returns true if converting takes at most a millisecond or two, which is not worth a worker: the
/// review is small and has no topology slices, of which a few bytes may describe very many domains.
/// An escape sequence could hide their name.
bool is_quick(net::SpooledBody& body) {
    if (body.size() > kAtOnceBytesMax) {
        return false;
    }
    const auto text = body.view();
    return text && text->find("topologyAssignment") == std::string_view::npos &&
           text->find("\\u") == std::string_view::npos;
}

}  // namespace

boost::asio::awaitable<net::ServerResponse> ConversionHandler::handle(net::ServerRequest request) {
    const auto task = std::make_shared<Task>();
    task->request = std::move(request);
    if (is_quick(task->request.body)) {
        convert(*task, budget_, {});
    } else {
        net::WorkerThreads::Work work = [task, budget = budget_](const std::stop_token& stop) {
            convert(*task, budget, stop);
        };
        const bool is_done = co_await workers_.run(std::move(work));
        if (!is_done) {
            task->response.status = 503;
        }
    }
    if (!task->failure.empty()) {
        log::warning("conversion failed", {{"error", task->failure}});
    }
    if (task->response.status == 500) {
        log::error("cannot convert a ConversionReview", {{"error", task->response.body}});
    }
    co_return std::move(task->response);
}

}  // namespace sluice::controller
