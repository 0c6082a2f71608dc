#pragma once

#include "json/reader.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace sluice::yaml {

/// What has to be known of a document before anything is made of it: whether a key stands twice in
/// an object, and whether it is a list of objects, whose items can be taken one by one.
class DocumentShape final : public json::Handler {
  public:
    bool on_null() override { return true; }
    bool on_bool(bool) override { return true; }
    bool on_int(std::int64_t) override { return true; }
    bool on_double(double) override { return true; }
    bool on_string(std::string_view value) override;
    bool on_start_object() override { return open(); }
    bool on_key(std::string_view key) override;
    bool on_end_object() override { return close(); }
    bool on_start_array() override;
    bool on_end_array() override { return close(); }
    Error error() const override { return {}; }

    /// The first key that its object has already.
    const std::optional<std::string>& duplicate_key() const { return duplicate_; }
    /// Whether it has an apiVersion, a kind that ends in List, and an array `items`.
    bool is_list() const;
    /// Forgets the document, for the next one.
    void reset();

  private:
    struct Key {
        std::size_t begin;
        std::size_t size;
    };
    /// An open container; its keys are those from `keys` on.
    struct Level {
        std::size_t keys;
        std::size_t text;
    };

    bool open();
    bool close();
    bool is_repeated(std::string_view key);
    std::string_view text_of(const Key& key) const {
        return std::string_view(text_).substr(key.begin, key.size);
    }

    std::vector<Level> levels_;
    std::vector<Key> keys_;
    std::string text_;  ///< of all keys
    /// The keys of the objects that have very many, by the depth of the object.
    std::vector<std::unordered_set<std::string>> many_;
    std::optional<std::string> duplicate_;
    std::string top_key_;
    std::string kind_;
    bool has_version_ = false;
    bool has_items_ = false;
};

}  // namespace sluice::yaml
