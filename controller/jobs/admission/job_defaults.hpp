// The defaults that webhooks set in jobs of every kind.
#pragma once

#include "api/meta/meta.hpp"
#include "base/error.hpp"
#include "controller/jobs/admission/kind_admission.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>

/// The defaults for jobs of all kinds: queue and priority class.
namespace sluice::controller {

/// Returns true if jobs of the namespace are managed. Errors: Unavailable if the namespace is
/// unknown.
Result<bool> is_managed_namespace(const AdmissionContext& context, const std::string& ns);

/// Sets the label in the object and in its metadata.
void set_label(
    json::Value& object, api::ObjectMeta& metadata, const char* key, std::string_view value
);
/// Returns true if the label has a value that is not empty.
bool is_labelled(const api::ObjectMeta& job, const char* key);

/// Sets the LocalQueue named `default` if it exists, the namespace is managed, the job names no
/// queue and no job owns it. Errors: as is_managed_namespace().
Result<void> default_queue(
    const AdmissionContext& context, json::Value& object, api::ObjectMeta& job
);

/// The admission that an object waits for: none, its own, or that of an object above it.
enum class Waits : std::uint8_t { ForNone, ForItsOwn, ForOneAbove };

/// Returns the admission that the job waits for. Errors: Unavailable if its namespace or an object
/// above it is not known yet.
Result<Waits> find_wait(const AdmissionContext& context, const api::ObjectMeta& job);

/// Sets the WorkloadPriorityClass named `default` if it exists, the job names none and no job owns
/// it.
void default_priority_class(
    const AdmissionContext& context, json::Value& object, api::ObjectMeta& job
);

}  // namespace sluice::controller
