#pragma once

#include "apiserver/objects/cause.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

/// Checks of single fields that many kinds share. Each adds what is wrong to `causes`.
namespace sluice::apiserver {

using Causes = std::vector<Cause>;

/// Adds each problem as an invalid value of the field.
void add_problems(
    Causes& causes,
    const std::string& field,
    const json::Value& value,
    const std::vector<std::string>& problems
);
void check_label(Causes& causes, const std::string& field, std::string_view text);
void check_subdomain(Causes& causes, const std::string& field, std::string_view text);
void check_dns1035_label(Causes& causes, const std::string& field, std::string_view text);
/// The name of a kind: a DNS-1035 label but for upper case.
void check_kind_name(Causes& causes, const std::string& field, std::string_view text);
void check_qualified_name(Causes& causes, const std::string& field, std::string_view text);
/// Keys and values of a map of labels.
void check_labels(Causes& causes, const std::string& field, const json::Value* labels);

/// What requirements may be: of labels of objects, or of nodes, which may compare numbers (`Gt`,
/// `Lt`); values that are only preferred may be none that a label can have.
enum class Requirements : std::uint8_t { OfObjects, OfNodes, PreferredOfNodes };
/// The expressions of a selector: key, operator and values.
void check_requirements(
    Causes& causes, const std::string& field, const json::Value* requirements, Requirements kind
);
/// A metav1.LabelSelector: its labels, and what its expressions ask.
void check_label_selector(Causes& causes, const std::string& field, const json::Value* selector);

/// The member, where there is one, is at least zero.
void check_not_negative(
    Causes& causes, const std::string& path, const json::Value& object, std::string_view name
);
/// The member, where it is not empty, is one of these texts.
void check_one_of(
    Causes& causes,
    const std::string& path,
    const json::Value& object,
    std::string_view name,
    std::initializer_list<const char*> supported
);
/// What Kubernetes says of the name of a port; none: it is valid.
std::vector<std::string> find_port_name_problems(std::string_view name);
/// A port number.
void check_port(Causes& causes, const std::string& field, std::int64_t port);
/// The member is as it was before.
void check_unchanged(
    Causes& causes,
    const std::string& path,
    const json::Value& object,
    const json::Value& old_object,
    std::string_view name
);

/// Drops what was wrong already with the object that is updated: an earlier server may have stored
/// what this one refuses, and such an object can still be labelled and deleted.
void drop_known(Causes& causes, const Causes& known);

/// Whether a metav1.LabelSelector selects these labels; nothing is selected where there is none.
bool selects(const json::Value* selector, const json::Value* labels);

/// The member, or null.
const json::Value& member_or_null(const json::Value& object, std::string_view name);

}  // namespace sluice::apiserver
