#include "yaml/block_reader.hpp"

#include "yaml/block_lines.hpp"
#include "yaml/scalar.hpp"

#include <cmath>
#include <optional>
#include <string>

namespace sluice::yaml {
namespace {

/// Walks the lines of a document. Every function returns false if the text uses more than plain
/// block style.
class BlockReader {
  public:
    BlockReader(std::string_view text, std::size_t depth_max, json::Handler& handler)
        : lines_(text), depth_max_(depth_max), handler_(handler) {}

    bool run() {
        return lines_.next() && !lines_.at_end() && lines_.column() == 0 && container() &&
               lines_.at_end();
    }

  private:
    /// Reads the map or list whose first entry begins here.
    bool container() { return is_entry(lines_.rest()) ? list() : map(); }

    static bool is_entry(std::string_view text) {
        return text.starts_with('-') && (text.size() == 1 || text[1] == ' ');
    }
    bool is_entry_at(std::size_t column) const {
        return !lines_.at_end() && lines_.column() == column && is_entry(lines_.rest());
    }
    /// Returns true if the current line is indented further than the entries at `column`.
    bool is_indented_beyond(std::size_t column) const {
        return !lines_.at_end() && lines_.column() > column;
    }

    bool list() {
        const std::size_t column = lines_.column();
        if (depth_ >= depth_max_) {
            return false;
        }
        ++depth_;
        handler_.on_start_array();
        while (is_entry_at(column)) {
            lines_.skip(1);
            if (!entry(column) || is_indented_beyond(column)) {
                return false;
            }
        }
        --depth_;
        return handler_.on_end_array();
    }

    /// Reads the part of a list entry that follows the dash. `column` is that of the list.
    bool entry(std::size_t column) {
        if (is_empty(lines_.rest())) {
            if (!lines_.next()) {
                return false;
            }
            return is_indented_beyond(column) ? container() : handler_.on_null();
        }
        if (is_entry(lines_.rest())) {
            return list();
        }
        return find_key() ? map() : value(column);
    }

    bool map() {
        const std::size_t column = lines_.column();
        if (depth_ >= depth_max_) {
            return false;
        }
        ++depth_;
        handler_.on_start_object();
        while (!lines_.at_end() && lines_.column() == column) {
            const auto key = find_key();
            if (!key || !take_key(*key) || !member(column) || is_indented_beyond(column)) {
                return false;
            }
        }
        --depth_;
        return handler_.on_end_object();
    }

    /// Reads the value of a key. `column` is that of the map.
    bool member(std::size_t column) {
        if (!is_empty(lines_.rest())) {
            return value(column);
        }
        if (!lines_.next()) {
            return false;
        }
        return is_indented_beyond(column) || is_entry_at(column) ? container() : handler_.on_null();
    }

    struct Key {
        std::size_t size;  ///< up to the colon
        bool is_quoted;
    };

    /// Returns the key at the beginning of the rest of the line; nullopt if no simple key is found.
    std::optional<Key> find_key() const {
        constexpr std::size_t kLengthMax = 1000;  // yaml-cpp refuses keys from 1024 on
        const auto rest = lines_.rest();
        if (rest.empty()) {
            return std::nullopt;
        }
        const bool is_quoted = rest.front() == '"' || rest.front() == '\'';
        std::size_t size = 0;
        if (is_quoted) {
            size = find_closing_quote(rest, 1, rest.front());
            size += size == std::string_view::npos ? 0 : 1;
        } else if (may_begin_plain(rest) && rest.front() != '-' && rest.front() != '.') {
            size = find_plain_end(rest);
        }
        if (size == 0 || size > kLengthMax || size >= rest.size() || rest[size] != ':' ||
            rest[size - 1] == ' ' || (size + 1 < rest.size() && rest[size + 1] != ' ')) {
            return std::nullopt;
        }
        return Key{size, is_quoted};
    }

    bool take_key(const Key& key) {
        const auto text = lines_.rest().substr(0, key.size);
        lines_.skip(key.size + 1);
        if (key.is_quoted) {
            scratch_.clear();
            const auto meant = without_escapes(text.substr(1, text.size() - 2), text.front());
            return meant && handler_.on_key(*meant);
        }
        if (is_surely_text(text)) {
            return handler_.on_key(text);
        }
        const auto value = resolve_plain(text);
        if (text == "<<" || value.is_null() || is_infinite(value)) {
            return false;
        }
        return handler_.on_key(value.is_string() ? value.as_string() : json::print(value));
    }

