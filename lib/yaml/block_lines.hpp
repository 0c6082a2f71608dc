// The lines and scalars of a YAML document in plain block style.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::yaml {

/// Walks the lines of a document that have content. Functions that return bool return false if the
/// text is not simple enough to be sure how YAML reads it.
class BlockLines {
  public:
    explicit BlockLines(std::string_view text);

    /// Moves to the next line with content; skips blank lines and comments.
    bool next();
    bool at_end() const { return at_end_; }
    /// The current position in the line, counted from 0.
    std::size_t column() const { return column_; }
    /// The line from the current position on, without trailing blanks.
    std::string_view rest() const { return rest_; }
    /// Moves forward by `count` characters in the line, and then over blanks.
    void skip(std::size_t count);
    /// Returns true if the line ends with blanks.
    bool has_trailing_blanks() const { return has_trailing_blanks_; }
    /// Returns true if no line, not even a blank one, was skipped before this line.
    bool follows_directly() const { return follows_directly_; }
    /// Appends the text of a literal block, and moves to the line after it. Requires: the rest of
    /// the line is the block's sign (`|` or `|-`). `column` is that of the container.
    bool take_literal(std::size_t column, std::string& out);

  private:
    struct Line {
        std::string_view text;   ///< without the line break
        std::size_t next = 0;    ///< where the next line begins
        bool is_closed = false;  ///< ends with a line break
    };
    Line line_at(std::size_t at) const;

    std::string_view text_;
    bool is_simple_;      ///< all its characters are simple
    std::size_t at_ = 0;  ///< where the next line begins
    std::string_view rest_;
    std::size_t column_ = 0;
    bool at_end_ = false;
    bool has_trailing_blanks_ = false;
    bool follows_directly_ = false;
};

/// Returns true if the text holds only blanks and a comment. Requires: text after a blank, or at
/// the beginning of a line.
bool is_empty(std::string_view text);
/// Removes trailing blanks.
std::string_view trim_right(std::string_view text);
/// Returns true if a plain scalar may begin like this in block style.
bool may_begin_plain(std::string_view text);
/// Returns the end of a plain scalar in its line: the colon that makes it a key, the blank before a
/// comment, or else the end of the line.
std::size_t find_plain_end(std::string_view text);
/// Returns the position of the quote that ends the quotation, searched from `from` on; npos if the
/// quotation does not end.
std::size_t find_closing_quote(std::string_view text, std::size_t from, char quote);
/// Appends the text between quotes with its escapes resolved. Returns false for escapes that are
/// left to yaml-cpp.
bool unquote(std::string_view text, char quote, std::string& out);

}  // namespace sluice::yaml
