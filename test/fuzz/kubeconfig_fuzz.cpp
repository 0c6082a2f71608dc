#include "base/assert.hpp"
#include "fuzz/fuzz_target.hpp"
#include "kube/client/client_config.hpp"
#include "yaml/parse.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    // No input may make the target read devices of the machine it runs on.
    if (text.find("/dev") != std::string_view::npos || text.find('\\') != std::string_view::npos) {
        return 0;
    }
    const auto document = sluice::yaml::parse_document(text);
    if (!document) {
        return 0;
    }
    const auto config = sluice::kube::load_kubeconfig(*document, "", "/nonexistent");
    SLUICE_ASSERT(config.has_value() || !config.error().detail.empty());
    return 0;
}
