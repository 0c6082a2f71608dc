#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::sim {

/// An event on the object that was reconciled.
struct Note {
    bool is_warning = false;
    std::string reason;
    std::string message;
};

/// One request of a simulated controller to the API server.
struct Write {
    enum class Verb : std::uint8_t {
        CreatePod,       ///< `body`: the pod; its name is added to the note
        PatchPod,        ///< merge patch of a pod
        PatchPodStatus,  ///< the same of its status
        DeletePod,
        ReplaceStatus,  ///< `body`: the status of the object that was reconciled
        BindPod,        ///< `body`: the name of the node
    };
    Verb verb = Verb::CreatePod;
    std::string pod{};  ///< its name; unused where none is there
    json::Value body{};
    std::optional<Note> note{};  ///< told when the write was accepted
};

/// What a simulated controller wants done, in this order; a write that is refused ends the row, and
/// the object is reconciled again.
struct Outcome {
    std::vector<Write> writes;
    std::vector<Note> notes;
    std::optional<Time> again_at;  ///< reconcile again then, whatever happens
};

}  // namespace sluice::sim
