#pragma once

#include <cstdint>

namespace sluice {

/// A seed that cannot be guessed, from the machine.
std::uint64_t random_seed();

/// A small seeded generator (splitmix64): the same seed gives the same numbers on every machine.
/// For jitter and for generated tests; never for secrets.
class Prng {
  public:
    explicit Prng(std::uint64_t seed) : state_(seed) {}
    /// The next 64 random bits.
    std::uint64_t next();
    /// A number in [0, bound), or 0 when bound is 0.
    std::uint64_t below(std::uint64_t bound);
    /// A number in [low, high].
    std::int64_t between(std::int64_t low, std::int64_t high);
    /// True in about `percent` of 100 calls.
    bool chance(unsigned percent);
    /// A number in [0, 1).
    double unit();

  private:
    std::uint64_t state_;
};

}  // namespace sluice
