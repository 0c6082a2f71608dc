// A CEL value, made by an expression or read from a document on demand.
#pragma once

#include "base/assert.hpp"
#include "cel/values/type.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::cel {

struct Schema;
class List;
class Map;
class Value;

/// A text that is owned, or that belongs to a document which outlives it.
class Text {
  public:
    /// Refers to a text of another owner. Lifetime: the text must outlive this object.
    static Text borrow(std::string_view text) { return Text(text, nullptr); }
    static Text own(std::string text) {
        auto owner = std::make_shared<const std::string>(std::move(text));
        const std::string_view view = *owner;
        return Text(view, std::move(owner));
    }
    std::string_view view() const { return view_; }

  private:
    Text(std::string_view view, std::shared_ptr<const std::string> owner)
        : view_(view), owner_(std::move(owner)) {}
    std::string_view view_;
    std::shared_ptr<const std::string> owner_;
};

struct Bytes {
    Text text;
};
struct Duration {
    std::int64_t nanoseconds = 0;
};
struct Timestamp {
    std::int64_t seconds = 0;  ///< since 1970
    std::int32_t nanoseconds = 0;
    std::int32_t offset = 0;  ///< seconds of the zone it was written in; only printing uses it
};
/// A failure, which passes through an expression like a value until && or || absorbs it.
struct Failure {
    std::shared_ptr<const std::string> text;
};
/// A type as a value, as `type(x)` returns it.
struct TypeName {
    std::shared_ptr<const std::string> name;
};
/// An optional value; nullptr if empty.
struct Optional {
    std::shared_ptr<const Value> value;
};
/// Data that the schema does not describe. It can only be compared.
struct Unknown {
    const json::Value* data = nullptr;
};

/// A value of a type that an extension adds: URLs, quantities.
class Opaque {
  public:
    Opaque() = default;
    Opaque(const Opaque&) = delete;
    Opaque& operator=(const Opaque&) = delete;
    virtual ~Opaque() = default;
    /// The name of its type.
    virtual std::string_view type_name() const = 0;
    /// Returns true if the other value, which has the same type, is equal.
    virtual bool is_equal(const Opaque& other) const = 0;
};

/// A value of an expression or a variable.
///
/// Values made from documents refer to them and are read on demand. Lifetime: the document must
/// outlive the value and everything made from it. Thread: one at a time.
class Value {
  public:
    Value() = default;
    Value(bool v) : data_(v) {}
    Value(std::int64_t v) : data_(v) {}
    Value(std::uint64_t v) : data_(v) {}
    Value(double v) : data_(v) {}
    Value(Text v) : data_(std::move(v)) {}
    Value(Bytes v) : data_(std::move(v)) {}
    Value(Duration v) : data_(v) {}
    Value(Timestamp v) : data_(v) {}
    Value(Failure v) : data_(std::move(v)) {}
    Value(TypeName v) : data_(std::move(v)) {}
    Value(Optional v) : data_(std::move(v)) {}
    Value(Unknown v) : data_(v) {}
    Value(std::shared_ptr<const List> v) : data_(std::move(v)) {}
    Value(std::shared_ptr<const Map> v) : data_(std::move(v)) {}
    Value(std::shared_ptr<const Opaque> v) : data_(std::move(v)) {}
    /// Prevents the conversion of a pointer to a boolean.
    template <class T>
    Value(T*) = delete;

    template <class T>
    bool is() const {
        return std::holds_alternative<T>(data_);
    }
    template <class T>
    const T* get_if() const {
        return std::get_if<T>(&data_);
    }
    /// Returns the content. Requires: is<T>().
    template <class T>
    const T& get() const {
        const T* found = std::get_if<T>(&data_);
        SLUICE_ASSERT(found != nullptr);
        return *found;
    }

