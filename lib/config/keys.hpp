// The table of the keys of the Configuration API: one row reads, prints, checks and compares a key.
#pragma once

#include "config/checks.hpp"
#include "config/configuration.hpp"
#include "config/default_document.hpp"
#include "config/honoured.hpp"
#include "config/strict_reader.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// A table has one Key for each key of an object. A row is a constant that key(), key_or_default(),
/// object(), object_list(), group() or dropped() makes, such as
/// `key<&Webhook::port, check_webhook_port>("port")`.
namespace sluice::config {

enum class ApiVersion : std::uint8_t { V1beta1, V1beta2 };

/// The commands that support a key. A command does not start with a file that changes any other.
enum class HonouredBy : std::uint8_t { All, ScheduleOnly, None };

/// The traits of a key that most keys do not need to state.
struct Traits {
    std::optional<ApiVersion> version{};  ///< the only version that has the key; absent: both
    HonouredBy honoured_by = HonouredBy::All;

    constexpr bool exists_in(ApiVersion other) const { return version.value_or(other) == other; }
    constexpr bool is_honoured(Command command) const {
        return honoured_by == HonouredBy::All ||
               (honoured_by == HonouredBy::ScheduleOnly && command == Command::Schedule);
    }
};

/// The changed keys that a command does not support.
struct Report {
    Command command;
    Paths found;
};

/// Reads the key of that name into the Owner.
template <class Owner>
using ReadKey = void (*)(StrictReader&, std::string_view name, Owner&, ApiVersion);

/// One key of an object that is read into an Owner.
template <class Owner>
struct Key {
    using OwnerType = Owner;

    std::string_view name;
    Traits traits;
    ReadKey<Owner> read;
    /// Returns the value as a document has it; null for an empty one.
    json::Value (*print)(const Owner&) = [](auto&) { return json::Value(); };
    void (*check)(const Checking&, const Owner&) = [](auto&, auto&) {};
    bool (*differs)(const Owner&, const Owner&) = [](auto&, auto&) { return false; };
    /// Adds the paths of the keys below this one that differ and are not supported.
    void (*report)(Report&, const std::string& path, const Owner&, const Owner&) =
        [](auto&, auto&, auto&, auto&) {};

