#include "net/loop/task_group.hpp"

#include "base/assert.hpp"
#include "base/log.hpp"
#include "net/loop/event_loop.hpp"
#include "net/loop/loop_timer.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <utility>

namespace sluice::net {
namespace asio = boost::asio;
namespace {

asio::awaitable<void> run_task(asio::awaitable<void> task) {
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await std::move(task);
}

}  // namespace

class TaskGroup::Impl {
  public:
    Impl(asio::any_io_executor group_executor, std::string group_name)
        : executor(std::move(group_executor)), name(std::move(group_name)), emptied(executor) {}

    asio::any_io_executor executor;
    std::string name;
    Notifier emptied;
    std::map<std::uint64_t, asio::cancellation_signal> signals;
    std::uint64_t next_id = 0;
    bool stopping = false;
};

TaskGroup::TaskGroup(asio::any_io_executor executor, std::string name)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(name))) {}

// The destructor cancels nothing: during the executor's teardown, the objects that tasks wait on
// may already be destroyed.
TaskGroup::~TaskGroup() = default;

bool TaskGroup::spawn(asio::awaitable<void> task, std::string name) {
    if (impl_->stopping) {
        return false;
    }
    const auto id = impl_->next_id++;
    auto& signal = impl_->signals[id];
    // The implementation is shared, because it outlives the group if the executor is torn down
    // later.
    auto on_end = [impl = impl_, id, task_name = std::move(name)](const std::exception_ptr& failure
                  ) {
        if (failure) {
            log::error("task ended by an exception", {{"group", impl->name}, {"task", task_name}});
            std::terminate();
        }
        impl->signals.erase(id);
        if (impl->signals.empty()) {
            impl->emptied.notify();
        }
    };
    asio::co_spawn(
        impl_->executor,
        run_task(std::move(task)),
        asio::bind_cancellation_slot(signal.slot(), std::move(on_end))
    );
    return true;
}

void TaskGroup::cancel() {
    // A task that ends at once removes its own entry, so iterate by id.
    const auto end = impl_->next_id;
    for (auto at = impl_->signals.begin(); at != impl_->signals.end() && at->first < end;) {
        const auto id = at->first;
        at->second.emit(asio::cancellation_type::terminal);
        at = impl_->signals.upper_bound(id);
    }
}

asio::awaitable<bool> TaskGroup::wait() {
    while (!impl_->signals.empty()) {
        const auto cancelled = co_await is_cancelled();
        if (cancelled) {
            co_return false;
        }
        co_await impl_->emptied.wait();
    }
    co_return true;
}

asio::awaitable<void> TaskGroup::stop(Duration grace) {
    co_await asio::this_coro::throw_if_cancelled(false);
    impl_->stopping = true;
    const Instant end = loop_now() + grace;
    while (!impl_->signals.empty() && loop_now() < end) {
        const auto cancelled = co_await is_cancelled();
        if (cancelled) {
            break;
        }
        // The notifier may remember an earlier notification, which ends the first wait: loop again.
        co_await impl_->emptied.wait(end - loop_now());
    }
    cancel();
    // Tasks must not outlive the group, so this wait ignores cancellation. It uses the timer
    // directly, because pause_for() returns at once in a cancelled coroutine.
    LoopTimer timer(impl_->executor);
    while (!impl_->signals.empty()) {
        cancel();
        timer.set(std::chrono::milliseconds(20));
        co_await timer.wait();
    }
}

}  // namespace sluice::net
