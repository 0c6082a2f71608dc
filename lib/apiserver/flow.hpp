#pragma once

#include <coroutine>
#include <cstdlib>
#include <optional>
#include <utility>

namespace sluice::apiserver {

/// A piece of a request's work that may have to wait for a webhook's answer: a coroutine that
/// starts when it is awaited or start() is called, and runs on its caller's stack. Nothing here
/// knows threads or I/O: who waits is resumed by Outbox::answer().
template <class T>
class [[nodiscard]] Flow {
  public:
    struct promise_type;
    using Handle = std::coroutine_handle<promise_type>;

    struct FinalStep {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(Handle done) noexcept {
            const auto next = done.promise().continuation;
            return next ? next : std::noop_coroutine();
        }
        void await_resume() noexcept {}
    };
    struct promise_type {
        std::optional<T> value;
        std::coroutine_handle<> continuation;

        Flow get_return_object() { return Flow(Handle::from_promise(*this)); }
        std::suspend_always initial_suspend() noexcept { return {}; }
        FinalStep final_suspend() noexcept { return {}; }
        template <class U>
        void return_value(U&& result) {
            value.emplace(std::forward<U>(result));
        }
        void unhandled_exception() noexcept { std::abort(); }
    };
    struct Awaiter {
        Handle handle;
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) noexcept {
            handle.promise().continuation = waiting;
            return handle;
        }
        T await_resume() { return std::move(*handle.promise().value); }
    };

    Flow(Flow&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    Flow& operator=(Flow&& other) noexcept {
        if (this != &other) {
            destroy();
            handle_ = std::exchange(other.handle_, {});
        }
        return *this;
    }
    Flow(const Flow&) = delete;
    Flow& operator=(const Flow&) = delete;
    ~Flow() { destroy(); }

    Awaiter operator co_await() && { return Awaiter{handle_}; }
    /// Runs until it is done or waits.
    void start() { handle_.resume(); }
    bool is_done() const { return handle_.done(); }
    /// What it returned. Requires: it is done; once.
    T take() { return std::move(*handle_.promise().value); }

  private:
    explicit Flow(Handle handle) : handle_(handle) {}
    void destroy() {
        if (handle_) {
            handle_.destroy();
        }
    }
    Handle handle_;
};

}  // namespace sluice::apiserver
