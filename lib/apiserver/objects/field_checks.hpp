// Checks of single fields that many kinds share: names, labels, ports, selectors.
#pragma once

#include "apiserver/objects/cause.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

/// Checks of single fields. Each check appends the faults that it finds to `causes`.
namespace sluice::apiserver {

using Causes = std::vector<Cause>;

/// Appends each problem as an invalid value of the field.
void add_problems(
    Causes& causes,
    const std::string& field,
    const json::Value& value,
    const std::vector<std::string>& problems
);
/// Requires a DNS-1123 label.
void check_label(Causes& causes, const std::string& field, std::string_view text);
/// Requires a DNS-1123 subdomain.
void check_subdomain(Causes& causes, const std::string& field, std::string_view text);
/// Requires a DNS-1035 label.
void check_dns1035_label(Causes& causes, const std::string& field, std::string_view text);
/// Requires the name of a kind: a DNS-1035 label in which upper case is allowed.
void check_kind_name(Causes& causes, const std::string& field, std::string_view text);
/// Requires a qualified name: a name of a label, with or without a prefix.
void check_qualified_name(Causes& causes, const std::string& field, std::string_view text);
/// Checks the keys and values of a map of labels; accepts nullptr.
void check_labels(Causes& causes, const std::string& field, const json::Value* labels);

/// The use of a list of requirements, which decides what is allowed in it. Only requirements of
/// nodes may compare numbers (`Gt`, `Lt`). The values of preferred requirements need not be valid
/// values of labels.
enum class Requirements : std::uint8_t { OfObjects, OfNodes, PreferredOfNodes };
/// Checks the expressions of a selector: key, operator and values.
void check_requirements(
    Causes& causes, const std::string& field, const json::Value* requirements, Requirements kind
);
/// Checks a metav1.LabelSelector: its labels and its expressions.
void check_label_selector(Causes& causes, const std::string& field, const json::Value* selector);

/// Requires that the member is at least zero if it is set.
void check_not_negative(
    Causes& causes, const std::string& path, const json::Value& object, std::string_view name
);
/// Requires that the member is one of the supported texts if it is not empty.
void check_one_of(
    Causes& causes,
    const std::string& path,
    const json::Value& object,
    std::string_view name,
    std::initializer_list<const char*> supported
);
/// Returns the problems of a port's name in Kubernetes' words; empty if the name is valid.
std::vector<std::string> find_port_name_problems(std::string_view name);
/// Requires a port number.
void check_port(Causes& causes, const std::string& field, std::int64_t port);
/// Requires that an update leaves the member as it was.
void check_unchanged(
    Causes& causes,
    const std::string& path,
    const json::Value& object,
    const json::Value& old_object,
    std::string_view name
);

/// Drops the faults that the old object of an update had already. An earlier server may have stored
/// what this one refuses, and such an object can still be labeled and deleted.
void drop_known(Causes& causes, const Causes& known);

/// Returns true if the metav1.LabelSelector selects these labels; false if `selector` is nullptr.
bool selects(const json::Value* selector, const json::Value* labels);

/// Returns the member; a null value if the object does not have it.
const json::Value& member_or_null(const json::Value& object, std::string_view name);

}  // namespace sluice::apiserver
