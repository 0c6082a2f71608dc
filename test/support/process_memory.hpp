#pragma once

#include <cstddef>
#include <fstream>
#include <string>

namespace sluice::test {

/// Sanitizers keep freed memory and surround all other, so that what a process holds says nothing.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kMemoryIsMeasurable = false;
#else
inline constexpr bool kMemoryIsMeasurable = true;
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryIsMeasurable = false;
#else
inline constexpr bool kMemoryIsMeasurable = true;
#endif

/// A line of /proc/self/status in bytes: VmRSS, RssAnon, RssFile, VmHWM (the highest VmRSS).
inline std::size_t memory_of_process(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        std::size_t kib = 0;
        if (word == name + ":" && status >> kib) {
            return kib * 1024;
        }
    }
    return 0;
}

}  // namespace sluice::test
