#include "journal/event_codec.hpp"

#include "journal/event_fields.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::journal {
namespace {

using engine::Amount;
using engine::Billionths;
using engine::Duration;
using engine::Time;

template <class T>
concept HasFields = requires { FieldsOf<T>::list(); };

std::string print_billionths(Billionths value) {
    const bool is_negative = value < 0;
    std::string digits;
    do {
        const int digit = static_cast<int>(value % 10);
        digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
        value /= 10;
    } while (value != 0);
    return is_negative ? "-" + digits : digits;
}

class EventWriter {
  public:
    explicit EventWriter(std::string& out) : writer_(out) {}

    void put(const engine::Event& event) {
        writer_.start_object();
        writer_.key(kEventNames[event.index()]);
        std::visit([this](const auto& one) { put_fields(one, false); }, event);
        writer_.end_object();
    }

  private:
    /// `leaves_out`: fields with their default are not written.
    template <class T>
    void put_fields(const T& value, bool leaves_out) {
        static const T kDefault{};
        writer_.start_object();
        std::apply(
            [&](const auto&... fields) { (put_field(fields, value, kDefault, leaves_out), ...); },
            FieldsOf<T>::list()
        );
        writer_.end_object();
    }
    template <class Field, class T>
    void put_field(const Field& field, const T& value, const T& defaults, bool leaves_out) {
        if (!leaves_out || !(value.*field.member == defaults.*field.member)) {
            writer_.key(field.name);
            put_value(value.*field.member);
        }
    }

    void put_value(bool value) { writer_.boolean(value); }
    void put_value(std::int32_t value) { writer_.integer(value); }
    void put_value(std::uint32_t value) { writer_.integer(value); }
    void put_value(std::int64_t value) { writer_.integer(value); }
    void put_value(std::uint64_t value) { writer_.string(fmt::format("{}", value)); }
    void put_value(double value) { writer_.number(value); }
    void put_value(const std::string& value) { writer_.string(value); }
    void put_value(Amount value) { writer_.integer(value.value()); }
    void put_value(Time value) { writer_.integer(value.time_since_epoch().count()); }
    void put_value(Billionths value) { writer_.string(print_billionths(value)); }
    template <class T>
        requires std::is_enum_v<T>
    void put_value(T value) {
        writer_.integer(static_cast<std::int64_t>(value));
    }
    template <HasFields T>
    void put_value(const T& value) {
        put_fields(value, true);
    }
    template <class T>
    void put_value(const std::optional<T>& value) {
        if (value) {
            put_value(*value);
        } else {
            writer_.null();
        }
    }
    template <class T>
    void put_value(const std::vector<T>& values) {
        writer_.start_array();
        for (const T& value : values) {
            put_value(value);
        }
        writer_.end_array();
    }
    template <class T>
    void put_value(const std::map<std::string, T>& values) {
        writer_.start_object();
        for (const auto& [key, value] : values) {
            writer_.key(key);
            put_value(value);
        }
        writer_.end_object();
    }

    json::Writer writer_;
};

/// Reads values; the first fault stays.
class EventReader {
  public:
    Result<engine::Event> read(const json::Value& value) {
        if (!value.is_object() || value.as_object().size() != 1) {
            return make_invalid("an event must be an object with one member");
        }
        const auto& [name, fields] = value.as_object().front();
        auto event = make(name, fields, std::make_index_sequence<std::size(kEventNames)>());
        if (!event) {
            return make_invalid(fmt::format("unknown event \"{}\"", name));
        }
        if (!fault_.empty()) {
            return make_invalid(fmt::format("{}: {}", name, fault_));
        }
        return *std::move(event);
    }

  private:
    template <std::size_t... At>
    std::optional<engine::Event>
    make(std::string_view name, const json::Value& fields, std::index_sequence<At...>) {
        std::optional<engine::Event> made;
        const auto try_one = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
            if (!made && kEventNames[I] == name) {
                std::variant_alternative_t<I, engine::Event> event;
                get_fields(fields, event);
                made = std::move(event);
            }
        };
        (try_one(std::integral_constant<std::size_t, At>()), ...);
        return made;
    }

