#include "yaml/library_reader.hpp"

#include "yaml/block_lines.hpp"
#include "yaml/scalar.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

namespace sluice::yaml {
namespace {

/// Thrown in a yaml-cpp event to end the parsing. It does not leave this file.
struct Stop {
    int line;
    std::string what;
};

std::size_t count_values(const json::Value& value) {
    std::size_t count = 1;
    if (value.is_array()) {
        for (const auto& item : value.as_array()) {
            count += count_values(item);
        }
    } else if (value.is_object()) {
        for (const auto& [key, member] : value.as_object()) {
            count += count_values(member);
        }
    }
    return count;
}

std::string print_key(const json::Value& key, int line) {
    if (key.is_string()) {
        return key.as_string();
    }
    if (key.is_bool() || key.is_number()) {
        return json::print(key);
    }
    throw Stop{line, "a key must be a string"};
}

/// The text that yaml-cpp reads, looked up by yaml-cpp's marks.
class Source {
  public:
    explicit Source(std::string_view text) : text_(text) {
        constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
        if (text_.starts_with(kByteOrderMark)) {
            text_.remove_prefix(kByteOrderMark.size());  // yaml-cpp does not count it
        } else if (text_.find('\0') != std::string_view::npos) {
            text_ = {};  // maybe UTF-16 or UTF-32, where positions are not byte offsets
        }
    }

    /// Returns the text from the mark on; empty if the byte position is unknown.
    std::string_view from(const YAML::Mark& mark) const {
        const auto at = static_cast<std::size_t>(mark.pos);
        return at < text_.size() ? text_.substr(at) : std::string_view();
    }
    /// Returns true if the scalar at the mark begins with a quotation mark that is never closed.
    /// yaml-cpp misses this error if the text ends with a line break.
    bool is_unclosed(const YAML::Mark& mark) const {
        auto text = from(mark);
        while (text.starts_with('!') || text.starts_with('&')) {
            text = skip_property(text);
        }
        return (text.starts_with('"') || text.starts_with('\'')) &&
               find_closing_quote(text, 1, text.front()) == std::string_view::npos;
    }

    /// Returns true if the indentation of the mark's line contains a tab.
    bool is_indented_by_tab(const YAML::Mark& mark) const {
        const auto at = std::min(static_cast<std::size_t>(mark.pos), text_.size());
        const auto before = text_.substr(0, at).rfind('\n');
        const auto line = text_.substr(before == std::string_view::npos ? 0 : before + 1);
        return line.find('\t') < line.find_first_not_of(" \t");
    }

  private:
    /// Skips a tag or an anchor, and the blanks and comments after it.
    static std::string_view skip_property(std::string_view text) {
        text.remove_prefix(std::min(text.find_first_of(kEnds), text.size()));
        while (true) {
            text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
            if (!text.starts_with('#')) {
                return text;
            }
            text.remove_prefix(std::min(text.find('\n'), text.size()));
        }
    }
    static constexpr std::string_view kEnds = " \t\r\n,[]{}";
    static constexpr std::string_view kBlanks = " \t\r\n";

    std::string_view text_;
};

/// Builds the tree of one document from yaml-cpp's events.
class Builder final : public YAML::EventHandler {
  public:
    /// `line` is the line of the text's first character.
    Builder(
        const Limits& limits,
        const Source& source,
        const YAML::Mark& previous_begin,
        std::size_t line
    )
        : limits_(limits), source_(source), begin_(previous_begin), line_(line) {}

    json::Value take() { return std::move(root_); }
    /// The place where the document begins.
    const YAML::Mark& begin() const { return begin_; }

