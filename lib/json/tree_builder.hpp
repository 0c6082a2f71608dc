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

/// Builds a tree from the events of a document, or of a part of one. Of equal keys the last wins.
/// Cost: linear in the events, also for objects of very many members; a container is allocated
/// once, when it is complete.
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

    /// Whether a whole value has been built and none is open.
    bool is_complete() const { return complete_ && open_.empty(); }
    /// The built value. Requires: is_complete().
    const Value& root() const { return root_; }
    /// The key that was found to stand twice in an object; none: no key does.
    const std::optional<std::string>& repeated_key() const { return repeated_key_; }
    /// The built value; the builder is then empty again.
    Value take();
    /// Forgets what was built so far.
    void reset();

  private:
    enum class Container : std::uint8_t { Array, Object };
    /// A container whose content is still coming.
    struct Open {
        Container container;
        std::size_t begin;   ///< of its content among the items or members
        std::size_t target;  ///< the member that its next value belongs to
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
    /// Where the next value goes.
    Value& place();
    void note_repeated(std::string key);

    Value root_;
    bool complete_ = false;
    std::vector<Open> open_;
    std::vector<Value> items_;     ///< of all open arrays, the innermost last
    std::vector<Member> members_;  ///< of all open objects, the innermost last
    std::optional<std::string> repeated_key_;
};

}  // namespace sluice::json
