#include "yaml/document_reader.hpp"

namespace sluice::yaml {

bool DocumentReader::on_start_array() {
    ++depth_;
    if (in_items_) {
        return item_.on_start_array();
    }
    in_items_ = depth_ == 2 && is_items_key_ && take_item_;
    return whole_.on_start_array();
}

bool DocumentReader::on_end_array() {
    --depth_;
    if (in_items_ && depth_ > 1) {
        return item(item_.on_end_array());
    }
    in_items_ = false;
    return whole_.on_end_array();
}

bool DocumentReader::item(bool ok) {
    if (!item_.is_complete()) {
        return ok;
    }
    if (!repeated_in_item_) {
        repeated_in_item_ = item_.repeated_key();
    }
    has_given_items_ = true;
    take_item_(item_.take());
    return ok;
}

bool DocumentReader::is_list() const {
    const json::Value& root = whole_.root();
    return !root.string_at("apiVersion").empty() && root.string_at("kind").ends_with("List");
}

json::Value DocumentReader::take() {
    json::Value made = whole_.take();
    reset();
    return made;
}

void DocumentReader::reset() {
    whole_.reset();
    item_.reset();
    repeated_in_item_.reset();
    depth_ = 0;
    is_items_key_ = false;
    in_items_ = false;
    has_given_items_ = false;
}

}  // namespace sluice::yaml
