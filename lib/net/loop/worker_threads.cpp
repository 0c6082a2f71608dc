#include "net/loop/worker_threads.hpp"

#include "net/loop/event_loop.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <pthread.h>
#include <utility>

namespace sluice::net {
namespace asio = boost::asio;
namespace {

struct Job {
    enum class State : std::uint8_t { Waiting, Begun, Dropped };

    Job(const asio::any_io_executor& executor, WorkerThreads::Work what)
        : ended(executor), work(std::move(what)) {
        ended.expires_at(asio::steady_timer::time_point::max());
    }
    // Used by the loop's thread.
    asio::steady_timer ended;
    bool is_done = false;
    // Owned by the thread that changes the state from Waiting.
    WorkerThreads::Work work;
    std::stop_source stop;
    std::atomic<State> state = State::Waiting;

    /// Changes the state. Returns false if the job was not waiting any more.
    bool leave_waiting(State next) {
        auto waiting = State::Waiting;
        return state.compare_exchange_strong(waiting, next);
    }
};

}  // namespace

/// Asio's pool runs the jobs in the order in which they were posted, but cannot stop a single one.
/// A waiting job is dropped by changing its state; a running job is asked by its stop token.
class WorkerThreads::Impl {
  public:
    Impl(const std::string& name, std::size_t count) : name_(name.substr(0, 15)), pool_(count) {}

    ~Impl() {
        ending_.request_stop();
        pool_.stop();
        pool_.join();
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void push(std::shared_ptr<Job> job) {
        asio::post(pool_, [this, job = std::move(job)] { run(job); });
    }

  private:
    void run(const std::shared_ptr<Job>& job) {
        if (ending_.stop_requested() || !job->leave_waiting(Job::State::Begun)) {
            return;
        }
        pthread_setname_np(pthread_self(), name_.c_str());
        {
            const std::stop_callback at_end(ending_.get_token(), [&job] {
                job->stop.request_stop();
            });
            job->work(job->stop.get_token());
            job->work = nullptr;
        }
        asio::post(job->ended.get_executor(), [job] {
            job->is_done = true;
            job->ended.cancel();
        });
    }

    std::string name_;
    std::stop_source ending_;
    asio::thread_pool pool_;
};

WorkerThreads::WorkerThreads(const std::string& name, std::size_t count)
    : impl_(std::make_unique<Impl>(name, count)) {}

WorkerThreads::~WorkerThreads() = default;

asio::awaitable<bool> WorkerThreads::run(Work work) {
    const auto executor = co_await asio::this_coro::executor;
    const auto job = std::make_shared<Job>(executor, std::move(work));
    impl_->push(job);
    while (!job->is_done) {
        const auto cancelled = co_await is_cancelled();
        if (cancelled) {
            if (job->leave_waiting(Job::State::Dropped)) {
                // The pool keeps the job until its turn; destroy the work's data now.
                job->work = nullptr;
                co_return false;
            }
            job->stop.request_stop();
        }
        co_await job->ended.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    co_return true;
}

}  // namespace sluice::net
