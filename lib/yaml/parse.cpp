#include "yaml/parse.hpp"

#include "json/reader.hpp"
#include "yaml/scalar.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace sluice::yaml {
namespace {

/// Ends the parsing from within an event; it does not leave this file.
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

/// Builds the tree of one document from yaml-cpp's events.
class Builder final : public YAML::EventHandler {
  public:
    explicit Builder(const Limits& limits) : limits_(limits) {}

    json::Value take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        add({}, anchor, mark.line);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) {
            throw Stop{mark.line, "an alias stands inside its own anchor"};
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
        // What the map says itself wins over what it merges, wherever the merge stands.
        for (auto& [key, value] : frame.merged) {
            if (frame.keys.insert(key).second) {
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
        std::set<std::string> keys;
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
        frames_.push_back({std::move(container), anchor, line, std::nullopt, false, {}, {}});
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
            if (!top.keys.insert(*top.key).second) {
                throw Stop{line, fmt::format("duplicate key '{}'", *top.key)};
            }
        } else if (std::exchange(top.is_merge, false)) {
            merge(top, std::move(value), line);
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
    json::Value root_;
    std::vector<Frame> frames_;
    std::map<YAML::anchor_t, json::Value> anchors_;
    std::size_t repeated_ = 0;
};

/// Looks for keys that stand twice in an object; JSON parsers let the last one win.
class DuplicateKeyFinder final : public json::Handler {
  public:
    bool on_null() override { return true; }
    bool on_bool(bool) override { return true; }
    bool on_int(std::int64_t) override { return true; }
    bool on_double(double) override { return true; }
    bool on_string(std::string_view) override { return true; }
    bool on_start_object() override {
        keys_.emplace_back();
        return true;
    }
    bool on_key(std::string_view key) override {
        duplicate_ = key;
        return keys_.back().insert(std::string(key)).second;
    }
    bool on_end_object() override {
        keys_.pop_back();
        return true;
    }
    bool on_start_array() override { return true; }
    bool on_end_array() override { return true; }
    Error error() const override {
        return make_invalid(fmt::format("duplicate key '{}'", duplicate_));
    }

  private:
    std::vector<std::set<std::string>> keys_;
    std::string duplicate_;
};

struct Chunk {
    std::string_view text;
    std::size_t line;  ///< of the text's first character
};

bool is_blank_or_comment(std::string_view line) {
    const auto first = line.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos || line[first] == '#';
}

bool is_separator(std::string_view line) {
    return line.starts_with("---") && (line.size() == 3 || std::string_view(" \t\r\n").find(line[3]
                                                           ) != std::string_view::npos);
}

/// Cuts the stream at its `---` lines, which end a document even inside a block scalar, and drops
/// what comes before the first line of content.
std::vector<Chunk> split(std::string_view text) {
    std::vector<Chunk> chunks;
    std::size_t line = 1;
    std::optional<std::size_t> begin;
    std::size_t begin_line = 1;
    const auto finish = [&](std::size_t end) {
        if (begin) {
            chunks.push_back({text.substr(*begin, end - *begin), begin_line});
        }
        begin.reset();
    };
    for (std::size_t at = 0; at < text.size(); ++line) {
        const auto newline = text.find('\n', at);
        const auto next = newline == std::string_view::npos ? text.size() : newline + 1;
        const auto content = text.substr(at, next - at);
        const bool separates = is_separator(content);
        if (separates) {
            finish(at);
        }
        const bool is_directive = !begin && content.starts_with('%');
        const bool has_content = !is_blank_or_comment(separates ? content.substr(3) : content);
        if (!begin && has_content && !is_directive) {
            begin = at;
            begin_line = line;
        }
        at = next;
    }
    finish(text.size());
    return chunks;
}

Error at_line(std::size_t line, std::string_view what) {
    return make_invalid(fmt::format("{}: {}", line, what));
}

void parse_yaml(const Chunk& chunk, const Limits& limits, std::vector<Document>& out) {
    try {
        std::istringstream in{std::string(chunk.text)};
        YAML::Parser parser(in);
        while (true) {
            Builder builder(limits);
            if (!parser.HandleNextDocument(builder)) {
                return;
            }
            out.push_back({builder.take(), chunk.line});
        }
    } catch (const Stop& stop) {
        const auto line = chunk.line + static_cast<std::size_t>(stop.line);
        out.push_back({at_line(line, stop.what), chunk.line});
    } catch (const YAML::Exception& error) {
        const auto offset = error.mark.is_null() ? 0 : static_cast<std::size_t>(error.mark.line);
        out.push_back({at_line(chunk.line + offset, error.msg), chunk.line});
    }
}

/// Whether the chunk was JSON; JSON is YAML as well, but this way it is read a hundred times
/// faster.
bool parse_json(const Chunk& chunk, const Limits& limits, std::vector<Document>& out) {
    if (!chunk.text.starts_with('{') && !chunk.text.starts_with('[')) {
        return false;
    }
    const json::Limits json_limits{.depth = limits.depth, .bytes = limits.bytes};
    auto value = json::parse(chunk.text, json_limits);
    if (!value) {
        return false;
    }
    DuplicateKeyFinder finder;
    if (auto done = json::read(chunk.text, finder, json_limits); !done) {
        out.push_back({at_line(chunk.line, done.error().detail), chunk.line});
    } else {
        out.push_back({std::move(*value), chunk.line});
    }
    return true;
}

}  // namespace

std::vector<Document> parse_documents(std::string_view text, const Limits& limits) {
    if (text.size() > limits.bytes) {
        return {
            {at_line(
                 1, fmt::format("{} bytes are more than the limit of {}", text.size(), limits.bytes)
             ),
             1}
        };
    }
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
    }
    std::vector<Document> documents;
    for (const Chunk& chunk : split(text)) {
        if (!parse_json(chunk, limits, documents)) {
            parse_yaml(chunk, limits, documents);
        }
    }
    return documents;
}

Result<json::Value> parse_document(std::string_view text, const Limits& limits) {
    auto documents = parse_documents(text, limits);
    if (documents.empty()) {
        return at_line(1, "there is no document");
    }
    if (documents.size() > 1 && documents.front().value) {
        return at_line(documents[1].line, "a second document, where one was expected");
    }
    return std::move(documents.front().value);
}

}  // namespace sluice::yaml
