#include "controller/reconcilers/resource_flavor.hpp"

#include "api/kueue/conditions.hpp"
#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "controller/reconcile/finalizer.hpp"
#include "controller/reconcilers/queue_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sluice::controller {

namespace {

/// The message with which Kueue's own controllers set a check to active.
constexpr std::string_view kKueueMessage = "The admission check is active";

/// Returns true if the controller of the check is a part of Kueue that Sluice does not have.
bool is_of_kueue(const api::AdmissionCheck& check) {
    const std::string& name = check.spec.controller_name;
    return name == api::check_controller::kMultiKueue ||
           name == api::check_controller::kProvisioningRequest;
}

/// Returns true if no controller has set the condition Active. A condition that Kueue left behind
/// does not count; one of another controller is not changed.
bool lacks_controller(const api::AdmissionCheck& check) {
    const auto* active = api::find_condition(check.status.conditions, api::condition::kActive);
    return active == nullptr || (is_of_kueue(check) && active->message == kKueueMessage);
}

std::optional<Write> report_missing_controller(
    const ObjectKey& key, const api::AdmissionCheck& check, Time now
) {
    if (check.metadata.deletion_timestamp || !lacks_controller(check)) {
        return std::nullopt;
    }
    api::AdmissionCheck wanted = check;
    const auto& name = check.spec.controller_name;
    set_active(
        wanted.status.conditions,
        {.is_active = false,
         .reason = api::reason::kControllerNotAvailable,
         .message =
             is_of_kueue(check)
                 ? fmt::format("This version of Sluice does not run the controller \"{}\"", name)
                 : fmt::format("The controller \"{}\" has not set this condition", name)},
        check.metadata.generation,
        now
    );
    return patch_status(key, check.metadata, api::to_value(check), api::to_value(wanted));
}

}  // namespace

Outcome reconcile_resource_flavor(const Stores& stores, std::string_view name) {
    Outcome outcome;
    const auto flavor = stores.of<api::ResourceFlavor>().find(name);
    if (!flavor) {
        return outcome;
    }
    const bool is_used = !cluster_queues_of_flavor(stores, std::string(name)).empty();
    if (auto write = keep_finalizer(
            {kind_of<api::ResourceFlavor>(), "", std::string(name)}, flavor->metadata, is_used
        )) {
        outcome.writes.push_back(std::move(*write));
    }
    return outcome;
}

Outcome reconcile_topology(const Stores& stores, std::string_view name) {
    Outcome outcome;
    const auto topology = stores.of<api::Topology>().find(name);
    if (!topology) {
        return outcome;
    }
    const auto& flavors = stores.of<api::ResourceFlavor>().all();
    const bool is_used = std::ranges::any_of(flavors, [&](const auto& entry) {
        return entry.second->spec.topology_name == name;
    });
    if (auto write = keep_finalizer(
            {kind_of<api::Topology>(), "", std::string(name)}, topology->metadata, is_used
        )) {
        outcome.writes.push_back(std::move(*write));
    }
    return outcome;
}

Outcome reconcile_admission_check(const Stores& stores, std::string_view name, Time now) {
    Outcome outcome;
    const auto check = stores.of<api::AdmissionCheck>().find(name);
    if (!check) {
        return outcome;
    }
    const ObjectKey key{kind_of<api::AdmissionCheck>(), "", std::string(name)};
    const bool is_used = !cluster_queues_of_check(stores, key.name).empty();
    auto write = keep_finalizer(key, check->metadata, is_used);
    if (!write) {
        // Not both at once: the two writes would have the same resourceVersion.
        write = report_missing_controller(key, *check, now);
    }
    if (write) {
        outcome.writes.push_back(std::move(*write));
    }
    return outcome;
}

}  // namespace sluice::controller
