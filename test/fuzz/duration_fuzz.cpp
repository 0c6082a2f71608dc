#include "base/assert.hpp"
#include "config/go_duration.hpp"
#include "fuzz/fuzz_target.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto duration = sluice::config::parse_go_duration(text);
    if (!duration) {
        return 0;
    }
    const auto again =
        sluice::config::parse_go_duration(sluice::config::print_go_duration(*duration));
    SLUICE_ASSERT(again.has_value());
    SLUICE_ASSERT(*again == *duration);
    return 0;
}
