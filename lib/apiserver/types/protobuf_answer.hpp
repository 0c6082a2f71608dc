#pragma once

#include "apiserver/types/resource_type.hpp"
#include "base/error.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>

/// Answers in protobuf, for clients that take nothing else. Only Kubernetes' own kinds have it.
namespace sluice::apiserver {

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";

/// Whether the client takes protobuf, and JSON not.
bool takes_only_protobuf(std::string_view accept);

/// Whether objects of the type can be answered so.
bool has_protobuf(const ResourceType& type);

/// An object, a list of objects or a Status as a body. Errors: Invalid, of a kind that is not in
/// protobuf_fields.txt, or of a value that its field cannot have.
Result<std::string> encode_protobuf(const json::Value& object);

/// The lines of a watch as frames: each event with its length before it. Errors: as above.
Result<std::string> encode_watch_lines(std::string_view lines);

}  // namespace sluice::apiserver
