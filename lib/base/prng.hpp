// A small seeded random generator for jitter and generated tests.
#pragma once

#include <cstdint>

namespace sluice {

/// Returns an unpredictable seed from the operating system.
std::uint64_t random_seed();

/// A small seeded generator (splitmix64): the same seed gives the same numbers on every machine.
/// For jitter and for generated tests; never for secrets.
class Prng {
  public:
    explicit Prng(std::uint64_t seed) : state_(seed) {}
    /// Returns the next 64 random bits.
    std::uint64_t next();
    /// Returns a number in [0, bound), or 0 if bound is 0.
    std::uint64_t below(std::uint64_t bound);
    /// Returns a number in [low, high]. Requires: low <= high.
    std::int64_t between(std::int64_t low, std::int64_t high);
    /// Returns true in about `percent` of 100 calls.
    bool chance(unsigned percent);

  private:
    std::uint64_t state_;
};

}  // namespace sluice
