#include "api/core/admission_review.hpp"
#include "api/core/core.hpp"
#include "api/core/event.hpp"
#include "api/core/job.hpp"
#include "api/core/lease.hpp"
#include "api/core/pod.hpp"
#include "api/kueue/admission_check.hpp"
#include "api/kueue/cluster_queue.hpp"
#include "api/kueue/cohort.hpp"
#include "api/kueue/local_queue.hpp"
#include "api/kueue/resource_flavor.hpp"
#include "api/kueue/topology.hpp"
#include "api/kueue/workload.hpp"
#include "api/meta/codec.hpp"
#include "base/assert.hpp"
#include "fuzz/fuzz_target.hpp"

#include <array>
#include <string_view>

namespace {

/// What is read is written so that it is read as the same again.
template <class T>
void check(std::string_view text) {
    const auto object = sluice::api::decode<T>(text);
    if (!object) {
        return;
    }
    const auto again = sluice::api::decode<T>(sluice::api::encode(*object));
    SLUICE_ASSERT(again.has_value());
    SLUICE_ASSERT(*again == *object);
}

}  // namespace

/// The text after the first byte is read as the kind that the first byte chooses.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace sluice::api;
    constexpr std::array kChecks = {
        check<AdmissionCheck>,
        check<ClusterQueue>,
        check<Cohort>,
        check<Event>,
        check<Job>,
        check<Lease>,
        check<LocalQueue>,
        check<Pod>,
        check<ResourceFlavor>,
        check<Topology>,
        check<Workload>,
        check<Namespace>,
        check<LimitRange>,
    };
    if (size > 0) {
        const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
        kChecks[data[0] % kChecks.size()](text);
    }
    return 0;
}