    bool is_null() const { return is<std::monostate>(); }
    bool is_failure() const { return is<Failure>(); }
    bool is_true() const { return is<bool>() && get<bool>(); }
    bool is_false() const { return is<bool>() && !get<bool>(); }
    /// Returns the text of a string. Requires: is<Text>().
    std::string_view text() const { return get<Text>().view(); }
    /// Returns the list, map or extension value; nullptr if it has another type.
    const List* list() const;
    const Map* map() const;
    const Opaque* opaque() const;

  private:
    std::variant<
        std::monostate,
        bool,
        std::int64_t,
        std::uint64_t,
        double,
        Text,
        Bytes,
        Duration,
        Timestamp,
        Failure,
        TypeName,
        Optional,
        Unknown,
        std::shared_ptr<const List>,
        std::shared_ptr<const Map>,
        std::shared_ptr<const Opaque>>
        data_;
};

/// Makes a failure with this text.
Value make_failure(std::string text);
/// Makes the failure of an operation that does not support its operands.
Value no_such_overload();
Value make_string(std::string text);
Value make_type_value(std::string name);
Value make_optional(Value value);
/// Returns the name of a value's type, as `type(x)` and error messages print it.
std::string type_name(const Value& value);

/// A list: of items, or of an array in a document with its schema.
class List {
  public:
    /// A list of items. `schema` is that of the array whose list type they keep, or nullptr.
    explicit List(std::vector<Value> items, const Schema* schema = nullptr)
        : schema_(schema), items_(std::move(items)) {}
    /// A list from an array in a document. `schema` is that of the array, or nullptr.
    List(const json::Array& array, const Schema* schema);

    std::size_t size() const { return raw_ != nullptr ? raw_->size() : items_.size(); }
    /// Requires: index < size().
    const Value& at(std::size_t index) const;
    /// The array in the document; nullptr for a list made by an expression.
    const json::Array* raw() const { return raw_; }
    /// The schema of the array; nullptr if it has none.
    const Schema* schema() const { return schema_; }

  private:
    const json::Array* raw_ = nullptr;
    const Schema* schema_ = nullptr;
    mutable std::vector<Value> items_;
    mutable std::vector<bool> is_made_;
};

/// A map: of entries, or of an object in a document with its schema.
class Map {
  public:
    using Entry = std::pair<Value, Value>;

    /// A map of entries in their order. If two entries have the same key, the last one counts.
    explicit Map(std::vector<Entry> entries) : entries_(std::move(entries)) {}
    /// A map from an object in a document. `schema` is that of the object, or nullptr.
    Map(const json::Object& object, const Schema* schema);

    /// The number of entries; for an object, all its members, including those unknown to the
    /// schema.
    std::size_t size() const { return raw_ != nullptr ? raw_->size() : entries_.size(); }
    /// Returns the value of a key, or nullopt. For an object with properties, keys are escaped
    /// names, and a member that is null counts as absent.
    std::optional<Value> find(const Value& key) const;
    /// Returns the keys. For an object, those that the schema knows, sorted.
    std::vector<Value> keys() const;
    const Schema* schema() const { return schema_; }
    const json::Object* raw() const { return raw_; }
    /// The entries of a map that an expression made.
    const std::vector<Entry>& entries() const { return entries_; }

  private:
    struct Member {
        std::string_view name;
        const json::Value* raw = nullptr;
        std::optional<Value> value;
    };
    std::optional<Value> find_member(std::string_view name) const;
    void index() const;
    void index_entries() const;

    const json::Object* raw_ = nullptr;
    const Schema* schema_ = nullptr;
    std::vector<Entry> entries_;
    mutable std::vector<Member> members_;
    mutable std::map<std::string, std::size_t, std::less<>> positions_;
};

/// Makes the value of a part of a document, typed by its schema, or as JSON if `schema` is nullptr.
/// Data that does not match the schema becomes a failure.
Value make_value(const json::Value& data, const Schema* schema);

Value make_list(std::vector<Value> items);
Value make_map(std::vector<Map::Entry> entries);

/// Returns the number of code points of a string.
std::int64_t count_code_points(std::string_view text);

}  // namespace sluice::cel