    /// Reads a scalar that begins on this line, and moves to the next line. `column` is that of the
    /// container.
    bool value(std::size_t column) {
        const auto rest = lines_.rest();
        if (rest.front() == '|') {
            scratch_.clear();
            return lines_.take_literal(column, scratch_) && handler_.on_string(scratch_);
        }
        if (rest.front() == '"' || rest.front() == '\'') {
            return quoted(column);
        }
        if (rest == "{}" || rest == "[]") {
            return depth_ < depth_max_ && lines_.next() &&
                   (rest == "{}" ? handler_.on_start_object() && handler_.on_end_object()
                                 : handler_.on_start_array() && handler_.on_end_array());
        }
        return may_begin_plain(rest) && plain(column);
    }

    bool plain(std::size_t column) {
        auto text = lines_.rest();
        const std::size_t end = find_plain_end(text);
        if (end < text.size() && text[end] == ':') {
            return false;
        }
        const bool has_comment = end < text.size();
        text = trim_right(text.substr(0, end));
        if (!lines_.next()) {
            return false;
        }
        if (!is_indented_beyond(column)) {
            return scalar(text);
        }
        scratch_ = text;
        while (is_indented_beyond(column)) {
            const auto more = lines_.rest();
            if (has_comment || !lines_.follows_directly() || find_plain_end(more) != more.size() ||
                is_entry(more)) {
                return false;
            }
            scratch_ += ' ';
            scratch_ += more;
            if (!lines_.next()) {
                return false;
            }
        }
        return scalar(scratch_);
    }

    bool scalar(std::string_view text) {
        if (is_surely_text(text)) {
            return handler_.on_string(text);
        }
        const auto value = resolve_plain(text);
        if (is_infinite(value)) {
            return false;
        }
        return value.is_null()     ? handler_.on_null()
               : value.is_bool()   ? handler_.on_bool(value.as_bool())
               : value.is_int()    ? handler_.on_int(value.as_int())
               : value.is_double() ? handler_.on_double(value.as_double())
                                   : handler_.on_string(value.as_string());
    }
    static bool is_infinite(const json::Value& value) {
        return value.is_double() && !std::isfinite(value.as_double());
    }

    bool quoted(std::size_t column) {
        const char quote = lines_.rest().front();
        auto text = lines_.rest().substr(1);
        scratch_.clear();
        std::size_t end = 0;
        while ((end = find_closing_quote(text, 0, quote)) == std::string_view::npos) {
            // YAML folds the line break into one blank and would remove the blanks around it.
            if (text.empty() || !unquote(text, quote, scratch_) || lines_.has_trailing_blanks() ||
                !lines_.next() || !is_indented_beyond(column) || !lines_.follows_directly()) {
                return false;
            }
            scratch_ += ' ';
            text = lines_.rest();
            if (text.front() == quote) {
                return false;
            }
        }
        const auto after = text.substr(end + 1);
        const auto meant = without_escapes(text.substr(0, end), quote);
        return meant && is_empty(after) && (after.empty() || after.front() == ' ') &&
               lines_.next() && !is_indented_beyond(column) && handler_.on_string(*meant);
    }

    /// Returns the text between quotes with its escapes resolved, after the text in the scratch.
    /// Returns the text itself if there is nothing to change, which is the usual case.
    std::optional<std::string_view> without_escapes(std::string_view text, char quote) {
        const char sign = quote == '"' ? '\\' : '\'';
        if (scratch_.empty() && text.find(sign) == std::string_view::npos) {
            return text;
        }
        if (!unquote(text, quote, scratch_)) {
            return std::nullopt;
        }
        return scratch_;
    }

    BlockLines lines_;
    std::size_t depth_max_;
    json::Handler& handler_;
    std::size_t depth_ = 0;
    std::string scratch_;
};

}  // namespace

bool read_block(std::string_view text, std::size_t depth_max, json::Handler& handler) {
    return BlockReader(text, depth_max, handler).run();
}

}  // namespace sluice::yaml
