// The objects that each namespace gets: its default service account and the CA certificate.
#pragma once

#include "apiserver/state/state.hpp"
#include "base/clock.hpp"

#include <string>

namespace sluice::apiserver {

/// Creates the objects that controllers of a cluster create in each namespace: the service account
/// `default`, which pods need, and the ConfigMap with the certificate of the server.
void furnish_namespace(State& state, const std::string& ns, Time now);
/// Creates these objects again if they were deleted or changed. `name`: the object that was written
/// or removed.
void restore_furniture(
    State& state, const Collection& collection, const ObjectName& name, Time now
);

}  // namespace sluice::apiserver