    void OnDocumentStart(const YAML::Mark& mark) override {
        // yaml-cpp takes text that cannot begin a document for an empty document. It does not
        // advance then, and finds the same document again without end.
        if (source_.from(mark).starts_with(',') || mark.pos == begin_.pos) {
            throw Stop{
                mark.line,
                fmt::format(
                    "a comma at column {} is outside of any list or map; documents are "
                    "separated by a line of '---', not by commas",
                    mark.column + 1
                )
            };
        }
        begin_ = mark;
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        add({}, anchor, mark.line);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) {
            throw Stop{mark.line, "an alias is inside its own anchor"};
        }
        repeated_ += count_values(found->second);
        if (repeated_ > limits_.repeated_values) {
            throw Stop{mark.line, "aliases repeat too many values"};
        }
        add(found->second, YAML::NullAnchor, mark.line);
    }
    void OnScalar(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        const std::string& text
    ) override {
        if (source_.is_unclosed(mark)) {
            throw Stop{mark.line, "a quotation mark that is never closed"};
        }
        const bool is_merge = text == "<<" && tag == "?";
        if (is_merge && !frames_.empty() && frames_.back().wants_key()) {
            frames_.back().key = text;
            frames_.back().is_merge = true;
            return;
        }
        add(resolve(tag, text, mark.line), anchor, mark.line);
    }
    void OnSequenceStart(
        const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value
    ) override {
        open(json::Array{}, anchor, mark.line);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(
        const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, YAML::EmitterStyle::value
    ) override {
        open(json::Object{}, anchor, mark.line);
    }
    void OnMapEnd() override {
        Frame& frame = frames_.back();
        // A map's own keys override merged keys, wherever the merge is in the map.
        for (auto& [key, value] : frame.merged) {
            if (frame.keys.try_emplace(key).second) {
                frame.value.as_object().emplace_back(key, std::move(value));
            }
        }
        close();
    }

  private:
    struct Frame {
        json::Value value;
        YAML::anchor_t anchor;
        int line;
        std::optional<std::string> key;
        bool is_merge = false;
        bool is_repeated = false;                 ///< the key is already in the map
        std::size_t place = 0;                    ///< index of a repeated key's value
        std::map<std::string, std::size_t> keys;  ///< each key and the index of its value
        json::Object merged;

        bool wants_key() const { return value.is_object() && !key; }
    };

    static json::Value resolve(const std::string& tag, const std::string& text, int line) {
        constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
        if (tag == "!" || tag == "tag:yaml.org,2002:str") {
            return text;
        }
        if (tag != "?" && !tag.empty() && !tag.starts_with(kPrefix)) {
            return text;
        }
        if (tag == "tag:yaml.org,2002:binary") {
            throw Stop{line, "the tag !!binary is not supported"};
        }
        auto value = resolve_plain(text);
        if (value.is_double() && !std::isfinite(value.as_double())) {
            throw Stop{line, fmt::format("{} has no place in JSON", text)};
        }
        return value;
    }
    void open(json::Value container, YAML::anchor_t anchor, int line) {
        if (frames_.size() >= limits_.depth) {
            throw Stop{line, fmt::format("nested deeper than {} levels", limits_.depth)};
        }
        if (!frames_.empty() && frames_.back().wants_key()) {
            throw Stop{line, "a key must be a string"};
        }
        frames_.push_back(
            {std::move(container), anchor, line, std::nullopt, false, false, 0, {}, {}}
        );
    }
    void close() {
        Frame frame = std::move(frames_.back());
        frames_.pop_back();
        add(std::move(frame.value), frame.anchor, frame.line);
    }
    void add(json::Value value, YAML::anchor_t anchor, int line) {
        if (anchor != YAML::NullAnchor) {
            anchors_.insert_or_assign(anchor, value);
        }
        if (frames_.empty()) {
            root_ = std::move(value);
            return;
        }
        Frame& top = frames_.back();
        if (top.value.is_array()) {
            top.value.as_array().push_back(std::move(value));
        } else if (!top.key) {
            top.key = print_key(value, line);
            const auto [known, is_new] = top.keys.try_emplace(*top.key, top.keys.size());
            top.is_repeated = !is_new;
            top.place = known->second;
            if (top.is_repeated && limits_.repeated_keys == nullptr) {
                throw Stop{line, fmt::format("duplicate key '{}'", *top.key)};
            }
        } else if (std::exchange(top.is_merge, false)) {
            merge(top, std::move(value), line);
            top.key.reset();
        } else if (top.is_repeated) {
            limits_.repeated_keys->push_back({line_ + static_cast<std::size_t>(line), *top.key});
            top.value.as_object()[top.place].second = std::move(value);
            top.key.reset();
        } else {
            top.value.as_object().emplace_back(std::move(*top.key), std::move(value));
            top.key.reset();
        }
    }
    static void merge(Frame& into, json::Value value, int line) {
        if (value.is_array()) {
            for (auto& item : value.as_array()) {
                if (!item.is_object()) {
                    throw Stop{line, "only maps can be merged"};
                }
                merge(into, std::move(item), line);
            }
            return;
        }
        if (!value.is_object()) {
            throw Stop{line, "only maps can be merged"};
        }
        for (auto& member : value.as_object()) {
            into.merged.push_back(std::move(member));
        }
    }

    const Limits& limits_;
    const Source& source_;
    YAML::Mark begin_;
    std::size_t line_;
    json::Value root_;
    std::vector<Frame> frames_;
    std::map<YAML::anchor_t, json::Value> anchors_;
    std::size_t repeated_ = 0;
};

/// Ignores all events, but stops at a document that yaml-cpp would find without end. For errors of
/// the parser itself.
class Deaf final : public YAML::EventHandler {
  public:
    void OnDocumentStart(const YAML::Mark& mark) override {
        if (std::exchange(begin_, mark.pos) == mark.pos) {
            throw Stop{mark.line, {}};
        }
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
    void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&)
        override {}
    void OnSequenceStart(
        const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value
    ) override {}
    void OnSequenceEnd() override {}
    void OnMapStart(
        const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value
    ) override {}
    void OnMapEnd() override {}

