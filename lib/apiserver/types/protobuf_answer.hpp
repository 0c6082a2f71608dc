// Encodes answers in protobuf, for clients that do not accept JSON.
#pragma once

#include "apiserver/types/resource_type.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>

/// Answers in protobuf, for clients that accept nothing else. Only Kubernetes' own kinds have them.
namespace sluice::apiserver {

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";

/// Returns true if the client accepts protobuf but not JSON.
bool takes_only_protobuf(std::string_view accept);

/// Returns true if objects of the type can be encoded in protobuf.
bool has_protobuf(const ResourceType& type);

/// Encodes an object, a list of objects or a Status as a body. Errors: Invalid for a kind that is
/// not in protobuf_fields.txt, and for a value that does not fit its field.
Result<std::string> encode_protobuf(const json::Value& object);

/// Encodes the lines of a watch as frames: each event with its length before it. Errors: as for
/// encode_protobuf().
Result<std::string> encode_watch_lines(std::string_view lines);

}  // namespace sluice::apiserver
