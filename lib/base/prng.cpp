#include "base/prng.hpp"

#include "base/assert.hpp"

#include <random>

namespace sluice {

std::uint64_t random_seed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32U) | device();
}

std::uint64_t Prng::next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

std::uint64_t Prng::below(std::uint64_t bound) {
    return bound == 0 ? 0 : next() % bound;
}

std::int64_t Prng::between(std::int64_t low, std::int64_t high) {
    SLUICE_ASSERT(low <= high);
    const auto span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    return static_cast<std::int64_t>(
        static_cast<std::uint64_t>(low) + (span == 0 ? next() : below(span))
    );
}

bool Prng::chance(unsigned percent) {
    return below(100) < percent;
}

}  // namespace sluice
