#include "base/assert.hpp"
#include "config/configuration.hpp"
#include "config/honoured.hpp"
#include "config/validation.hpp"
#include "fuzz/fuzz_target.hpp"
#include "job_kinds/frameworks.hpp"
#include "yaml/parse.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto document = sluice::yaml::parse_document(text);
    if (!document) {
        return 0;
    }
    const auto configuration = sluice::config::parse_configuration(*document, "own");
    if (!configuration) {
        SLUICE_ASSERT(!configuration.error().detail.empty());
        return 0;
    }
    const auto gates = sluice::config::FeatureGates::load("", configuration->feature_gates);
    const auto used = gates ? *gates : sluice::config::FeatureGates();
    sluice::config::validate(*configuration, used, sluice::job_kinds::known_frameworks());
    sluice::config::unsupported_settings(*configuration, used, sluice::config::Command::Controller);
    return 0;
}
