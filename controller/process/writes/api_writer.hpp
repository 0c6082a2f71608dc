// Sends writes to the API server, with retries, and tracks when the stores show them.
#pragma once

#include "base/clock.hpp"
#include "base/prng.hpp"
#include "controller/process/writes/awaited_echoes.hpp"
#include "controller/reconcile/stores.hpp"
#include "controller/reconcile/write_sink.hpp"
#include "kube/client/client.hpp"
#include "kube/runtime/backoff.hpp"
#include "net/loop/task_group.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// Sends writes to the API server asynchronously, a bounded number of rows at a time, with retries.
/// A row that waits for its next attempt takes no slot, so that objects whose writes fail (for
/// example, because of a broken webhook of one namespace) do not block other objects. Remembers
/// each write until the store shows it, however late that is.
class ApiWriter final : public WriteSink {
  public:
    struct Parts {
        kube::Client& client;
        const Stores& stores;
        const Clock& clock;
        net::TaskGroup& tasks;
        /// Called for each event and observation of an accepted write.
        std::function<void(const EventNote&)> on_event;
        std::function<void(const Observation&)> on_observation;
        /// Called when a write to the object has ended, successfully or not, and when the server
        /// has answered a question about an object whose watch event is late.
        std::function<void(const ObjectKey&, bool is_accepted)> on_ended;
        /// Called right before each attempt of a write; an error prevents the attempt. If it is
        /// empty, all writes are sent.
        kube::BeforeSend before_send = {};
        /// Backoff between the attempts of one write.
        kube::BackoffOptions backoff{
            .first = std::chrono::milliseconds(100),
            .max = std::chrono::seconds(10),
            .jitter_percent = 50
        };
    };

    ApiWriter(Parts parts, std::size_t rows_max, std::uint64_t seed)
        : parts_(std::move(parts)),
          rows_max_(rows_max),
          idle_since_(parts_.clock.instant()),
          prng_(seed),
          echoes_(parts_.stores, parts_.clock) {}

    void submit(std::vector<Write> row, Attempts attempts, Done done) override;
    bool has_room() const override { return rows_ < rows_max_; }
    Duration pace() const override;
    bool is_settled(const ObjectKey& key) const override { return echoes_.is_settled(key); }
    /// Asks the server about objects whose watch event is late, a few at a time. Returns the time
    /// of the next call; nullopt if it must be called after the next write or answer.
    std::optional<Instant> ask_for_late();
    /// Rows in progress, without those that wait for their next attempt.
    std::size_t rows() const { return rows_; }

  private:
    boost::asio::awaitable<void> perform_row(std::vector<Write> row, Attempts attempts, Done done);
    kube::Async<std::string> perform(Write write, Attempts attempts);
    kube::Async<std::string> call(Write write);
    boost::asio::awaitable<bool> pause(int attempt, int at_least_seconds);
    /// A write that an earlier attempt may have done already.
    struct Doubt {
        Write write;
        Time first_attempt;
        Attempts attempts = Attempts::AFew;
        Error error;  ///< the last error of the write
    };
    /// Returns the outcome of the write; nullopt if the server does not answer.
    boost::asio::awaitable<std::optional<Result<std::string>>> find_out(Doubt doubt);
    boost::asio::awaitable<void> ask(AwaitedEchoes::Question question);
    void begin_row();
    void end_row();
    void accepted(const Write& write, const std::string& answer);

    Parts parts_;
    std::size_t rows_max_;
    std::size_t rows_ = 0;
    Duration pace_{};  ///< while rows are in progress, or when the last one ended
    Instant idle_since_;
    Prng prng_;
    AwaitedEchoes echoes_;
    int questions_ = 0;  ///< in progress
};

}  // namespace sluice::controller
