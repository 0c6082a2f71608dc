// `SLUICE_ASSERT`: aborts when a condition that only a bug can break is false.
#pragma once

namespace sluice {

/// Prints the failed condition with its place to stderr and aborts. Called by SLUICE_ASSERT only.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

}  // namespace sluice

/// Aborts if `condition` is false, which only a bug in Sluice can cause. Checked in every build, so
/// keep it O(1).
#define SLUICE_ASSERT(condition)        \
    ((condition) ? static_cast<void>(0) \
                 : ::sluice::assertion_failed(#condition, __FILE__, __LINE__))
