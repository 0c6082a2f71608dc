#include "yaml/document_shape.hpp"

#include <algorithm>

namespace sluice::yaml {
namespace {

/// Up to so many keys, comparing with all of them costs less than a set.
constexpr std::size_t kFewKeys = 16;

}  // namespace

bool DocumentShape::on_string(std::string_view value) {
    if (levels_.size() == 1 && top_key_ == "kind") {
        kind_ = value;
    } else if (levels_.size() == 1 && top_key_ == "apiVersion") {
        has_version_ = !value.empty();
    }
    return true;
}

bool DocumentShape::on_key(std::string_view key) {
    if (!duplicate_ && is_repeated(key)) {
        duplicate_ = key;
    }
    keys_.push_back({text_.size(), key.size()});
    text_ += key;
    if (levels_.size() == 1) {
        top_key_ = key;
    }
    return true;
}

bool DocumentShape::on_start_array() {
    has_items_ = has_items_ || (levels_.size() == 1 && top_key_ == "items");
    return open();
}

bool DocumentShape::is_list() const {
    return has_version_ && has_items_ && kind_.ends_with("List");
}

void DocumentShape::reset() {
    levels_.clear();
    keys_.clear();
    text_.clear();
    many_.clear();
    duplicate_.reset();
    top_key_.clear();
    kind_.clear();
    has_version_ = false;
    has_items_ = false;
}

bool DocumentShape::open() {
    levels_.push_back({keys_.size(), text_.size()});
    return true;
}

bool DocumentShape::close() {
    if (many_.size() >= levels_.size()) {
        many_.resize(levels_.size() - 1);
    }
    keys_.resize(levels_.back().keys);
    text_.resize(levels_.back().text);
    levels_.pop_back();
    return true;
}

bool DocumentShape::is_repeated(std::string_view key) {
    const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(levels_.back().keys);
    const auto count = static_cast<std::size_t>(keys_.end() - begin);
    if (count < kFewKeys) {
        return std::any_of(begin, keys_.end(), [&](const Key& k) { return text_of(k) == key; });
    }
    if (many_.size() < levels_.size()) {
        many_.resize(levels_.size());
    }
    auto& known = many_.back();
    if (known.empty()) {
        std::for_each(begin, keys_.end(), [&](const Key& k) { known.emplace(text_of(k)); });
    }
    return !known.emplace(key).second;
}

}  // namespace sluice::yaml
