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

/// One request of a simulated controller to the API server, in the namespace of the object that it
/// reconciles.
struct Write {
    enum class Verb : std::uint8_t {
        Create,       ///< `body`: the object; its name is added to a note that ends in ": "
        Patch,        ///< merge patch
        PatchStatus,  ///< the same of the status
        Delete,       ///< `body`: DeleteOptions, or nothing
        /// `body`: the status of the object that was reconciled
        ReplaceStatus,
    };
    Verb verb = Verb::Create;
    std::string name{};  ///< unused where none is there, or that of the reconciled object is meant
    json::Value body = json::Object();
    std::optional<Note> note{};  ///< told when the write was accepted
    std::string api_version = "v1";
    std::string kind = "Pod";
    /// Webhooks are asked; else they are passed over as if they allowed all.
    bool asks_webhooks = false;
};

/// So many pods, or Jobs, a controller makes, or deletes, in one turn; then it looks at its object
/// again, as what it wrote changes what it owns.
inline constexpr std::int64_t kPodsAtOnce = 500;

/// What a simulated controller wants done, in this order; a write that is refused ends the row, and
/// the object is reconciled again.
struct Outcome {
    std::vector<Write> writes;
    std::vector<Note> notes;
    std::optional<Time> again_at;  ///< reconcile again then, whatever happens
};

}  // namespace sluice::sim
