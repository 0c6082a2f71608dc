#include "net/worker_threads.hpp"

#include "net/event_loop.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <utility>
#include <vector>

namespace sluice::net {
namespace asio = boost::asio;
namespace {

struct Job {
    Job(const asio::any_io_executor& executor, WorkerThreads::Work what)
        : ended(executor), work(std::move(what)) {
        ended.expires_at(asio::steady_timer::time_point::max());
    }
    // The loop's; the other members belong to whoever has taken the job out of the queue.
    asio::steady_timer ended;
    bool is_done = false;

    WorkerThreads::Work work;
    std::stop_source stop;
};

}  // namespace

class WorkerThreads::Impl {
  public:
    explicit Impl(std::size_t count) : running_(count) {}

    void push(std::shared_ptr<Job> job) {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(job));
        changed_.notify_one();
    }

    /// Whether the job was still waiting and now never begins.
    bool remove(const std::shared_ptr<Job>& job) {
        const std::lock_guard lock(mutex_);
        return std::erase(waiting_, job) > 0;
    }

    void run_jobs(std::size_t worker) {
        while (const auto job = next(worker)) {
            job->work(job->stop.get_token());
            job->work = nullptr;
            asio::post(job->ended.get_executor(), [job] {
                job->is_done = true;
                job->ended.cancel();
            });
        }
    }

    void start(const std::string& name) {
        for (std::size_t i = 0; i < running_.size(); ++i) {
            threads_.emplace_back([this, i] { run_jobs(i); });
            pthread_setname_np(threads_.back().native_handle(), name.substr(0, 15).c_str());
        }
    }

    void stop() {
        {
            const std::lock_guard lock(mutex_);
            is_stopping_ = true;
            waiting_.clear();
            for (const auto& job : running_) {
                if (job) {
                    job->stop.request_stop();
                }
            }
        }
        changed_.notify_all();
        for (auto& thread : threads_) {
            thread.join();
        }
    }

  private:
    /// The job to run next, or null when there will be none.
    std::shared_ptr<Job> next(std::size_t worker) {
        std::unique_lock lock(mutex_);
        running_[worker] = nullptr;
        changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
        if (is_stopping_) {
            return nullptr;
        }
        running_[worker] = std::move(waiting_.front());
        waiting_.pop_front();
        return running_[worker];
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Job>> waiting_;
    std::vector<std::shared_ptr<Job>> running_;  // one a thread, null while it waits
    std::vector<std::thread> threads_;
    bool is_stopping_ = false;
};

WorkerThreads::WorkerThreads(const std::string& name, std::size_t count)
    : impl_(std::make_unique<Impl>(count)) {
    impl_->start(name);
}

WorkerThreads::~WorkerThreads() {
    impl_->stop();
}

asio::awaitable<bool> WorkerThreads::run(Work work) {
    const auto executor = co_await asio::this_coro::executor;
    const auto job = std::make_shared<Job>(executor, std::move(work));
    impl_->push(job);
    while (!job->is_done) {
        const auto cancelled = co_await is_cancelled();
        if (cancelled) {
            if (impl_->remove(job)) {
                co_return false;
            }
            job->stop.request_stop();
        }
        co_await job->ended.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    co_return true;
}

}  // namespace sluice::net
