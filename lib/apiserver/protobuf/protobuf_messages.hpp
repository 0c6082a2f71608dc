#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

/// What protobuf_fields.txt says, read.
namespace sluice::apiserver {

/// What a body begins with.
inline constexpr std::string_view kProtobufMagic{"k8s\0", 4};
inline constexpr std::string_view kMetaMessages = "k8s.io.apimachinery.pkg.apis.meta.v1.";
inline constexpr std::string_view kDefinitionMessages =
    "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.";

struct ProtobufField {
    std::string name;
    std::string type;  ///< a scalar, or a message
    bool is_list = false;
    bool is_map = false;
    bool may_be_absent = false;
    bool is_inline = false;
};

/// By number.
using ProtobufMessage = std::map<std::uint64_t, ProtobufField>;

/// By name.
const std::map<std::string, ProtobufMessage, std::less<>>& protobuf_messages();

/// `batch/v1` and `Job` as the name of the message.
std::string protobuf_message_of(std::string_view api_version, std::string_view kind);

}  // namespace sluice::apiserver
