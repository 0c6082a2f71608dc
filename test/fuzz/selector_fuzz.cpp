#include "api/meta/codec.hpp"
#include "api/meta/label_selector.hpp"
#include "base/assert.hpp"
#include "fuzz/fuzz_target.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto read = sluice::api::decode<sluice::api::LabelSelector>(text);
    if (!read) {
        return 0;
    }
    const auto selector = sluice::api::Selector::make(*read);
    if (!selector) {
        SLUICE_ASSERT(!selector.error().detail.empty());
        return 0;
    }
    // The labels that the selector asks for match it, unless its expressions say more.
    if (read->match_expressions.empty()) {
        SLUICE_ASSERT(selector->matches(read->match_labels));
    }
    if (*read == sluice::api::LabelSelector()) {
        SLUICE_ASSERT(selector->matches({}));
    }
    return 0;
}
