#include "apiserver/last_applied.hpp"

#include "apiserver/typed_walk.hpp"
#include "apiserver/values.hpp"

#include <string>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

constexpr std::string_view kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::size_t kAnnotationsMax = std::size_t{256} * 1024;

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
    fields = set_difference(fields, differences.modified);
    fields = set_difference(fields, differences.added);
    return set_difference(fields, differences.removed);
}

void keep_last_applied(const Value& config, Value& object) {
    Value* metadata = object.find("metadata");
    Value* annotations = metadata == nullptr ? nullptr : metadata->find("annotations");
    if (annotations == nullptr || annotations->string_at(kAnnotation).empty()) {
        return;
    }
    Value noted = config;
    if (Value* noted_metadata = noted.find("metadata")) {
        noted_metadata->erase("managedFields");
        if (Value* noted_annotations = noted_metadata->find("annotations")) {
            noted_annotations->erase(kAnnotation);
        }
    }
    annotations->set(kAnnotation, json::print_sorted(noted) + "\n");
    std::size_t size = 0;
    for (const auto& [name, value] : members_of(annotations)) {
        size += name.size() + (value.is_string() ? value.as_string().size() : 0);
    }
    if (size > kAnnotationsMax) {
        annotations->erase(kAnnotation);
    }
}

}  // namespace sluice::apiserver
