#pragma once

#include "engine/engine.hpp"
#include "engine/names_audit.hpp"
#include "engine/state/audit.hpp"
#include "engine/topology_audit.hpp"

#include <stdexcept>

namespace sluice::engine {

/// Throws std::logic_error with what an audit of the state finds first.
inline void require_sound(const State& state) {
    if (const auto faults = audit(state); !faults.empty()) {
        throw std::logic_error("audit: " + faults.front().what);
    }
    if (const auto fault = NamesAudit(state).run(); !fault.empty()) {
        throw std::logic_error("audit: " + fault);
    }
    if (const auto fault = TopologyAudit(state).run(); !fault.empty()) {
        throw std::logic_error("audit: " + fault);
    }
}

/// As apply(), and an audit.
inline void apply_audited(State& state, const Event& event, Time now) {
    apply(state, event, now);
    require_sound(state);
}

/// As run_cycle(), and an audit.
inline CycleResult run_cycle_audited(State& state, Time now) {
    CycleResult result = run_cycle(state, now);
    require_sound(state);
    return result;
}

}  // namespace sluice::engine
