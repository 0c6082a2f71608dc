#include "apiserver/core.hpp"

#include "api/micro_time.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::apiserver {

std::string Core::make_uid() {
    const std::uint64_t high = prng.next();
    const std::uint64_t low = prng.next();
    return fmt::format(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        static_cast<std::uint32_t>(high >> 32),
        static_cast<std::uint16_t>(high >> 16),
        high & 0xfff,
        (low >> 48 & 0x3fff) | 0x8000,
        low & 0xffffffffffff
    );
}

std::string Core::make_name_suffix() {
    // Neither vowels nor what looks like them, so that no words come out.
    static constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
    std::string suffix;
    for (int i = 0; i < 5; ++i) {
        suffix += kLetters[prng.below(kLetters.size())];
    }
    return suffix;
}

std::string Core::timestamp() const {
    return api::to_string(now);
}

std::string Scope::manager() const {
    if (!field_manager.empty()) {
        return field_manager;
    }
    std::string prefix = request.user_agent.substr(0, request.user_agent.find('/'));
    static constexpr std::size_t kBytesMax = 128;
    if (prefix.size() > kBytesMax) {
        prefix.resize(kBytesMax);
    }
    return prefix.empty() ? "unknown" : prefix;
}

void Scope::warn(std::string text) {
    if (std::ranges::find(warnings, text) == warnings.end()) {
        warnings.push_back(std::move(text));
    }
}

}  // namespace sluice::apiserver
