#pragma once

#include <cstdint>

namespace sluice::bench {

/// How often operator new of this program was called.
std::uint64_t allocation_count();
/// Bytes that it has given out and not got back, as malloc rounds them up. They are counted from
/// the first call on, which slows each allocation: only differences mean something.
std::int64_t live_bytes();

}  // namespace sluice::bench
