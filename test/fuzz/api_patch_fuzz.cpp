#include "base/assert.hpp"
#include "fuzz/api_state.hpp"
#include "fuzz/fuzz_target.hpp"

#include <array>
#include <string>
#include <string_view>

namespace {

constexpr std::array<std::string_view, 4> kMediaTypes{
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml"
};
constexpr std::array<std::string_view, 4> kTargets{
    "/api/v1/namespaces/default/configmaps/base",
    "/apis/batch/v1/namespaces/default/jobs/job",
    "/api/v1/namespaces/default/pods/pod",
    "/apis/example.com/v1/namespaces/default/widgets/widget"
};

}  // namespace

/// The first byte chooses object, kind of patch, and whether conflicts are forced; the rest is the
/// patch.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view patch(reinterpret_cast<const char*>(data + 1), size - 1);
    const std::string_view media_type = kMediaTypes[data[0] % 4U];
    std::string target(kTargets[data[0] / 4U % 4U]);
    target += "?fieldManager=fuzz";
    const bool is_apply = media_type == kMediaTypes[3];
    if (is_apply && data[0] / 16U % 2U == 1U) {
        target += "&force=true";
    }
    const auto server = sluice::test::make_filled_server();
    const auto first = sluice::test::send(*server, "PATCH", target, media_type, patch);
    sluice::test::check_stored(*server);
    // The same once more changes nothing, as time stands still.
    if (first.status == 200 && (is_apply || media_type == kMediaTypes[0])) {
        const auto second = sluice::test::send(*server, "PATCH", target, media_type, patch);
        // One that names the version that was is refused.
        SLUICE_ASSERT(second.status == 409 || second.status == 200);
        SLUICE_ASSERT(second.status == 409 || second.body == first.body);
    }
    return 0;
}
