// How many what-ifs are answered at a time, and how many a user may ask in a minute.
#pragma once

#include "base/clock.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>

namespace sluice::controller {

/// Bounds the what-ifs: two at a time, and ten a minute for each user. Thread: one.
class WhatIfLimits {
  public:
    explicit WhatIfLimits(const Clock& clock) : clock_(clock) {}

    /// One what-if. It counts until it is destroyed.
    class Turn {
      public:
        Turn(WhatIfLimits& limits, const std::string& user);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        /// Returns why it may not be answered now; nullopt if it may.
        const std::optional<std::string>& refusal() const { return refusal_; }

      private:
        WhatIfLimits& limits_;
        std::optional<std::string> refusal_;
    };

  private:
    /// Bounds the memory when many users ask: the one who asked last longest ago is dropped.
    static constexpr std::size_t kUsersMax = 1'000;

    const Clock& clock_;
    std::size_t running_ = 0;
    std::map<std::string, std::deque<Instant>> asked_;  // in the last minute, by user
};

}  // namespace sluice::controller
