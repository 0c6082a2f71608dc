#pragma once

namespace sluice {

/// Prints the failed condition with its place to stderr and aborts. Called by SLUICE_ASSERT only.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace sluice

/// States what only a bug in Sluice could make false. On in every build, so keep it O(1).
#define SLUICE_ASSERT(condition)        \
    ((condition) ? static_cast<void>(0) \
                 : ::sluice::assertion_failed(#condition, __FILE__, __LINE__))
