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

/// A text, of its own or of a document that outlives it.
class Text {
  public:
    /// Text of someone else. Lifetime: the text must outlive this.
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
    std::int32_t offset = 0;  ///< of the zone it was written in, in seconds; only printing shows it
};
/// A failure that goes through an expression like a value, until && or || absorbs it.
struct Failure {
    std::shared_ptr<const std::string> text;
};
/// A value that is a type: what `type(x)` returns.
struct TypeName {
    std::shared_ptr<const std::string> name;
};
/// An optional value; an empty one has no value.
struct Optional {
    std::shared_ptr<const Value> value;
};
/// Data that the schema says nothing about: it can be compared, and nothing else.
struct Unknown {
    const json::Value* data = nullptr;
};

/// What an extension adds to the kinds of values: URLs, quantities.
class Opaque {
  public:
    Opaque() = default;
    Opaque(const Opaque&) = delete;
    Opaque& operator=(const Opaque&) = delete;
    virtual ~Opaque() = default;
    /// The name of its type.
    virtual std::string_view type_name() const = 0;
    /// Whether the other, of the same type, is equal.
    virtual bool is_equal(const Opaque& other) const = 0;
};

/// A value that an expression has or is given.
///
/// Values made from documents refer to them and are read on demand. Lifetime: the document must
/// outlive the value and all that was made of it. Thread: one at a time.
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
    /// No other pointer becomes a boolean.
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
    /// The content. Requires: is<T>().
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
    /// The text of a string. Requires: is<Text>().
    std::string_view text() const { return get<Text>().view(); }
    /// The list, map or extension; nullptr when it is none.
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

/// A failure with that text.
Value make_failure(std::string text);
/// The failure of an operation for values of these types.
Value no_such_overload();
Value make_string(std::string text);
Value make_type_value(std::string name);
Value make_optional(Value value);
/// The name of the type of a value, as `type(x)` and error messages call it.
std::string type_name(const Value& value);

/// A list: items, or an array of a document with the schema of that array.
class List {
  public:
    /// Items; `schema`: of the array whose list type they keep; nullptr when there is none.
    explicit List(std::vector<Value> items, const Schema* schema = nullptr)
        : schema_(schema), items_(std::move(items)) {}
    /// An array of a document. `schema`: of the array; nullptr when there is none.
    List(const json::Array& array, const Schema* schema);

    std::size_t size() const { return raw_ != nullptr ? raw_->size() : items_.size(); }
    /// Requires: index < size().
    const Value& at(std::size_t index) const;
    /// The array of the document; nullptr for a list that an expression made.
    const json::Array* raw() const { return raw_; }
    /// The schema of the array; nullptr for a list that an expression made.
    const Schema* schema() const { return schema_; }

  private:
    const json::Array* raw_ = nullptr;
    const Schema* schema_ = nullptr;
    mutable std::vector<Value> items_;
    mutable std::vector<bool> is_made_;
};

/// A map: entries, or an object of a document with its schema.
class Map {
  public:
    using Entry = std::pair<Value, Value>;

    /// Entries in their order; of two with the same key the last counts.
    explicit Map(std::vector<Entry> entries) : entries_(std::move(entries)) {}
    /// An object of a document. `schema`: of the object; nullptr when there is none.
    Map(const json::Object& object, const Schema* schema);

    /// The number of entries; of an object all its members, also what the schema does not know.
    std::size_t size() const { return raw_ != nullptr ? raw_->size() : entries_.size(); }
    /// The value of a key; none when there is none. An object with properties is asked with escaped
    /// names, and a member that is null is absent there.
    std::optional<Value> find(const Value& key) const;
    /// The keys, of an object those that the schema knows, sorted.
    std::vector<Value> keys() const;
    const Schema* schema() const { return schema_; }
    const json::Object* raw() const { return raw_; }
    /// Of a map that an expression made.
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

/// The value of a part of a document, as its schema types it; without schema as JSON types it.
/// Data that the schema does not allow becomes a failure.
Value make_value(const json::Value& data, const Schema* schema);

Value make_list(std::vector<Value> items);
Value make_map(std::vector<Map::Entry> entries);

/// The number of code points of a string.
std::int64_t count_code_points(std::string_view text);

}  // namespace sluice::cel
