#include "api/meta/quantity.hpp"
#include "base/assert.hpp"
#include "fuzz/fuzz_target.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto quantity = sluice::api::Quantity::parse(text);
    if (!quantity) {
        return 0;
    }
    // The canonical form is read back as the same number and is its own canonical form.
    const auto printed = quantity->to_string();
    const auto again = sluice::api::Quantity::parse(printed);
    SLUICE_ASSERT(again.has_value());
    SLUICE_ASSERT(*again == *quantity);
    SLUICE_ASSERT(again->to_string() == printed);
    SLUICE_ASSERT(quantity->sign() >= 0 || quantity->value() < 0);
    SLUICE_ASSERT(quantity->sign() <= 0 || quantity->milli_value() > 0);
    return 0;
}
