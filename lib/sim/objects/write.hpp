// The writes and events that a simulated controller requests.
#pragma once

#include "base/clock.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sluice::sim {

/// An event on the object that is reconciled.
struct Note {
    bool is_warning = false;
    std::string reason;
    std::string message;
};

/// One request of a simulated controller to the API server, in the namespace of the object that is
/// reconciled.
struct Write {
    enum class Verb : std::uint8_t {
        Create,       ///< `body`: the object; its name is appended to a note that ends in ": "
        Patch,        ///< merge patch
        PatchStatus,  ///< merge patch of the status
        Delete,       ///< `body`: DeleteOptions, or empty
        /// `body`: the new status of the object that is reconciled
        ReplaceStatus,
    };
    Verb verb = Verb::Create;
    std::string name{};  ///< unused for Create and ReplaceStatus
    json::Value body = json::Object();
    std::optional<Note> note{};  ///< recorded when the write is accepted
    std::string api_version = "v1";
    std::string kind = "Pod";
    /// True if webhooks are called; false if they are skipped as if they allowed everything.
    bool asks_webhooks = false;
};

/// Maximum number of pods, or Jobs, that a controller creates or deletes in one turn. It then
/// reconciles its object again, because its writes change what the object owns.
inline constexpr std::int64_t kPodsAtOnce = 500;

/// The writes that a simulated controller requests, in this order. A rejected write ends the list,
/// and the object is reconciled again.
struct Outcome {
    std::vector<Write> writes;
    std::vector<Note> notes;
    std::optional<Time> again_at;  ///< reconcile again at this time even without changes
};

}  // namespace sluice::sim
