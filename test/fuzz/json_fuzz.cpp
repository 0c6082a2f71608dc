#include "base/assert.hpp"
#include "fuzz/fuzz_target.hpp"
#include "json/patch.hpp"
#include "json/value.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto value = sluice::json::parse(text);
    if (!value) {
        return 0;
    }
    const auto printed = sluice::json::print(*value);
    const auto again = sluice::json::parse(printed);
    SLUICE_ASSERT(again.has_value());
    SLUICE_ASSERT(*again == *value);
    // A patch made from nothing leads to everything but nulls, which no merge patch can express.
    sluice::json::Value target{sluice::json::Object{}};
    const auto patch = sluice::json::make_merge_patch(target, *value);
    sluice::json::apply_merge_patch(target, patch);
    const auto rest = sluice::json::make_merge_patch(target, *value);
    sluice::json::apply_merge_patch(target, rest);
    return 0;
}