    /// Returns this key with another reader.
    constexpr Key read_by(ReadKey<Owner> other) const {
        Key made = *this;
        made.read = other;
        return made;
    }
};

/// Returns all keys of a Configuration except apiVersion and kind, in the order in which they are
/// read.
std::span<const Key<Configuration>> configuration_keys();

/// Reads the keys of an object.
template <class Owner>
void read_keys(const auto& keys, StrictReader& reader, Owner& out, ApiVersion version) {
    for (const Key<Owner>& key : keys) {
        if (key.traits.exists_in(version)) {
            key.read(reader, key.name, out, version);
        }
    }
}

/// Returns an object of v1beta2 with the keys whose values are not empty; null without any.
template <class Owner>
json::Value print_keys(const auto& keys, const Owner& from) {
    json::Value printed;
    for (const Key<Owner>& key : keys) {
        auto value = key.traits.exists_in(ApiVersion::V1beta2) ? key.print(from) : json::Value();
        if (!value.is_null()) {
            printed.set(key.name, std::move(value));
        }
    }
    return printed;
}

/// Checks each key of an object.
template <class Owner>
void check_keys(const auto& keys, const Checking& at, const Owner& from) {
    for (const Key<Owner>& key : keys) {
        key.check(at.inside(key.name), from);
    }
}

/// Adds the paths of the keys that differ from `defaults` and that the command does not support.
template <class Owner>
void report_keys(
    const auto& keys,
    Report& report,
    std::string_view parent,
    const Owner& from,
    const Owner& defaults
) {
    for (const Key<Owner>& key : keys) {
        const auto path = join_path(parent, key.name);
        if (key.traits.is_honoured(report.command)) {
            key.report(report, path, from, defaults);
        } else if (key.differs(from, defaults)) {
            report.found.push_back(path);
        }
    }
}

/// Returns the types of a member; never defined.
template <class Owner, class Value>
std::pair<Owner, Value> types_of(Value Owner::* member);

/// The struct that has the member.
template <auto Member>
using OwnerOf = typename decltype(types_of(Member))::first_type;

/// The check of a key whose every value is valid.
struct AnyValue {
    void operator()(const Checking&, const auto&) const {}
};

/// Makes a row of a value that the function reads.
template <auto Member, auto Check>
constexpr auto make_key(ReadKey<OwnerOf<Member>> read, std::string_view name, Traits traits) {
    return Key<OwnerOf<Member>>{
        .name = name,
        .traits = traits,
        .read = read,
        .print = [](auto& from) { return print_value(from.*Member); },
        .check = [](auto& at, auto& from) { Check(at, from.*Member); },
        .differs = [](auto& a, auto& b) { return a.*Member != b.*Member; },
    };
}

/// Makes the row of a key with one value.
template <auto Member, auto Check = AnyValue{}>
constexpr auto key(std::string_view name, Traits traits = {}) {
    return make_key<Member, Check>(
        [](auto& reader, auto own, auto& out, auto) { reader.read(own, out.*Member); }, name, traits
    );
}

/// Reads a value. An empty string or list and a zero keep the default, because Go cannot
/// distinguish them from an absent one.
template <class T>
void read_unless_empty(StrictReader& reader, std::string_view name, T& out) {
    T value{};
    if (reader.read(name, value) && value != T{}) {
        out = std::move(value);
    }
}

/// Makes the row of a key that an empty value leaves at its default.
template <auto Member, auto Check = AnyValue{}>
constexpr auto key_or_default(std::string_view name, Traits traits = {}) {
    return make_key<Member, Check>(
        [](auto& reader, auto own, auto& out, auto) {
            read_unless_empty(reader, own, out.*Member);
        },
        name,
        traits
    );
}

/// Makes the row of a list of objects. No key of an item has its own check or support, because the
/// check and the support of the list cover them.
template <auto Member, const auto& Keys, auto Check = AnyValue{}>
constexpr auto object_list(std::string_view name, Traits traits = {}) {
    return make_key<Member, Check>(
        [](auto& reader, auto own, auto& out, auto version) {
            reader.objects(own, out.*Member, [version](auto& inner, auto& item) {
                read_keys(Keys, inner, item, version);
            });
        },
        name,
        traits
    );
}

/// Returns the object; nullptr if absent.
template <class T>
auto* find_object(T& object) {
    if constexpr (requires { object.has_value(); }) {
        return object ? &*object : nullptr;
    } else {
        return &object;
    }
}

/// Makes the row of an object, which may be optional. A key that the object omits has the default
/// of its struct. The object's own check follows those of its keys.
template <auto Member, const auto& Keys, auto Check = AnyValue{}>
constexpr auto object(std::string_view name, Traits traits = {}) {
    return Key<OwnerOf<Member>>{
        .name = name,
        .traits = traits,
        .read =
            [](auto& reader, auto own, auto& out, auto version) {
                reader.object(own, [&](auto& inner) {
                    auto& object = out.*Member;
                    object = std::remove_cvref_t<decltype(*find_object(object))>{};
                    read_keys(Keys, inner, *find_object(object), version);
                });
            },
        .print =
            [](auto& from) {
                const auto* object = find_object(from.*Member);
                return object == nullptr ? json::Value() : print_keys(Keys, *object);
            },
        .check =
            [](auto& at, auto& from) {
                if (const auto* object = find_object(from.*Member)) {
                    check_keys(Keys, at, *object);
                    Check(at, *object);
                }
            },
        .differs = [](auto& a, auto& b) { return a.*Member != b.*Member; },
        .report =
            [](auto& report, auto& path, auto& from, auto& defaults) {
                if (const auto* object = find_object(from.*Member)) {
                    const auto* other = find_object(defaults.*Member);
                    const std::remove_cvref_t<decltype(*object)> none{};
                    report_keys(Keys, report, path, *object, other ? *other : none);
                }
            },
    };
}

/// Makes the row of an object that has no struct of its own: its keys have the Owner of the object
/// around it.
template <const auto& Keys>
constexpr auto group(std::string_view name, std::optional<ApiVersion> version = {}) {
    return Key<typename std::remove_cvref_t<decltype(Keys[0])>::OwnerType>{
        .name = name,
        .traits = {.version = version},
        .read = [](auto& reader, auto own, auto& out, auto used
                ) { reader.object(own, [&](auto& inner) { read_keys(Keys, inner, out, used); }); },
        .print = [](auto& from) { return print_keys(Keys, from); },
        .check = [](auto& at, auto& from) { check_keys(Keys, at, from); },
        .report = [](auto& report, auto& path, auto& from, auto& defaults
                  ) { report_keys(Keys, report, path, from, defaults); },
    };
}

/// Makes the row of a key that must have that type and has no effect.
template <class Owner, class T>
constexpr auto dropped(std::string_view name) {
    return Key<Owner>{
        .name = name,
        .traits = {},
        .read =
            [](auto& reader, auto own, auto&, auto) {
                T value{};
                reader.read(own, value);
            },
    };
}

}  // namespace sluice::config
