#include "api/meta/type_info.hpp"

#include "json/value.hpp"

#include <utility>

namespace sluice::api {
namespace {

template <Shape S>
const TypeInfo& scalar() {
    static const TypeInfo kInfo{.shape = S};
    return kInfo;
}

}  // namespace

bool operator==(const RawJson& a, const RawJson& b) {
    if (a.text_ == b.text_ || a.view() == b.view()) {
        return true;
    }
    if (a.empty() || b.empty()) {
        return false;
    }
    const auto left = json::parse(a.view());
    const auto right = json::parse(b.view());
    return left && right && *left == *right;
}

const Field* TypeInfo::find(std::string_view name) const {
    for (const Field& field : fields) {
        if (field.name == name) {
            return &field;
        }
    }
    return nullptr;
}

bool is_always_printed(std::string_view cell) {
    int depth = 0;
    for (std::size_t i = 0; i < cell.size(); ++i) {
        const char c = cell[i];
        depth += c == '[' || c == '{' || c == '(' ? 1 : c == ']' || c == '}' || c == ')' ? -1 : 0;
        const bool starts = i == 0 || cell[i - 1] == ' ';
        const bool ends = i + 1 == cell.size() || cell[i + 1] == ' ';
        if (depth == 0 && (c == 'R' || c == 'P') && starts && ends) {
            return true;
        }
    }
    return false;
}

Field v1beta1_field(
    std::string_view name, std::string_view cell, std::string_view doc, std::vector<Field> children
) {
    Field field;
    field.name = name;
    field.v1beta2 = "-";
    field.v1beta1 = cell;
    field.doc = doc;
    field.children = std::move(children);
    return field;
}

const TypeInfo& Builtin<bool>::type() {
    return scalar<Shape::Bool>();
}
const TypeInfo& Builtin<std::int32_t>::type() {
    return scalar<Shape::Int32>();
}
const TypeInfo& Builtin<std::int64_t>::type() {
    return scalar<Shape::Int64>();
}
const TypeInfo& Builtin<std::string>::type() {
    return scalar<Shape::String>();
}
const TypeInfo& Builtin<Time>::type() {
    return scalar<Shape::Time>();
}
const TypeInfo& Builtin<MicroTime>::type() {
    return scalar<Shape::MicroTime>();
}
const TypeInfo& Builtin<Quantity>::type() {
    return scalar<Shape::Quantity>();
}
const TypeInfo& Builtin<RawJson>::type() {
    return scalar<Shape::Json>();
}

}  // namespace sluice::api
