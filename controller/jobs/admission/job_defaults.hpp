#pragma once

#include "api/meta/meta.hpp"
#include "base/error.hpp"
#include "controller/jobs/admission/job_admission.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// The defaults that jobs of all kinds are given.
namespace sluice::controller {

/// Whether jobs of the namespace are managed. Errors: Unavailable when it is not known.
Result<bool> is_managed_namespace(const AdmissionContext& context, const std::string& ns);

/// Gives both the object and its metadata the label.
void set_label(
    json::Value& object, api::ObjectMeta& metadata, const char* key, std::string_view value
);
bool is_labelled(const api::ObjectMeta& job, const char* key);

/// The LocalQueue named `default`, where there is one, the object names none and no job owns it.
/// Errors: as is_managed_namespace().
Result<void> default_queue(
    const AdmissionContext& context, json::Value& object, api::ObjectMeta& job
);

/// Whose admission an object waits for.
enum class Waits : std::uint8_t { ForNone, ForItsOwn, ForOneAbove };

/// Errors: Unavailable when its namespace or an object above it is not known yet.
Result<Waits> find_wait(const AdmissionContext& context, const api::ObjectMeta& job);

/// The WorkloadPriorityClass named `default`, where there is one and the job names none.
void default_priority_class(
    const AdmissionContext& context, json::Value& object, api::ObjectMeta& job
);

}  // namespace sluice::controller
