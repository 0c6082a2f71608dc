#include "cel/functions/dispatch.hpp"

#include <fmt/format.h>

namespace sluice::cel {
namespace {

bool fits_type(const Type& type, const Value& value) {
    switch (type.kind) {
        case Kind::Bool:
            return value.is<bool>();
        case Kind::Int:
            return value.is<std::int64_t>();
        case Kind::Uint:
            return value.is<std::uint64_t>();
        case Kind::Double:
            return value.is<double>();
        case Kind::String:
            return value.is<Text>();
        case Kind::Bytes:
            return value.is<Bytes>();
        case Kind::Duration:
            return value.is<Duration>();
        case Kind::Timestamp:
            return value.is<Timestamp>();
        case Kind::List:
            return value.list() != nullptr;
        case Kind::Map:
            return value.map() != nullptr;
        case Kind::Optional:
            return value.is<Optional>();
        case Kind::Type:
            return value.is<TypeName>();
        case Kind::Null:
            return value.is_null();
        case Kind::Opaque:
            return value.opaque() != nullptr && value.opaque()->type_name() == type.name;
        case Kind::Error:
        case Kind::Dyn:
        case Kind::Object:
        case Kind::Parameter:
            break;
    }
    return true;
}

}  // namespace

bool fits(const Overload& overload, std::span<const Value> arguments) {
    if (overload.parameters.size() != arguments.size()) {
        return false;
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!fits_type(*overload.parameters[i], arguments[i])) {
            return false;
        }
    }
    return true;
}

const Overload* find_fitting(
    std::string_view function, bool is_member, std::span<const Value> arguments
) {
    const Overload* own = nullptr;
    for (const Overload& overload : find_overloads(function)) {
        if (overload.is_member != is_member || overload.parameters.size() != arguments.size()) {
            continue;
        }
        if (fits(overload, arguments)) {
            return &overload;
        }
        own = overload.guard == Guard::Own ? &overload : own;
    }
    return own;
}

Value refuse_call(std::string_view function, std::span<const Value> arguments) {
    std::string types;
    for (const Value& argument : arguments) {
        types += types.empty() ? "" : ", ";
        types += type_name(argument);
    }
    return make_failure(fmt::format("no such overload: {}({})", function, types));
}

}  // namespace sluice::cel
