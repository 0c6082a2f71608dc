// The protobuf messages of Kubernetes' own kinds and their fields.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

/// The table of protobuf_fields.txt, parsed.
namespace sluice::apiserver {

/// The bytes that a protobuf body begins with.
inline constexpr std::string_view kProtobufMagic{"k8s\0", 4};
/// The prefix of the names of metav1 messages.
inline constexpr std::string_view kMetaMessages = "k8s.io.apimachinery.pkg.apis.meta.v1.";
/// The prefix of the names of the messages of CustomResourceDefinitions.
inline constexpr std::string_view kDefinitionMessages =
    "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.";

/// A field of a message.
struct ProtobufField {
    std::string name;
    std::string type;  ///< a scalar type or the name of a message
    bool is_list = false;
    bool is_map = false;
    bool may_be_absent = false;  ///< optional in protobuf: a zero value is not the same as no value
    bool is_inline = false;      ///< JSON has the members of the message in place of the field
};

/// The fields of a message, by their number.
using ProtobufMessage = std::map<std::uint64_t, ProtobufField>;

/// Returns the messages by their name.
const std::map<std::string, ProtobufMessage, std::less<>>& protobuf_messages();

/// Returns the name of the message of a kind, such as `batch/v1` and `Job`.
std::string protobuf_message_of(std::string_view api_version, std::string_view kind);

}  // namespace sluice::apiserver
