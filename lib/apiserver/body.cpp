#include "apiserver/body.hpp"

#include "apiserver/failures.hpp"
#include "apiserver/protobuf.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace sluice::apiserver {

namespace {

constexpr std::size_t kDepthMax = 100;
constexpr std::size_t kBytesMax = std::size_t{3} * 1024 * 1024;

bool is_yaml(std::string_view type) {
    return type == "application/yaml" || type == "application/apply-patch+yaml";
}

}  // namespace

std::string media_type(std::string_view content_type) {
    std::string type;
    for (const char c : content_type.substr(0, content_type.find(';'))) {
        if (c != ' ') {
            type += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
    }
    return type;
}

Result<json::Value> read_object(const Request& request) {
    const std::string type = media_type(request.content_type);
    if (type == "application/vnd.kubernetes.protobuf") {
        auto object = decode_protobuf(request.body);
        return object ? std::move(object) : Result<json::Value>(bad_request(object.error().detail));
    }
    if (type == "application/cbor") {
        return unsupported_media_type(
            fmt::format("the body of the request was in an unknown format - accepted media types "
                        "include: application/json, application/yaml")
        );
    }
    if (request.body.empty()) {
        return bad_request("the request body is empty");
    }
    auto object = is_yaml(type)
                      ? yaml::parse_document(request.body, {.bytes = kBytesMax})
                      : json::parse(request.body, {.depth = kDepthMax, .bytes = kBytesMax});
    if (!object) {
        return bad_request(
            "Object 'Kind' is missing or the body cannot be read: " + object.error().detail
        );
    }
    if (!object->is_object()) {
        return bad_request(fmt::format(
            "couldn't get version/kind; json parse error: cannot unmarshal {} into an object",
            json::print(*object).substr(0, 60)
        ));
    }
    return std::move(*object);
}

Result<json::Value> read_object_of(const Request& request, const ResourceType& type) {
    auto object = read_object(request);
    if (!object) {
        return object;
    }
    const std::string version(object->string_at("apiVersion"));
    const std::string kind(object->string_at("kind"));
    if ((!version.empty() && version != type.api_version()) ||
        (!kind.empty() && kind != type.kind)) {
        return bad_request(fmt::format(
            "{} in version \"{}\" cannot be handled as a {}: the object provided is unrecognized",
            kind,
            version,
            type.kind
        ));
    }
    object->set("apiVersion", type.api_version());
    object->set("kind", type.kind);
    json::Value* metadata = object->find("metadata");
    if (metadata == nullptr || metadata->is_null()) {
        object->set("metadata", json::Object());
    } else if (!metadata->is_object()) {
        return bad_request("metadata must be an object");
    }
    return object;
}

}  // namespace sluice::apiserver
