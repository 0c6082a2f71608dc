// Decodes one line of a watch response, except the object in it.
#pragma once

#include "base/error.hpp"
#include "kube/core/resource_path.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::kube {

enum class WatchEventType : std::uint8_t { Added, Modified, Deleted, Bookmark, Error };

/// One line of a watch. Lifetime: `object` points into the line it was decoded from.
struct WatchEvent {
    WatchEventType type = WatchEventType::Added;
    std::string_view object;  ///< the object's JSON, not yet decoded; for Error, the metav1.Status
    std::string resource_version;  ///< the version to resume from; empty for Error
    NamespacedName key;            ///< empty for Bookmark and Error
};

/// Decodes one line of a watch. The object stays text, for the typed decoder. Errors: Invalid if
/// the line is malformed, the type is unknown, or the object has no name or resourceVersion.
Result<WatchEvent> decode_watch_line(std::string_view line);

}  // namespace sluice::kube
