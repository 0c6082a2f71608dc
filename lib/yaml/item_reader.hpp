#pragma once

#include "json/tree_builder.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::yaml {

/// Builds the items of a list of objects, hands each on when it is complete and passes over the
/// rest of the document.
class ItemReader final : public json::Handler {
  public:
    using Take = std::function<void(json::Value)>;

    explicit ItemReader(Take take) : take_(std::move(take)) {}

    bool on_null() override { return !in_items_ || taken(items_.on_null()); }
    bool on_bool(bool value) override { return !in_items_ || taken(items_.on_bool(value)); }
    bool on_int(std::int64_t value) override { return !in_items_ || taken(items_.on_int(value)); }
    bool on_double(double value) override { return !in_items_ || taken(items_.on_double(value)); }
    bool on_string(std::string_view value) override {
        return !in_items_ || taken(items_.on_string(value));
    }
    bool on_start_object() override {
        ++depth_;
        return !in_items_ || items_.on_start_object();
    }
    bool on_key(std::string_view key) override {
        if (depth_ == 1) {
            top_key_ = key;
        }
        return !in_items_ || items_.on_key(key);
    }
    bool on_end_object() override {
        --depth_;
        return !in_items_ || taken(items_.on_end_object());
    }
    bool on_start_array() override {
        ++depth_;
        if (in_items_) {
            return items_.on_start_array();
        }
        in_items_ = depth_ == 2 && top_key_ == "items";
        return true;
    }
    bool on_end_array() override {
        --depth_;
        in_items_ = in_items_ && depth_ > 1;
        return !in_items_ || taken(items_.on_end_array());
    }
    Error error() const override { return {}; }

  private:
    bool taken(bool ok) {
        if (items_.is_complete()) {
            take_(items_.take());
        }
        return ok;
    }

    Take take_;
    json::TreeBuilder items_;
    std::string top_key_;
    std::size_t depth_ = 0;
    bool in_items_ = false;
};

}  // namespace sluice::yaml
