#include "apiserver/fields/typed_walk.hpp"
#include "apiserver/objects/go_text.hpp"
#include "apiserver/objects/values.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

constexpr std::size_t kTypingFaultsMax = 100;

class TypeChecker {
  public:
    void check(const FieldType& type, const Value& value, int depth) {
        if (depth > kObjectDepthMax || value.is_null() || faults_.size() >= kTypingFaultsMax) {
            return;
        }
        if (type.schema != nullptr && !has_form(*type.schema, value)) {
            return;
        }
        if (value.is_array()) {
            check_list(type, value.as_array(), depth);
        } else if (value.is_object()) {
            check_map(type, value, depth);
        }
    }

    std::vector<std::string> take() { return std::move(faults_); }

  private:
    void refuse(std::string_view what) {
        faults_.push_back(printed(path_) + ": " + std::string(what));
    }

    bool has_form(const Schema& schema, const Value& value) {
        switch (schema.type) {
            case Schema::Type::Any:
                return true;
            case Schema::Type::Object:
                return is_wanted(value.is_object(), "map", "&{" + go_text(value) + "}");
            case Schema::Type::Array:
                return is_wanted(value.is_array(), "list", "&{" + go_text(value) + "}");
            case Schema::Type::String:
                if (!schema.format.empty() && schema.format != "byte") {
                    const bool is_scalar = !value.is_array() && !value.is_object();
                    return is_wanted(is_scalar, "any scalar", "&{" + go_text(value) + "}");
                }
                return is_wanted(
                    value.is_string(),
                    "string",
                    "&value.valueUnstructured{Value:" + go_source(value) + "}"
                );
            case Schema::Type::Integer:
            case Schema::Type::Number:
                return is_wanted(
                    value.is_number(), "numeric (int or float)", std::string(go_type(value))
                );
            case Schema::Type::Boolean:
                return is_wanted(value.is_bool(), "boolean", "&{" + go_text(value) + "}");
        }
        return true;
    }

    bool is_wanted(bool fits, std::string_view wanted, const std::string& found) {
        if (!fits) {
            refuse(fmt::format("expected {}, got {}", wanted, found));
        }
        return fits;
    }

    void check_list(const FieldType& type, const json::Array& items, int depth) {
        const FieldType of_item = type.item();
        std::set<PathElement> seen;
        for (std::size_t i = 0; i < items.size(); ++i) {
            PathElement element{PathElement::Class::Index, std::to_string(i)};
            if (!type.is_atomic_list()) {
                auto identity = item_element(type, items[i]);
                if (!identity) {
                    refuse(fmt::format("element {}: {}", i, identity_fault(type, items[i])));
                    return;
                }
                if (!seen.insert(*identity).second) {
                    refuse(fmt::format("duplicate entries for key {}", identity->printed()));
                }
                element = std::move(*identity);
            }
            path_.push_back(std::move(element));
            check(of_item, items[i], depth + 1);
            path_.pop_back();
        }
    }

    static std::string identity_fault(const FieldType& type, const Value& item) {
        const bool is_set = type.schema->list_type == Schema::ListType::Set;
        if (item.is_null()) {
            return is_set ? "associative list without keys has an element that's an explicit null"
                          : "associative list with keys may not have a null element";
        }
        if (is_set) {
            return item.is_array()
                       ? "not supported: associative list with lists as elements"
                       : "associative list without keys has an element that's a map type";
        }
        if (!item.is_object()) {
            return "associative list with keys may not have non-map elements";
        }
        std::string names;
        for (const auto& name : type.schema->list_map_keys) {
            names += names.empty() ? "" : " ";
            json::append_quoted(names, name);
        }
        return fmt::format(
            "associative list with keys has an element that omits all key fields [{}] (and doesn't "
            "have default values for any key fields)",
            names
        );
    }

    void check_map(const FieldType& type, const Value& value, int depth) {
        std::vector<const json::Member*> members;
        for (const auto& member : value.as_object()) {
            members.push_back(&member);
        }
        std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) {
            return a->first < b->first;
        });
        for (const auto* member : members) {
            path_.push_back(field_element(member->first));
            const auto of_member = type.member(member->first);
            if (of_member) {
                check(*of_member, member->second, depth + 1);
            } else {
                refuse("field not declared in schema");
            }
            path_.pop_back();
            if (!of_member) {
                return;
            }
        }
    }

    FieldPath path_;
    std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> find_typing_faults(const FieldType& type, const Value& config) {
    TypeChecker checker;
    checker.check(type, config, 0);
    return checker.take();
}

}  // namespace sluice::apiserver
