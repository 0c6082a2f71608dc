#include "validation/job_rules.hpp"

#include "support/objects.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace sluice::validation {
namespace {

using config::FeatureGates;
using test::object;

api::ObjectMeta meta(std::string_view text) {
    return object<api::ObjectMeta>(fmt::format("{{{}}}", text));
}

JobFacts facts(const api::ObjectMeta& metadata, bool is_suspended = true) {
    return {
        .metadata = metadata,
        .group_version_kind = "batch/v1, Kind=Job",
        .is_suspended = is_suspended,
        .may_be_prebuilt = true,
        .may_be_elastic = true,
    };
}

struct Row {
    std::string job;
    std::string errors;
};

struct Change {
    std::string before;
    std::string after;
    bool is_suspended;
    std::string errors;
};

const std::string kQueue = "metadata.labels[kueue.x-k8s.io/queue-name]: ";
const std::string kTime = "metadata.labels[kueue.x-k8s.io/max-exec-time-seconds]: ";
const std::string kClass = "metadata.labels[kueue.x-k8s.io/priority-class]: ";
const std::string kPrebuilt = "kueue.x-k8s.io/prebuilt-workload-name";

}  // namespace

TEST_CASE("labels and annotations of a new job", "[validation]") {
    const auto row = GENERATE(
        Row{"labels: {kueue.x-k8s.io/queue-name: q.a, kueue.x-k8s.io/max-exec-time-seconds: \"5\"}",
            ""},
        Row{"labels: {kueue.x-k8s.io/queue-name: A_b}",
            kQueue + "Invalid value: \"A_b\": a lowercase RFC 1123 subdomain must consist of lower "
                     "case alphanumeric characters, '-' or '.', and must start and end with an "
                     "alphanumeric character (e.g. 'example.com', regex used for validation is "
                     "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"},
        Row{"labels: {kueue.x-k8s.io/max-exec-time-seconds: x}",
            kTime + "Invalid value: \"x\": strconv.Atoi: parsing \"x\": invalid syntax"},
        Row{"labels: {kueue.x-k8s.io/max-exec-time-seconds: \"0\"}",
            kTime + "Invalid value: 0: should be greater than 0"}
    );
    CAPTURE(row.job);
    const auto metadata = meta(row.job);
    CHECK(aggregate_text(validate(facts(metadata), FeatureGates())) == row.errors);
}

TEST_CASE("what other kinds cannot have is refused by their name", "[validation]") {
    const auto prebuilt = meta("labels: {" + kPrebuilt + ": w}");
    JobFacts job = facts(prebuilt);
    job.group_version_kind = "apps/v1, Kind=X";
    CHECK(validate(job, FeatureGates()).empty());
    job.may_be_prebuilt = false;
    CHECK(
        aggregate_text(validate(job, FeatureGates())) ==
        "metadata.labels[" + kPrebuilt + "]: Forbidden: Is not supported for \"apps/v1, Kind=X\""
    );
    const auto elastic = meta("annotations: {kueue.x-k8s.io/elastic-job: \"true\"}");
    JobFacts other = facts(elastic);
    CHECK(validate(other, FeatureGates()).empty());
    other.may_be_elastic = false;
    CHECK(
        aggregate_text(validate(other, FeatureGates())) ==
        "metadata.annotations[kueue.x-k8s.io/elastic-job]: Forbidden: elastic job is not "
        "supported for \"batch/v1, Kind=Job\""
    );
}

TEST_CASE("the annotation names the prebuilt Workload before the label does", "[validation]") {
    const auto both = meta("labels: {" + kPrebuilt + ": w}, annotations: {" + kPrebuilt + ": A}");
    CHECK(aggregate_text(validate(facts(both), FeatureGates()))
              .starts_with("metadata.annotations[" + kPrebuilt + "]: Invalid value: \"A\""));
    const auto off = *FeatureGates::from_map({{"WorkloadIdentifierAnnotations", false}});
    CHECK(validate(facts(both), off).empty());
}

TEST_CASE("what of a job may change, and when", "[validation]") {
    const std::string q = "labels: {kueue.x-k8s.io/queue-name: q}";
    const std::string r = "labels: {kueue.x-k8s.io/queue-name: r}";
    const std::string fast = "labels: {kueue.x-k8s.io/priority-class: fast}";
    const std::string slow = "labels: {kueue.x-k8s.io/priority-class: slow}";
    const std::string hour = "labels: {kueue.x-k8s.io/max-exec-time-seconds: \"3600\"}";
    const std::string elastic = "annotations: {kueue.x-k8s.io/elastic-job: \"true\"}";
    const auto change = GENERATE_COPY(
        Change{q, r, true, ""},
        Change{q, q, false, ""},
        Change{q, r, false, kQueue + "Invalid value: \"r\": field is immutable"},
        Change{q, "", true, ""},
        Change{"", fast, true, ""},
        Change{fast, slow, false, ""},
        Change{
            "",
            fast,
            false,
            kClass + "Invalid value: \"fast\": WorkloadPriorityClass cannot be added to a "
                     "non-suspended workload"
        },
        Change{
            fast,
            "",
            true,
            kClass + "Invalid value: \"\": WorkloadPriorityClass cannot be removed from a "
                     "workload"
        },
        Change{"", hour, true, ""},
        Change{"", hour, false, kTime + "Invalid value: \"3600\": field is immutable"},
        Change{
            "",
            elastic,
            true,
            "metadata.annotations[kueue.x-k8s.io/elastic-job]: Invalid value: true: field is "
            "immutable"
        },
        Change{"labels: {" + kPrebuilt + ": w}", "labels: {" + kPrebuilt + ": v}", true, ""},
        Change{
            "labels: {" + kPrebuilt + ": w}",
            "labels: {" + kPrebuilt + ": v}",
            false,
            "metadata.labels[" + kPrebuilt + "]: Invalid value: \"v\": field is immutable"
        }
    );
    CAPTURE(change.before, change.after);
    const auto before = meta(change.before);
    const auto after = meta(change.after);
    CHECK(
        aggregate_text(validate_update(
            facts(before, change.is_suspended),
            facts(after, change.is_suspended),
            DefaultQueue::Absent,
            FeatureGates()
        )) == change.errors
    );
}

TEST_CASE("where there is a default queue a job keeps its name of one", "[validation]") {
    const auto before = meta("labels: {kueue.x-k8s.io/queue-name: q}");
    const auto after = meta("");
    const auto errors_of = [&](DefaultQueue queue) {
        return aggregate_text(validate_update(facts(before), facts(after), queue, FeatureGates()));
    };
    CHECK(errors_of(DefaultQueue::Absent) == "");
    CHECK(
        errors_of(DefaultQueue::Present) ==
        kQueue +
            "Invalid value: \"\": queue-name must not be empty in namespace with default "
            "queue"
    );
}

}  // namespace sluice::validation
