// Builds a document's tree from events; passes on the items of a list one by one.
#pragma once

#include "json/tree_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::yaml {

/// Builds the tree of a document. If `take_item` is set, the items of a top-level list `items` are
/// passed to it one by one as they are read, and are left out of the tree. Only the end of the
/// document shows whether it is a list of objects (is_list()).
class DocumentReader final : public json::Handler {
  public:
    using TakeItem = std::function<void(json::Value)>;

    /// If `take_item` is empty, items stay in the tree.
    explicit DocumentReader(TakeItem take_item = {}) : take_item_(std::move(take_item)) {}

    bool on_null() override { return in_items_ ? item(item_.on_null()) : whole_.on_null(); }
    bool on_bool(bool value) override {
        return in_items_ ? item(item_.on_bool(value)) : whole_.on_bool(value);
    }
    bool on_int(std::int64_t value) override {
        return in_items_ ? item(item_.on_int(value)) : whole_.on_int(value);
    }
    bool on_double(double value) override {
        return in_items_ ? item(item_.on_double(value)) : whole_.on_double(value);
    }
    bool on_string(std::string_view value) override {
        return in_items_ ? item(item_.on_string(value)) : whole_.on_string(value);
    }
    bool on_start_object() override {
        ++depth_;
        return in_items_ ? item_.on_start_object() : whole_.on_start_object();
    }
    bool on_key(std::string_view key) override {
        is_items_key_ = depth_ == 1 && key == "items";
        return in_items_ ? item_.on_key(key) : whole_.on_key(key);
    }
    bool on_end_object() override {
        --depth_;
        return in_items_ ? item(item_.on_end_object()) : whole_.on_end_object();
    }
    bool on_start_array() override;
    bool on_end_array() override;
    Error error() const override { return {}; }

    /// Returns a key that was found twice in one object; nullopt if no key was.
    const std::optional<std::string>& repeated_key() const {
        return repeated_in_item_ ? repeated_in_item_ : whole_.repeated_key();
    }
    /// Returns true if at least one item was passed to `take_item`.
    bool has_given_items() const { return has_given_items_; }
    /// Returns true if the document is a list of objects: it has an apiVersion, and a kind that
    /// ends in List. Requires: the document is read to its end.
    bool is_list() const;
    /// Returns the tree and empties the reader. Requires: the document is read to its end.
    json::Value take();
    /// Discards a document that was not read to its end.
    void reset();

  private:
    bool item(bool ok);

    TakeItem take_item_;
    json::TreeBuilder whole_;
    json::TreeBuilder item_;
    std::optional<std::string> repeated_in_item_;
    std::size_t depth_ = 0;
    bool is_items_key_ = false;
    bool in_items_ = false;
    bool has_given_items_ = false;
};

}  // namespace sluice::yaml
