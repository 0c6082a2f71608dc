#include "controller/process/conversion_handler.hpp"

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
/// Topology slices of a few bytes may state very many domains.
constexpr std::size_t kAnswerBytesMax = std::size_t{512} * 1024 * 1024;

/// An answer that goes to a file when it becomes large.
class SpooledAnswer final : public webhook::AnswerSink {
  public:
    Result<void> append(std::string_view bytes) override {
        if (body_.size() + bytes.size() > kAnswerBytesMax) {
            return make_invalid(
                fmt::format("the converted objects have more than {} bytes", kAnswerBytesMax)
            );
        }
        return body_.append(bytes);
    }
    void clear() override { body_ = net::SpooledBody(kAnswerBytesInMemory); }
    net::SpooledBody take() { return std::move(body_); }

  private:
    net::SpooledBody body_{kAnswerBytesInMemory};
};

/// A request and what comes of it; a worker's work shares it, so that it outlives the request's
/// coroutine where that is given up.
struct Task {
    net::ServerRequest request;
    net::ServerResponse response;
    std::string failure;
};

int status_of(ErrorCode code) {
    if (code == ErrorCode::Invalid) {
        return 400;
    }
    return code == ErrorCode::Canceled ? 503 : 500;
}

void convert(Task& task, const std::stop_token& stop) {
    auto& response = task.response;
    const auto body = task.request.body.view();
    SpooledAnswer answer;
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
    response.spooled = answer.take();
}

/// Whether it takes a millisecond or two, which is not worth the way to a worker: small, and
/// without topology slices, of which a few bytes may state very many domains. An escape could hide
/// their name.
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
        convert(*task, {});
    } else {
        ++at_work_;
        net::WorkerThreads::Work work = [task](const std::stop_token& stop) {
            convert(*task, stop);
        };
        const bool is_done = co_await workers_.run(std::move(work));
        --at_work_;
        if (!is_done) {
            task->response.status = 503;
        }
    }
    if (!task->failure.empty()) {
        log::warning("conversion failed", {{"error", task->failure}});
    }
    if (task->response.status == 500) {
        log::error("review not converted", {{"error", task->response.body}});
    }
    co_return std::move(task->response);
}

}  // namespace sluice::controller
