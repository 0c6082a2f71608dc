#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::yaml {

/// The lines of a document that have content, one after the other. Functions that return bool say
/// whether the text is still simple enough to be sure what YAML makes of it.
class BlockLines {
  public:
    explicit BlockLines(std::string_view text);

    /// Goes to the next line with content, over blank ones and comments.
    bool next();
    bool at_end() const { return at_end_; }
    /// The place in the line, counted from 0.
    std::size_t column() const { return column_; }
    /// The line from that place on, without blanks at its end.
    std::string_view rest() const { return rest_; }
    /// Goes on so many characters in the line, and then over blanks.
    void skip(std::size_t count);
    /// Whether blanks ended the line.
    bool has_trailing_blanks() const { return has_trailing_blanks_; }
    /// Whether nothing, not even a blank line, was passed over before this line.
    bool follows_directly() const { return follows_directly_; }
    /// Appends the text of a literal block (`|` or `|-`), whose sign the rest of the line is, in a
    /// container at the column, and goes to the next line.
    bool take_literal(std::size_t column, std::string& out);

  private:
    struct Line {
        std::string_view text;   ///< without the line break
        std::size_t next = 0;    ///< where the line after it begins
        bool is_closed = false;  ///< by a line break
    };
    Line line_at(std::size_t at) const;

    std::string_view text_;
    bool is_simple_;      ///< all of its characters are
    std::size_t at_ = 0;  ///< where the next line begins
    std::string_view rest_;
    std::size_t column_ = 0;
    bool at_end_ = false;
    bool has_trailing_blanks_ = false;
    bool follows_directly_ = false;
};

/// Whether nothing but blanks and a comment is there. Requires: text after a blank, or at the
/// beginning of a line.
bool is_empty(std::string_view text);
std::string_view trim_right(std::string_view text);
/// Whether a plain scalar may begin like this in block style.
bool may_begin_plain(std::string_view text);
/// Where a plain scalar ends in its line: at the colon that makes it a key, or at the blank before
/// a comment, else at the end.
std::size_t find_plain_end(std::string_view text);
/// Where the quotation that is open at `from` is closed, or npos.
std::size_t find_closing_quote(std::string_view text, std::size_t from, char quote);
/// Appends what the text between quotes means; false for escapes that are left to yaml-cpp.
bool unquote(std::string_view text, char quote, std::string& out);

}  // namespace sluice::yaml
