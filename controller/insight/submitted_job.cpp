#include "controller/insight/submitted_job.hpp"

#include "controller/jobs/reconciliation/workload_of_job.hpp"
#include "json/value.hpp"
#include "kube/core/kind.hpp"

#include <fmt/format.h>

#include <string>

namespace sluice::controller {

Result<api::Workload> workload_of_submitted(
    const JobKinds& kinds, const Stores& stores, const Settings& settings, std::string_view job
) {
    const auto value = json::parse(job);
    if (!value) {
        return value.error();
    }
    const JobKind* kind =
        kinds.find(kube::group_of(value->string_at("apiVersion")), value->string_at("kind"));
    if (kind == nullptr) {
        return make_invalid(fmt::format(
            "kind \"{}\" of \"{}\" is not managed as a job",
            value->string_at("kind"),
            value->string_at("apiVersion")
        ));
    }
    const auto read = kind->read(stores, settings, std::string(job));
    if (!read) {
        return read.error();
    }
    if ((*read)->metadata().find_label(api::label::kQueueName) == nullptr) {
        return make_invalid(fmt::format("the job has no label {}", api::label::kQueueName));
    }
    auto made = make_workload(stores, *kind, **read, settings);
    if (!made) {
        return make_invalid(made.error().detail);
    }
    return *std::move(made);
}

}  // namespace sluice::controller
