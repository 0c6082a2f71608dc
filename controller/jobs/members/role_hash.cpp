#include "controller/jobs/members/role_hash.hpp"

#include "api/meta/quantity.hpp"
#include "base/sha256.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

// The hash is computed over JSON as Go prints the parts of the spec: members of structs in the
// order
// of their declaration, members of maps by name. Unset members of structs, but not of maps, are
// left
// out.
namespace sluice::controller {

namespace {

constexpr std::size_t kDigits = 8;

/// Says when a member of a struct is printed.
enum class Presence : std::uint8_t {
    NotEmpty,  ///< unless it is absent, null, false, zero or empty
    IfThere,   ///< unless it is absent or null
    Always,    ///< an absent member is printed as the zero value of its type
};

enum class Form : std::uint8_t { Text, Number, Strings, Map, Struct, Structs };

struct Member {
    std::string_view name;
    Presence presence = Presence::NotEmpty;
    Form form = Form::Text;
    std::span<const Member> members;  ///< of structs
};

constexpr Member kRequirement[] = {
    {.name = "key", .presence = Presence::Always},
    {.name = "operator", .presence = Presence::Always},
    {.name = "values", .form = Form::Strings},
};
constexpr Member kNodeSelectorTerm[] = {
    {.name = "matchExpressions", .form = Form::Structs, .members = kRequirement},
    {.name = "matchFields", .form = Form::Structs, .members = kRequirement},
};
constexpr Member kNodeSelector[] = {
    {.name = "nodeSelectorTerms",
     .presence = Presence::Always,
     .form = Form::Structs,
     .members = kNodeSelectorTerm},
};
constexpr Member kPreferredNodes[] = {
    {.name = "weight", .presence = Presence::Always, .form = Form::Number},
    {.name = "preference",
     .presence = Presence::Always,
     .form = Form::Struct,
     .members = kNodeSelectorTerm},
};
constexpr Member kNodeAffinity[] = {
    {.name = "requiredDuringSchedulingIgnoredDuringExecution",
     .presence = Presence::IfThere,
     .form = Form::Struct,
     .members = kNodeSelector},
    {.name = "preferredDuringSchedulingIgnoredDuringExecution",
     .form = Form::Structs,
     .members = kPreferredNodes},
};
constexpr Member kLabelSelector[] = {
    {.name = "matchLabels", .form = Form::Map},
    {.name = "matchExpressions", .form = Form::Structs, .members = kRequirement},
};
constexpr Member kPodAffinityTerm[] = {
    {.name = "labelSelector",
     .presence = Presence::IfThere,
     .form = Form::Struct,
     .members = kLabelSelector},
    {.name = "namespaces", .form = Form::Strings},
    {.name = "topologyKey", .presence = Presence::Always},
    {.name = "namespaceSelector",
     .presence = Presence::IfThere,
     .form = Form::Struct,
     .members = kLabelSelector},
    {.name = "matchLabelKeys", .form = Form::Strings},
    {.name = "mismatchLabelKeys", .form = Form::Strings},
};
constexpr Member kPreferredPods[] = {
    {.name = "weight", .presence = Presence::Always, .form = Form::Number},
    {.name = "podAffinityTerm",
     .presence = Presence::Always,
     .form = Form::Struct,
     .members = kPodAffinityTerm},
};
constexpr Member kPodAffinity[] = {
    {.name = "requiredDuringSchedulingIgnoredDuringExecution",
     .form = Form::Structs,
     .members = kPodAffinityTerm},
    {.name = "preferredDuringSchedulingIgnoredDuringExecution",
     .form = Form::Structs,
     .members = kPreferredPods},
};
constexpr Member kAffinity[] = {
    {.name = "nodeAffinity",
     .presence = Presence::IfThere,
     .form = Form::Struct,
     .members = kNodeAffinity},
    {.name = "podAffinity",
     .presence = Presence::IfThere,
     .form = Form::Struct,
     .members = kPodAffinity},
    {.name = "podAntiAffinity",
     .presence = Presence::IfThere,
     .form = Form::Struct,
     .members = kPodAffinity},
};
constexpr Member kToleration[] = {
    {.name = "key"},
    {.name = "operator"},
    {.name = "value"},
    {.name = "effect"},
    {.name = "tolerationSeconds", .presence = Presence::IfThere, .form = Form::Number},
};
constexpr Member kSpreadConstraint[] = {
    {.name = "maxSkew", .presence = Presence::Always, .form = Form::Number},
    {.name = "topologyKey", .presence = Presence::Always},
    {.name = "whenUnsatisfiable", .presence = Presence::Always},
    {.name = "labelSelector",
     .presence = Presence::IfThere,
     .form = Form::Struct,
     .members = kLabelSelector},
    {.name = "minDomains", .presence = Presence::IfThere, .form = Form::Number},
    {.name = "nodeAffinityPolicy", .presence = Presence::IfThere},
    {.name = "nodeTaintsPolicy", .presence = Presence::IfThere},
    {.name = "matchLabelKeys", .form = Form::Strings},
};
constexpr Member kResourceClaim[] = {
    {.name = "name", .presence = Presence::Always},
    {.name = "resourceClaimName", .presence = Presence::IfThere},
    {.name = "resourceClaimTemplateName", .presence = Presence::IfThere},
};
constexpr Member kPort[] = {
    {.name = "name"},
    {.name = "hostPort", .form = Form::Number},
    {.name = "containerPort", .presence = Presence::Always, .form = Form::Number},
    {.name = "protocol"},
    {.name = "hostIP"},
};

/// Escapes the characters with a meaning in HTML, as Go does.
std::string escaped_for_html(std::string_view json) {
    std::string text;
    text.reserve(json.size());
    for (const char c : json) {
        switch (c) {
            case '<':
                text += "\\u003c";
                break;
            case '>':
                text += "\\u003e";
                break;
            case '&':
                text += "\\u0026";
                break;
            default:
                text += c;
        }
    }
    return text;
}

class Shape {
  public:
    explicit Shape(std::string& out) : to_(out) {}

