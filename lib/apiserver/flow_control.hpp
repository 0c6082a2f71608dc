#pragma once

#include "apiserver/request.hpp"
#include "apiserver/state.hpp"
#include "base/clock.hpp"

#include <string>

/// API priority and fairness, as far as it is told: requests are answered as they come.
namespace sluice::apiserver {

/// The uids of the FlowSchema that a request falls under, and of its level; "": there is none.
struct FlowClass {
    std::string schema;
    std::string level;
};

FlowClass classify_request(const State& state, const Request& request);

/// After a change of a FlowSchema or a level: says in each schema's status whether its level is
/// there.
void settle_flow_schemas(State& state, const Collection& changed, Time now);

/// How many requests each level may have at work, as the text that metrics are asked in.
std::string print_flow_metrics(const State& state);

}  // namespace sluice::apiserver