    void fail(std::string_view what) {
        if (fault_.empty()) {
            fault_ = fmt::format("{} must be {}", path_.empty() ? "the event" : path_, what);
        }
    }
    template <class T>
    void get_fields(const json::Value& value, T& into) {
        if (!value.is_object()) {
            fail("an object");
            return;
        }
        std::apply(
            [&](const auto&... fields) { (get_field(fields, value, into), ...); },
            FieldsOf<T>::list()
        );
    }
    template <class Field, class T>
    void get_field(const Field& field, const json::Value& value, T& into) {
        if (const json::Value* found = value.find(field.name)) {
            path_ = field.name;
            get(*found, into.*field.member);
        }
    }

    void get(const json::Value& value, bool& into) {
        value.is_bool() ? static_cast<void>(into = value.as_bool()) : fail("true or false");
    }
    template <class T>
    void get_integer(const json::Value& value, T& into) {
        if (!value.is_int() || !std::in_range<T>(value.as_int())) {
            fail("a number in its range");
            return;
        }
        into = static_cast<T>(value.as_int());
    }
    void get(const json::Value& value, std::int32_t& into) { get_integer(value, into); }
    void get(const json::Value& value, std::uint32_t& into) { get_integer(value, into); }
    void get(const json::Value& value, std::int64_t& into) { get_integer(value, into); }
    void get(const json::Value& value, std::uint64_t& into) {
        const std::string_view text =
            value.is_string() ? std::string_view(value.as_string()) : std::string_view();
        const auto read = std::from_chars(text.data(), text.data() + text.size(), into);
        if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) {
            fail("a number as a string");
        }
    }
    void get(const json::Value& value, double& into) {
        value.is_number() ? static_cast<void>(into = value.as_double()) : fail("a number");
    }
    void get(const json::Value& value, std::string& into) {
        value.is_string() ? static_cast<void>(into = value.as_string()) : fail("a string");
    }
    void get(const json::Value& value, Amount& into) {
        std::int64_t number = 0;
        get_integer(value, number);
        into = Amount(number);
    }
    void get(const json::Value& value, Time& into) {
        std::int64_t number = 0;
        get_integer(value, number);
        into = Time(Duration(number));
    }
    void get(const json::Value& value, Billionths& into) {
        std::string_view text =
            value.is_string() ? std::string_view(value.as_string()) : std::string_view();
        constexpr std::size_t kDigitsMax = 38;
        const bool is_negative = text.starts_with('-');
        text.remove_prefix(is_negative ? 1 : 0);
        into = 0;
        if (text.empty() || text.size() > kDigitsMax) {
            fail("a number as a string");
            return;
        }
        for (const char c : text) {
            if (c < '0' || c > '9') {
                fail("a number as a string");
                return;
            }
            into = into * 10 + (c - '0');
        }
        into = is_negative ? -into : into;
    }
    template <class T>
        requires std::is_enum_v<T>
    void get(const json::Value& value, T& into) {
        std::underlying_type_t<T> number = 0;
        get_integer(value, number);
        // No enumeration of the engine's input has more values.
        constexpr int kValuesMax = 16;
        if (number >= kValuesMax) {
            fail("a known value");
            return;
        }
        into = static_cast<T>(number);
    }
    template <HasFields T>
    void get(const json::Value& value, T& into) {
        get_fields(value, into);
    }
    template <class T>
    void get(const json::Value& value, std::optional<T>& into) {
        if (value.is_null()) {
            into.reset();
            return;
        }
        get(value, into.emplace());
    }
    template <class T>
    void get(const json::Value& value, std::vector<T>& into) {
        if (!value.is_array()) {
            fail("a list");
            return;
        }
        for (const json::Value& item : value.as_array()) {
            get(item, into.emplace_back());
        }
    }
    template <class T>
    void get(const json::Value& value, std::map<std::string, T>& into) {
        if (!value.is_object()) {
            fail("an object");
            return;
        }
        for (const auto& [key, item] : value.as_object()) {
            get(item, into[key]);
        }
    }

    std::string path_;
    std::string fault_;
};

}  // namespace

void append_event(const engine::Event& event, std::string& out) {
    EventWriter(out).put(event);
}

Result<engine::Event> read_event(const json::Value& value) {
    return EventReader().read(value);
}

}  // namespace sluice::journal
