// Builds a JSON tree from the events of a document or of a part of it.
#pragma once

#include "json/reader.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::json {

/// Builds a tree from the events of a document, or of a part of one. If a key is repeated, the last
/// value wins. Cost: linear in the events, also for objects with very many members; a container is
/// allocated once, when it is complete.
class TreeBuilder final : public Handler {
  public:
    bool on_null() override { return put(nullptr); }
    bool on_bool(bool value) override { return put(value); }
    bool on_int(std::int64_t value) override { return put(value); }
    bool on_double(double value) override { return put(value); }
    bool on_string(std::string_view value) override { return put(value); }
    bool on_start_object() override { return open(Container::Object); }
    bool on_key(std::string_view key) override;
    bool on_end_object() override;
    bool on_start_array() override { return open(Container::Array); }
    bool on_end_array() override;
    Error error() const override { return make_invalid("malformed JSON"); }

    /// Returns true if a whole value has been built and no container is open.
    bool is_complete() const { return complete_ && open_.empty(); }
    /// Returns the built value. Requires: is_complete().
    const Value& root() const { return root_; }
    /// Returns the first key that was found twice in one object; nullopt if no key was.
    const std::optional<std::string>& repeated_key() const { return repeated_key_; }
    /// Returns the built value and empties the builder.
    Value take();
    /// Discards the value built so far.
    void reset();

  private:
    enum class Container : std::uint8_t { Array, Object };
    /// A container that has not ended yet.
    struct Open {
        Container container;
        std::size_t begin;   ///< index of its first item or member in items_ or members_
        std::size_t target;  ///< index of the member that the next value belongs to
    };

    bool open(Container container);
    template <class T>
    bool close(T done) {
        open_.pop_back();
        return put(std::move(done));
    }
    template <class T>
    bool put(T value) {
        place().assign(std::move(value));
        return true;
    }
    /// Returns the slot that the next value is assigned to.
    Value& place();
    void note_repeated(std::string key);

    Value root_;
    bool complete_ = false;
    std::vector<Open> open_;
    std::vector<Value> items_;     ///< of all open arrays, innermost last
    std::vector<Member> members_;  ///< of all open objects, innermost last
    std::optional<std::string> repeated_key_;
};

}  // namespace sluice::json