  private:
    int begin_ = -1;
};

/// Returns the line, counted from 0, of the first directive inside the text; yaml-cpp would ignore
/// such a directive. The text after each `%` is replaced by a directive that yaml-cpp refuses: that
/// separates directives from scalars with a line that begins with `%`.
std::optional<int> find_directive(std::string_view text) {
    constexpr std::string_view kSign = "\n%";
    auto at = text.find(kSign);
    if (at == std::string_view::npos) {
        return std::nullopt;
    }
    std::string marked;
    for (; at != std::string_view::npos; at = text.find(kSign)) {
        marked += text.substr(0, at + kSign.size());
        marked += "YAML YAML x";  // too many arguments, whatever follows the x
        text.remove_prefix(at + kSign.size());
    }
    marked += text;
    try {
        std::istringstream in(marked);
        YAML::Parser parser(in);
        Deaf deaf;
        while (parser.HandleNextDocument(deaf)) {
        }
    } catch (const Stop&) {
        return std::nullopt;  // the real parse finds this error too
    } catch (const YAML::Exception& error) {
        if (error.msg == YAML::ErrorMsg::YAML_DIRECTIVE_ARGS) {
            return error.mark.line;
        }
    }
    return std::nullopt;
}

constexpr std::string_view kTab = "a tab in the indentation, where YAML allows spaces alone";

}  // namespace

Error at_line(std::size_t line, std::string_view what) {
    return make_invalid(fmt::format("{}: {}", line, what));
}

void read_with_library(
    std::string_view text, std::size_t line, const Limits& limits, const TakeDocument& take
) {
    if (const auto directive = find_directive(text)) {
        take({at_line(line + static_cast<std::size_t>(*directive), kLoneDirective), line});
        return;
    }
    const Source source(text);
    try {
        std::istringstream in{std::string(text)};
        YAML::Parser parser(in);
        auto begin = YAML::Mark::null_mark();
        while (true) {
            Builder builder(limits, source, begin, line);
            if (!parser.HandleNextDocument(builder)) {
                return;
            }
            begin = builder.begin();
            take({builder.take(), line});
        }
    } catch (const Stop& stop) {
        take({at_line(line + static_cast<std::size_t>(stop.line), stop.what), line});
    } catch (const YAML::Exception& error) {
        const auto offset = error.mark.is_null() ? 0 : static_cast<std::size_t>(error.mark.line);
        const bool is_tab = !error.mark.is_null() && source.is_indented_by_tab(error.mark);
        const std::string what = is_tab ? std::string(kTab) : "invalid YAML: " + error.msg;
        take({at_line(line + offset, what), line});
    }
}

}  // namespace sluice::yaml
