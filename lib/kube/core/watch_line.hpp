#pragma once

#include "base/error.hpp"
#include "kube/core/resource_path.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::kube {

enum class WatchEventType : std::uint8_t { Added, Modified, Deleted, Bookmark, Error };

/// One line of a watch. Lifetime: `object` views the line it was decoded from.
struct WatchEvent {
    WatchEventType type = WatchEventType::Added;
    std::string_view object;  ///< the object's JSON, not yet read; of an Error the metav1.Status
    std::string resource_version;  ///< where to resume; empty for Error
    NamespacedName key;            ///< empty for Bookmark and Error
};

/// Decodes one line of a watch up to the object, which goes to the typed decoder as it is.
/// Errors: Invalid for a malformed line, an unknown type, or an object without name or
/// resourceVersion.
Result<WatchEvent> decode_watch_line(std::string_view line);

}  // namespace sluice::kube
