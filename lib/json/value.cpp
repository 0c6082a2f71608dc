#include "json/value.hpp"

#include "base/assert.hpp"
#include "json/member_index.hpp"
#include "json/tree_builder.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sluice::json {
namespace {

void write_value(Writer& out, const Value& value) {
    if (value.is_null()) {
        out.null();
    } else if (value.is_bool()) {
        out.boolean(value.as_bool());
    } else if (value.is_int()) {
        out.integer(value.as_int());
    } else if (value.is_double()) {
        out.number(value.as_double());
    } else if (value.is_string()) {
        out.string(value.as_string());
    } else if (value.is_array()) {
        out.start_array();
        for (const auto& item : value.as_array()) {
            write_value(out, item);
        }
        out.end_array();
    } else {
        out.start_object();
        for (const auto& [key, member] : value.as_object()) {
            out.key(key);
            write_value(out, member);
        }
        out.end_object();
    }
}

void write_pretty(std::string& out, const Value& value, std::size_t indent) {
    const std::string pad(indent + 2, ' ');
    const bool is_array = value.is_array();
    if ((is_array && value.as_array().empty()) ||
        (value.is_object() && value.as_object().empty()) || (!is_array && !value.is_object())) {
        Writer writer(out);
        write_value(writer, value);
        return;
    }
    out += is_array ? "[\n" : "{\n";
    bool first = true;
    const auto separate = [&] {
        if (!first) {
            out += ",\n";
        }
        first = false;
        out += pad;
    };
    if (is_array) {
        for (const auto& item : value.as_array()) {
            separate();
            write_pretty(out, item, indent + 2);
        }
    } else {
        for (const auto& [key, member] : value.as_object()) {
            separate();
            append_quoted(out, key);
            out += ": ";
            write_pretty(out, member, indent + 2);
        }
    }
    out += '\n';
    out.append(indent, ' ');
    out += is_array ? ']' : '}';
}

Value sorted(const Value& value) {
    if (value.is_array()) {
        Array items;
        for (const auto& item : value.as_array()) {
            items.push_back(sorted(item));
        }
        return items;
    }
    if (!value.is_object()) {
        return value;
    }
    Object members;
    for (const auto& [key, member] : value.as_object()) {
        members.emplace_back(key, sorted(member));
    }
    std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
        return a.first < b.first;
    });
    return members;
}

}  // namespace

bool Value::as_bool() const {
    SLUICE_ASSERT(is_bool());
    return std::get<bool>(data_);
}

std::int64_t Value::as_int() const {
    SLUICE_ASSERT(is_int());
    return std::get<std::int64_t>(data_);
}

double Value::as_double() const {
    if (is_int()) {
        return static_cast<double>(as_int());
    }
    SLUICE_ASSERT(is_double());
    return std::get<double>(data_);
}

const std::string& Value::as_string() const {
    SLUICE_ASSERT(is_string());
    return std::get<std::string>(data_);
}

const Array& Value::as_array() const {
    SLUICE_ASSERT(is_array());
    return std::get<Array>(data_);
}

Array& Value::as_array() {
    SLUICE_ASSERT(is_array());
    return std::get<Array>(data_);
}

const Object& Value::as_object() const {
    SLUICE_ASSERT(is_object());
    return std::get<Object>(data_);
}

Object& Value::as_object() {
    SLUICE_ASSERT(is_object());
    return std::get<Object>(data_);
}

const Value* Value::find(std::string_view key) const {
    if (!is_object()) {
        return nullptr;
    }
    for (const auto& member : as_object()) {
        if (member.first == key) {
            return &member.second;
        }
    }
    return nullptr;
}

Value* Value::find(std::string_view key) {
    if (!is_object()) {
        return nullptr;
    }
    for (auto& member : as_object()) {
        if (member.first == key) {
            return &member.second;
        }
    }
    return nullptr;
}

const Value* Value::find_path(std::initializer_list<std::string_view> path) const {
    const Value* at = this;
    for (const auto key : path) {
        at = at->find(key);
        if (at == nullptr) {
            return nullptr;
        }
    }
    return at;
}

std::string_view Value::string_at(std::string_view key) const {
    const Value* member = find(key);
    return member != nullptr && member->is_string() ? std::string_view(member->as_string())
                                                    : std::string_view();
}

Value& Value::set(std::string_view key, Value value) {
    if (is_null()) {
        data_ = Object{};
    }
    if (Value* member = find(key); member != nullptr) {
        *member = std::move(value);
        return *member;
    }
    as_object().emplace_back(std::string(key), std::move(value));
    return as_object().back().second;
}

bool Value::erase(std::string_view key) {
    if (!is_object()) {
        return false;
    }
    auto& members = as_object();
    const auto at = std::find_if(members.begin(), members.end(), [&](const Member& m) {
        return m.first == key;
    });
    if (at == members.end()) {
        return false;
    }
    members.erase(at);
    return true;
}

bool operator==(const Value& a, const Value& b) {
    if (a.is_number() && b.is_number() && (a.is_double() || b.is_double())) {
        return a.as_double() == b.as_double();
    }
    if (a.data_.index() != b.data_.index()) {
        return false;
    }
    if (!a.is_object()) {
        return a.data_ == b.data_;
    }
    const auto& members = a.as_object();
    if (members.size() != b.as_object().size()) {
        return false;
    }
    MemberIndex others(&b);
    return std::all_of(members.begin(), members.end(), [&](const Member& m) {
        const Value* other = others.find(m.first);
        return other != nullptr && m.second == *other;
    });
}

bool is_identical(const Value& a, const Value& b) {
    if (a.data_.index() != b.data_.index()) {
        return false;
    }
    if (a.is_array()) {
        return std::ranges::equal(a.as_array(), b.as_array(), is_identical);
    }
    if (a.is_object()) {
        return std::ranges::equal(
            a.as_object(),
            b.as_object(),
            [](const Member& left, const Member& right) {
                return left.first == right.first && is_identical(left.second, right.second);
            }
        );
    }
    const bool differs_in_sign =
        a.is_double() && std::signbit(a.as_double()) != std::signbit(b.as_double());
    return !differs_in_sign && a.data_ == b.data_;
}

Result<Value> parse(std::string_view text, const Limits& limits) {
    TreeBuilder builder;
    const auto done = read(text, builder, limits);
    if (!done) {
        return done.error();
    }
    return builder.take();
}

std::string print(const Value& value) {
    std::string out;
    Writer writer(out);
    write_value(writer, value);
    return out;
}

std::string print_pretty(const Value& value) {
    std::string out;
    write_pretty(out, value, 0);
    return out;
}

std::string print_sorted(const Value& value, bool pretty) {
    return pretty ? print_pretty(sorted(value)) : print(sorted(value));
}

}  // namespace sluice::json