    void print_spec(const json::Value& spec) {
        to_.start_object();
        to_.key("spec");
        to_.start_object();
        structure("affinity", spec, kAffinity);
        containers("containers", spec);
        containers("initContainers", spec);
        to_.key("nodeSelector");
        map(spec.find("nodeSelector"));
        to_.key("overhead");
        amounts(spec.find("overhead"));
        to_.key("priority");
        number(spec.find("priority"));
        structures("resourceClaims", spec, kResourceClaim);
        const json::Value* resources = spec.find("resources");
        if (resources != nullptr && resources->is_object()) {
            to_.key("resources");
            amounts(resources->find("requests"));
        }
        to_.key("runtimeClassName");
        scalar(spec.find("runtimeClassName"));
        structures("tolerations", spec, kToleration);
        structures("topologySpreadConstraints", spec, kSpreadConstraint);
        to_.end_object();
        to_.end_object();
    }

  private:
    static bool is_empty(const json::Value& value) {
        return value.is_null() || (value.is_bool() && !value.as_bool()) ||
               (value.is_int() && value.as_int() == 0) ||
               (value.is_string() && value.as_string().empty()) ||
               (value.is_array() && value.as_array().empty()) ||
               (value.is_object() && value.as_object().empty());
    }

    void structure(std::string_view key, const json::Value& in, std::span<const Member> members) {
        const json::Value* value = in.find(key);
        to_.key(key);
        if (value == nullptr || !value->is_object()) {
            to_.null();
        } else {
            print_struct(*value, members);
        }
    }

    void structures(std::string_view key, const json::Value& in, std::span<const Member> members) {
        to_.key(key);
        print_structs(in.find(key), members);
    }

    void containers(std::string_view key, const json::Value& spec) {
        const json::Value* list = spec.find(key);
        to_.key(key);
        // The list has the printed members of each container; an empty list is printed as null.
        if (list == nullptr || !list->is_array() || list->as_array().empty()) {
            to_.null();
            return;
        }
        to_.start_array();
        for (const json::Value& container : list->as_array()) {
            const json::Value* resources = container.find("resources");
            to_.start_object();
            structures("ports", container, kPort);
            to_.key("resources");
            to_.start_object();
            to_.key("requests");
            amounts(resources == nullptr ? nullptr : resources->find("requests"));
            to_.end_object();
            to_.end_object();
        }
        to_.end_array();
    }

    void print_structs(const json::Value* list, std::span<const Member> members) {
        if (list == nullptr || !list->is_array()) {
            to_.null();
            return;
        }
        to_.start_array();
        for (const json::Value& item : list->as_array()) {
            print_struct(item, members);
        }
        to_.end_array();
    }

    void print_struct(const json::Value& value, std::span<const Member> members) {
        to_.start_object();
        for (const Member& member : members) {
            const json::Value* found = value.find(member.name);
            const bool is_there = found != nullptr && !found->is_null();
            const bool is_printed =
                member.presence == Presence::Always ||
                (is_there && (member.presence == Presence::IfThere || !is_empty(*found)));
            if (is_printed) {
                to_.key(member.name);
                print_member(is_there ? found : nullptr, member);
            }
        }
        to_.end_object();
    }

    void print_member(const json::Value* value, const Member& member) {
        static const json::Value kNothing = json::Object{};
        switch (member.form) {
            case Form::Text:
                to_.string(
                    value != nullptr && value->is_string() ? std::string_view(value->as_string())
                                                           : std::string_view()
                );
                break;
            case Form::Number:
                to_.integer(value != nullptr && value->is_int() ? value->as_int() : 0);
                break;
            case Form::Strings:
                to_.raw(value == nullptr ? "null" : json::print(*value));
                break;
            case Form::Map:
                map(value);
                break;
            case Form::Struct:
                print_struct(value == nullptr ? kNothing : *value, member.members);
                break;
            case Form::Structs:
                print_structs(value, member.members);
                break;
        }
    }

    void map(const json::Value* value) {
        if (value == nullptr || !value->is_object()) {
            to_.null();
        } else {
            to_.raw(json::print_sorted(*value));
        }
    }

    void number(const json::Value* value) {
        if (value == nullptr || !value->is_int()) {
            to_.null();
        } else {
            to_.integer(value->as_int());
        }
    }

    void scalar(const json::Value* value) {
        if (value == nullptr || !value->is_string()) {
            to_.null();
        } else {
            to_.string(value->as_string());
        }
    }

    /// Prints amounts of resources in their canonical form.
    void amounts(const json::Value* value) {
        if (value == nullptr || !value->is_object()) {
            to_.null();
            return;
        }
        json::Value canonical = json::Object{};
        for (const auto& [resource, amount] : value->as_object()) {
            const std::string text = amount.is_string() ? amount.as_string() : json::print(amount);
            const auto quantity = api::Quantity::parse(text);
            canonical.set(resource, quantity ? quantity->to_string() : text);
        }
        map(&canonical);
    }

    json::Writer to_;
};

}  // namespace

std::string role_hash(const json::Value& pod_spec) {
    std::string text;
    Shape(text).print_spec(pod_spec);
    return sha256_hex(escaped_for_html(text)).substr(0, kDigits);
}

}  // namespace sluice::controller
