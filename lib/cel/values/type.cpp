#include "cel/values/type.hpp"

#include "base/assert.hpp"

#include <array>
#include <utility>

namespace sluice::cel {
namespace {

constexpr std::array<std::pair<Kind, std::string_view>, 12> kNames{{
    {Kind::Error, "!error!"},
    {Kind::Dyn, "dyn"},
    {Kind::Null, "null"},
    {Kind::Bool, "bool"},
    {Kind::Int, "int"},
    {Kind::Uint, "uint"},
    {Kind::Double, "double"},
    {Kind::String, "string"},
    {Kind::Bytes, "bytes"},
    {Kind::Duration, "duration"},
    {Kind::Timestamp, "timestamp"},
    {Kind::Type, "type"},
}};

TypePtr make_composite(Kind kind, std::vector<TypePtr> parameters) {
    auto type = std::make_shared<Type>();
    type->kind = kind;
    type->parameters = std::move(parameters);
    return type;
}

std::string_view simple_name(Kind kind) {
    for (const auto& [each, name] : kNames) {
        if (each == kind) {
            return name;
        }
    }
    return {};
}

std::string_view composite_name(Kind kind) {
    return kind == Kind::List       ? "list"
           : kind == Kind::Map      ? "map"
           : kind == Kind::Optional ? "optional_type"
                                    : "type";
}

/// Reads one type from the front of the text.
class SignatureReader {
  public:
    explicit SignatureReader(std::string_view text) : text_(text) {}

    TypePtr read() {
        const auto end = text_.find_first_of("(),");
        const auto word = text_.substr(0, end);
        text_.remove_prefix(word.size());
        if (word.size() == 1 && word[0] >= 'A' && word[0] <= 'Z') {
            return make_parameter(word);
        }
        std::vector<TypePtr> parameters;
        if (!text_.empty() && text_.front() == '(') {
            parameters = read_parameters();
        }
        for (const auto kind : {Kind::List, Kind::Map, Kind::Optional, Kind::Type}) {
            if (!parameters.empty() && composite_name(kind) == word) {
                return make_composite(kind, std::move(parameters));
            }
        }
        for (const auto& [kind, name] : kNames) {
            if (name == word) {
                return simple_type(kind);
            }
        }
        return make_opaque_type(std::string(word));
    }

  private:
    static TypePtr make_parameter(std::string_view name) {
        auto type = std::make_shared<Type>();
        type->kind = Kind::Parameter;
        type->name = name;
        return type;
    }

    std::vector<TypePtr> read_parameters() {
        std::vector<TypePtr> parameters;
        do {
            text_.remove_prefix(1);
            while (!text_.empty() && text_.front() == ' ') {
                text_.remove_prefix(1);
            }
            parameters.push_back(read());
            SLUICE_ASSERT(!text_.empty());
        } while (text_.front() == ',');
        text_.remove_prefix(1);
        return parameters;
    }

    std::string_view text_;
};

}  // namespace

const TypePtr& simple_type(Kind kind) {
    static const auto kTypes = [] {
        std::array<TypePtr, 18> types;
        for (const auto& [each, name] : kNames) {
            auto type = std::make_shared<Type>();
            type->kind = each;
            types.at(static_cast<std::size_t>(each)) = std::move(type);
        }
        return types;
    }();
    const TypePtr& type = kTypes.at(static_cast<std::size_t>(kind));
    SLUICE_ASSERT(type != nullptr);
    return type;
}

TypePtr make_list_type(TypePtr item) {
    return make_composite(Kind::List, {std::move(item)});
}

TypePtr make_map_type(TypePtr key, TypePtr value) {
    return make_composite(Kind::Map, {std::move(key), std::move(value)});
}

TypePtr make_optional_type(TypePtr value) {
    return make_composite(Kind::Optional, {std::move(value)});
}

TypePtr make_type_type(TypePtr of) {
    return make_composite(Kind::Type, {std::move(of)});
}

TypePtr make_opaque_type(std::string name) {
    auto type = std::make_shared<Type>();
    type->kind = Kind::Opaque;
    type->name = std::move(name);
    return type;
}

bool is_same_type(const Type& a, const Type& b) {
    if (&a == &b) {
        return true;
    }
    if (a.kind != b.kind || a.name != b.name || a.variable != b.variable ||
        a.parameters.size() != b.parameters.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.parameters.size(); ++i) {
        if (!is_same_type(*a.parameters[i], *b.parameters[i])) {
            return false;
        }
    }
    return true;
}

std::string print_type(const Type& type, std::string_view scope) {
    if (type.kind == Kind::Object) {
        return !scope.empty() && type.name.starts_with(scope)
                   ? "selfType" + type.name.substr(scope.size())
                   : type.name;
    }
    if (type.kind == Kind::Opaque) {
        return type.name;
    }
    if (type.kind == Kind::Parameter) {
        return type.variable < 0 ? type.name : "_var" + std::to_string(type.variable);
    }
    if (type.parameters.empty()) {
        return std::string(simple_name(type.kind));
    }
    std::string text(composite_name(type.kind));
    for (std::size_t i = 0; i < type.parameters.size(); ++i) {
        text += i == 0 ? "(" : ", ";
        text += print_type(*type.parameters[i], scope);
    }
    return text + ")";
}

TypePtr parse_type(std::string_view text) {
    return SignatureReader(text).read();
}

}  // namespace sluice::cel
