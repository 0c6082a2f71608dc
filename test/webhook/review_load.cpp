#include "webhook/review_load.hpp"

#include "base/assert.hpp"

#include <fmt/format.h>

namespace sluice::test {
namespace {

constexpr std::string_view kRequestHead =
    R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{)"
    R"("uid":"load","desiredAPIVersion":"kueue.x-k8s.io/v1beta2","objects":[)";
constexpr std::string_view kRequestTail = "]}}";
constexpr std::string_view kAnswerHead =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{)"
    R"("uid":"load","convertedObjects":[)";
constexpr std::string_view kAnswerTail = R"(],"result":{"status":"Success"}}})";

/// What both versions have in common: the pod template.
std::string make_pod_sets() {
    std::string variables;
    for (int i = 0; i < 20; ++i) {
        variables += fmt::format(
            R"({}{{"name":"VARIABLE_{:02}","value":"the value of number {:02}"}})",
            i == 0 ? "" : ",",
            i,
            i
        );
    }
    return R"("podSets":[{"name":"main","count":4,"template":{"metadata":{"labels":{"a":"b"}},)"
           R"("spec":{"containers":[{"name":"c","image":"registry.example/image:1","env":[)" +
           variables +
           R"(],"resources":{"requests":{"cpu":"250m","memory":"1Gi"}}}],"nodeSelector":{},)"
           R"("restartPolicy":"Never"}}}])";
}

std::string make_object(std::size_t number, bool old) {
    static const std::string pod_sets = make_pod_sets();
    const std::string_view class_before =
        old ? R"("priorityClassName":"high","priorityClassSource":)"
              R"("kueue.x-k8s.io/workloadpriorityclass",)"
            : "";
    const std::string_view class_after =
        old ? ""
            : R"(,"priorityClassRef":{"group":"kueue.x-k8s.io","kind":"WorkloadPriorityClass",)"
              R"("name":"high"})";
    return fmt::format(
        R"({{"apiVersion":"kueue.x-k8s.io/{}","kind":"Workload","metadata":{{)"
        R"("name":"job-{:09}","namespace":"team","uid":"{:09}"}},"spec":{{)"
        R"({}{},"priority":100,"queueName":"main"{}}},"status":{{"{}":7}}}})",
        old ? "v1beta1" : "v1beta2",
        number,
        number,
        class_before,
        pod_sets,
        class_after,
        old ? "accumulatedPastExexcutionTimeSeconds" : "accumulatedPastExecutionTimeSeconds"
    );
}

}  // namespace

ReviewLoad::ReviewLoad(std::size_t bytes) : bytes_(bytes) {
    const auto frame = kRequestHead.size() + kRequestTail.size();
    SLUICE_ASSERT(bytes >= frame + make_object(0, true).size());
    objects_ = (bytes - frame + 1) / (make_object(0, true).size() + 1);
}

std::size_t ReviewLoad::answer_bytes() const {
    return kAnswerHead.size() + objects_ * (make_object(0, false).size() + 1) - 1 +
           kAnswerTail.size();
}

std::string ReviewLoad::piece(std::size_t at, bool of_request) const {
    if (at == 0) {
        return std::string(of_request ? kRequestHead : kAnswerHead);
    }
    if (at <= objects_) {
        return make_object(at, of_request) + (at == objects_ ? "" : ",");
    }
    if (at > objects_ + 1) {
        return {};
    }
    if (!of_request) {
        return std::string(kAnswerTail);
    }
    const auto used = kRequestHead.size() + objects_ * (make_object(0, true).size() + 1) - 1;
    return std::string(bytes_ - used - kRequestTail.size(), ' ') + std::string(kRequestTail);
}

std::string ReviewLoad::whole(bool of_request) const {
    std::string all;
    for (std::size_t at = 0;; ++at) {
        const auto next = piece(at, of_request);
        if (next.empty()) {
            return all;
        }
        all += next;
    }
}

}  // namespace sluice::test
