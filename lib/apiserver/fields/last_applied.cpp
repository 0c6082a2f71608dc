#include "apiserver/fields/last_applied.hpp"

#include "apiserver/fields/typed_walk.hpp"
#include "apiserver/objects/values.hpp"
#include "json/writer.hpp"

#include <string>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

constexpr std::string_view kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::size_t kAnnotationBytesMax = std::size_t{256} * 1024;

/// Returns the member, an object; sets an empty object if the member is missing.
Value& member_object(Value& object, std::string_view name) {
    Value* member = object.find(name);
    return member != nullptr && member->is_object() ? *member : object.set(name, json::Object());
}

}  // namespace

FieldSet fields_last_applied(
    const Value& live, const Schema& schema, std::string_view api_version
) {
    const Value* text = live.find_path({"metadata", "annotations", kAnnotation});
    if (text == nullptr || !text->is_string()) {
        return {};
    }
    const auto applied = json::parse(text->as_string());
    if (!applied || applied->string_at("apiVersion") != api_version) {
        return {};
    }
    const FieldType type = root_type(schema);
    if (!find_typing_faults(type, *applied).empty()) {
        return {};
    }
    const auto differences = compare(type, *applied, live);
    auto fields = field_set_of(type, *applied);
    fields = set_difference(std::move(fields), differences.modified);
    fields = set_difference(std::move(fields), differences.added);
    return set_difference(std::move(fields), differences.removed);
}

void note_last_applied(const Value& config, Value& object) {
    Value noted = config;
    if (Value* noted_metadata = noted.find("metadata")) {
        noted_metadata->erase("managedFields");
        if (Value* noted_annotations = noted_metadata->find("annotations")) {
            noted_annotations->erase(kAnnotation);
        }
    }
    Value& metadata = member_object(object, "metadata");
    Value& annotations = member_object(metadata, "annotations");
    annotations.set(kAnnotation, json::escape_as_go(json::print_sorted(noted)) + "\n");
    std::size_t size = 0;
    for (const auto& [name, value] : members_of(&annotations)) {
        size += name.size() + (value.is_string() ? value.as_string().size() : 0);
    }
    if (size > kAnnotationBytesMax) {
        annotations.erase(kAnnotation);
    }
}

void keep_last_applied(const Value& config, Value& object) {
    const Value* text = object.find_path({"metadata", "annotations", kAnnotation});
    if (text != nullptr && text->is_string() && !text->as_string().empty()) {
        note_last_applied(config, object);
    }
}

}  // namespace sluice::apiserver
