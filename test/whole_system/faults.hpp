#pragma once

#include "apiserver/http/in_process_client.hpp"
#include "base/clock.hpp"
#include "base/prng.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace sluice::whole_system {

/// The way between controllers and API server: how long each request takes and, by a seed, what
/// goes wrong: refusals (409, 410, 429, 500, 503), requests and answers that are lost, delays, and
/// connections of watches that break, repeat or lag. Each delay is shorter than the time between a
/// leader's last write and the next leader.
class Faults {
  public:
    Faults(std::uint64_t seed, std::function<Time()> now) : prng_(seed), now_(std::move(now)) {}

    /// Whether anything goes wrong; a request always takes its time.
    void set_stormy(bool is_stormy) { is_stormy_ = is_stormy; }
    /// Nobody answers until then.
    void stop_server_until(Time end) { down_until_ = end; }
    std::optional<apiserver::InProcessClient::Fault> of_request(const kube::Request& request);
    std::optional<apiserver::InProcessClient::LineFault> of_line();
    std::uint64_t count() const { return count_; }

  private:
    Duration some_delay();
    Error some_refusal(bool is_list);

    Prng prng_;
    std::function<Time()> now_;
    bool is_stormy_ = false;
    Time down_until_{};
    std::uint64_t count_ = 0;
};

}  // namespace sluice::whole_system
