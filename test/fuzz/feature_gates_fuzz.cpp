#include "base/assert.hpp"
#include "config/feature_gates.hpp"
#include "fuzz/fuzz_target.hpp"

#include <cstddef>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto gates = sluice::config::FeatureGates::parse(text);
    if (!gates) {
        return 0;
    }
    for (std::size_t i = 0; i < sluice::config::kFeatures.size(); ++i) {
        const auto feature = static_cast<sluice::config::Feature>(i);
        for (const auto need : sluice::config::dependencies_of(feature)) {
            SLUICE_ASSERT(!gates->is_enabled(feature) || gates->is_enabled(need));
        }
    }
    return 0;
}
