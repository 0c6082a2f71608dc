#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::apiserver {

/// The form in which a client wants objects.
struct OutputForm {
    enum class As : std::uint8_t { Object, Table, PartialMetadata, PartialMetadataList };
    As as = As::Object;
    std::string version;      ///< of meta.k8s.io, for the other forms: v1 or v1beta1
    bool is_yaml = false;
    bool is_pretty = false;
};

/// The first form that the header Accept names and the server has. Errors: Invalid with status 406
/// when it has none of them.
Result<OutputForm> negotiate(std::string_view accept, bool allows_tables);

/// Whether discovery is asked for in one document: the version of apidiscovery.k8s.io, or "".
std::string aggregated_discovery_version(std::string_view accept);

/// The media type of a header such as Content-Type, in lower case, without parameters.
std::string media_type(std::string_view header);

}  // namespace sluice::apiserver
