#pragma once

#include "json/reader.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::json {

/// Builds a tree from the events of a document, or of a part of one. Of equal keys the last wins.
/// Cost: linear in the events, also for objects of very many members.
class TreeBuilder final : public Handler {
  public:
    bool on_null() override { return add(Value()); }
    bool on_bool(bool value) override { return add(Value(value)); }
    bool on_int(std::int64_t value) override { return add(Value(value)); }
    bool on_double(double value) override { return add(Value(value)); }
    bool on_string(std::string_view value) override { return add(Value(value)); }
    bool on_start_object() override { return open(Value(Object{})); }
    bool on_key(std::string_view key) override;
    bool on_end_object() override;
    bool on_start_array() override { return open(Value(Array{})); }
    bool on_end_array() override { return close(); }
    Error error() const override { return make_invalid("malformed JSON"); }

    /// Whether a whole value has been built and none is open.
    bool is_complete() const { return complete_ && stack_.empty(); }
    /// The built value; the builder is then empty again.
    Value take();

  private:
    bool open(Value container);
    bool close();
    bool add(Value value);

    Value root_;
    bool complete_ = false;
    std::vector<Value> stack_;
    std::vector<std::string> keys_;
};

}  // namespace sluice::json
