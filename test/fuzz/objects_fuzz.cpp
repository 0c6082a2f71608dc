#include "api/admission_check.hpp"
#include "api/admission_review.hpp"
#include "api/cluster_queue.hpp"
#include "api/codec.hpp"
#include "api/cohort.hpp"
#include "api/core.hpp"
#include "api/event.hpp"
#include "api/job.hpp"
#include "api/lease.hpp"
#include "api/local_queue.hpp"
#include "api/pod.hpp"
#include "api/resource_flavor.hpp"
#include "api/topology.hpp"
#include "api/workload.hpp"
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
