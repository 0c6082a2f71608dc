#include "base/assert.hpp"
#include "fuzz/fuzz_target.hpp"
#include "json/value.hpp"
#include "yaml/parse.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto& document : sluice::yaml::parse_documents(text)) {
        if (document.value) {
            sluice::json::print(*document.value);
        } else {
            SLUICE_ASSERT(!document.value.error().detail.empty());
        }
    }
    return 0;
}
