#include "apiserver/schema/go_form.hpp"

#include "api/meta/quantity.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

constexpr int kFormDepthMax = 128;

/// Optional strings that are pointers in Go: an empty one is printed.
constexpr std::array<std::string_view, 15> kTextPointers{
    "storageClassName",
    "ingressClassName",
    "holderIdentity",
    "preferredHolder",
    "volumeAttributesClassName",
    "currentVolumeAttributesClassName",
    "deprecationWarning",
    "succeededIndexes",
    "failedIndexes",
    "managedBy",
    "timeZone",
    "runtimeClassName",
    "loadBalancerClass",
    "trafficDistribution",
    "appProtocol"
};
/// Optional booleans that are not pointers in Go: false is not printed.
constexpr std::array<std::string_view, 12> kPlainBooleans{
    "hostNetwork",
    "hostPID",
    "hostIPC",
    "stdin",
    "stdinOnce",
    "tty",
    "readOnly",
    "unschedulable",
    "paused",
    "publishNotReadyAddresses",
    "tlsHostname",
    "isCA"
};
/// Optional numbers that are not pointers in Go: zero is not printed.
constexpr std::array<std::string_view, 10> kPlainNumbers{
    "hostPort",
    "nodePort",
    "minReadySeconds",
    "count",
    "initialDelaySeconds",
    "healthCheckNodePort",
    "observedGeneration",
    "availableReplicas",
    "updatedReplicas",
    "unavailableReplicas"
};

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_map(const Schema& schema) {
    return schema.type == Schema::Type::Object && schema.additional_properties != nullptr &&
           schema.properties.empty();
}

/// Returns true if Go omits the member because it is empty.
bool is_left_out(const Schema& holder, const SchemaProperty& property, const Value& value) {
    if (value.is_null()) {
        return true;
    }
    if (property.required) {
        return false;
    }
    if (value.is_array()) {
        return value.as_array().empty() && property.schema->type == Schema::Type::Array;
    }
    if (value.is_object()) {
        return value.as_object().empty() && is_map(*property.schema);
    }
    if (value.is_string()) {
        const bool is_pointer = holder.go_type == "v1.HostPathVolumeSource";
        return value.as_string().empty() && !is_pointer &&
               property.schema->type == Schema::Type::String &&
               !is_one_of(kTextPointers, property.name);
    }
    if (value.is_bool()) {
        return !value.as_bool() && is_one_of(kPlainBooleans, property.name);
    }
    return value.is_int() && value.as_int() == 0 && is_one_of(kPlainNumbers, property.name);
}

void canonicalize_quantity(Value& value) {
    const auto text = value.is_string() ? value.as_string() : json::print(value);
    // Malformed quantities are refused later, with the text as the client wrote it.
    if (const auto amount = api::Quantity::parse(text)) {
        value = amount->to_string();
    }
}

/// Optional members whose zero Go omits although the zero is their default.
constexpr std::array<std::string_view, 5> kLeftOutZeros{
    "name", "optional", "readOnly", "minReadySeconds", "apiGroup"
};
/// Times that Go prints as null if they are not set.
constexpr std::array<std::string_view, 7> kTimesPrintedAsNull{
    "eventTime",
    "firstTimestamp",
    "lastTimestamp",
    "lastProbeTime",
    "lastTransitionTime",
    "lastUpdateTime",
    "lastHeartbeatTime",
};

bool is_zero(const Value& value) {
    return value == Value("") || value == Value(0) || value == Value(false);
}

/// Returns true if Go prints the member even if it has no value.
bool is_always_printed(const Schema& holder, const SchemaProperty& property) {
    if (property.name == "validationActions") {
        return false;  // required, yet omitted if it is empty
    }
    if (property.name == "rules" &&
        (holder.go_type == "v1.Role" || holder.go_type == "v1.ClusterRole")) {
        return true;
    }
    const auto& given = property.schema->default_value;
    if (!given) {
        return property.required || is_one_of(kTimesPrintedAsNull, property.name);
    }
    if (given->is_object()) {
        return property.schema->type == Schema::Type::Object;
    }
    return property.required || (is_zero(*given) && !is_one_of(kLeftOutZeros, property.name));
}

Value zero_of(const Schema& schema, int depth) {
    json::Object object;
    if (depth > kFormDepthMax) {
        return object;
    }
    for (const auto& property : schema.properties) {
        if (!is_always_printed(schema, property)) {
            continue;
        }
        const auto& given = property.schema->default_value;
        if (given && given->is_object()) {
            object.emplace_back(property.name, zero_of(*property.schema, depth + 1));
        } else {
            object.emplace_back(property.name, given ? *given : Value());
        }
    }
    return object;
}

void fill_missing(const Schema& schema, Value& object) {
    for (const auto& property : schema.properties) {
        if (object.find(property.name) != nullptr) {
            continue;
        }
        const auto& given = property.schema->default_value;
        if (given && given->is_object()) {
            if (is_always_printed(schema, property)) {
                object.set(property.name, zero_of(*property.schema, 0));
            }
        } else if (is_always_printed(schema, property)) {
            object.set(property.name, given ? *given : Value());
        } else if (given && !is_zero(*given)) {
            object.set(property.name, *given);
        }
    }
}

void bring(const Schema& schema, Value& value, int depth) {
    if (depth > kFormDepthMax) {
        return;
    }
    if (schema.is_quantity) {
        canonicalize_quantity(value);
    } else if (value.is_array() && schema.items != nullptr) {
        for (auto& item : value.as_array()) {
            bring(*schema.items, item, depth + 1);
        }
    } else if (value.is_object()) {
        std::erase_if(value.as_object(), [&](const json::Member& member) {
            const SchemaProperty* property = schema.property(member.first);
            return property != nullptr && is_left_out(schema, *property, member.second);
        });
        fill_missing(schema, value);
        for (auto& [name, member] : value.as_object()) {
            if (const Schema* of_member = schema.member(name)) {
                bring(*of_member, member, depth + 1);
            }
        }
    }
}

}  // namespace

void bring_to_go_form(const Schema& schema, Value& object) {
    bring(schema, object, 0);
}

Value zero_object(const Schema& schema) {
    return schema.is_builtin ? zero_of(schema, 0) : Value(json::Object{});
}

}  // namespace sluice::apiserver
