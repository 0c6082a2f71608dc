#include "yaml/parse.hpp"

#include "json/reader.hpp"
#include "yaml/block_reader.hpp"
#include "yaml/document_reader.hpp"
#include "yaml/library_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace sluice::yaml {
namespace {

struct Chunk {
    std::string_view text;
    std::size_t line;  ///< line of the text's first character
    /// The line of a directive before the text that is not followed by `---`.
    std::optional<std::size_t> lone_directive;
};

bool is_blank_or_comment(std::string_view line) {
    const auto first = line.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos || line[first] == '#';
}

bool is_marker(std::string_view line, std::string_view marker) {
    return line.starts_with(marker.front()) && line.starts_with(marker) &&
           (line.size() == marker.size() ||
            std::string_view(" \t\r\n").find(line[marker.size()]) != std::string_view::npos);
}

/// Splits the stream at its `---` lines and after its `...` lines, which end a document even inside
/// a block scalar. Drops everything before the first line of content.
template <class Take>
void for_each_chunk(std::string_view text, const Take& take) {
    std::size_t line = 1;
    std::optional<std::size_t> begin;
    std::size_t begin_line = 1;
    std::optional<std::size_t> directive;
    const auto finish = [&](std::size_t end) {
        if (begin) {
            take(Chunk{text.substr(*begin, end - *begin), begin_line, directive});
        }
        begin.reset();
        directive.reset();
    };
    for (std::size_t at = 0; at < text.size(); ++line) {
        const auto newline = text.find('\n', at);
        const auto next = newline == std::string_view::npos ? text.size() : newline + 1;
        const auto content = text.substr(at, next - at);
        const bool separates = is_marker(content, "---");
        if (separates) {
            finish(at);
        }
        const bool ends = is_marker(content, "...") && is_blank_or_comment(content.substr(3));
        const bool is_directive = !begin && content.starts_with('%');
        if (is_directive && !directive) {
            directive = line;
        }
        if (!begin && !is_directive && !ends &&
            !is_blank_or_comment(separates ? content.substr(3) : content)) {
            begin = at;
            begin_line = line;
        }
        at = next;
        if (ends && begin) {
            finish(at);
        }
    }
    if (!begin && directive) {
        begin = text.size();
        begin_line = line;
    }
    finish(text.size());
}

constexpr std::string_view kSpace = " \t\r\n";

/// Returns true if the text looks like JSON: unquoted keys are valid only in YAML.
bool looks_like_json(std::string_view text) {
    const auto second = text.find_first_not_of(kSpace, 1);
    const char next = second == std::string_view::npos ? '\0' : text[second];
    return (text.starts_with('{') && next == '"') ||
           (text.starts_with('[') && (next == '{' || next == '['));
}

/// Returns the JSON fault of a chunk that looks like JSON. yaml-cpp would report the place where
/// the text stops being YAML, which is less useful.
std::optional<Error> find_json_fault(const Chunk& chunk, const Limits& limits) {
    if (!looks_like_json(chunk.text)) {
        return std::nullopt;
    }
    const json::Limits json_limits{.depth = limits.depth, .bytes = limits.bytes};
    const auto fault = json::find_fault(chunk.text, json_limits);
    if (!fault) {
        return std::nullopt;
    }
    // If the text ends too early, report its last line, not the line after it.
    const auto end = std::min(fault->offset, chunk.text.find_last_not_of(kSpace));
    const auto lines = std::ranges::count(chunk.text.substr(0, end), '\n');
    return at_line(chunk.line + static_cast<std::size_t>(lines), "malformed JSON: " + fault->what);
}

/// A sink that takes whole documents.
class DocumentSink final : public ObjectSink {
  public:
    explicit DocumentSink(const TakeDocument& take) : take_(take) {}
    void take(Document& document) override { take_(std::move(document)); }
    void begin_list() override {}
    void keep_list() override {}
    void drop_list() override {}

  private:
    const TakeDocument& take_;
};

/// How lists are passed to a sink: as whole documents or item by item.
enum class Give : std::uint8_t { Documents, Items };

/// Reads a chunk that is one document of JSON or of plain block style.
class QuickReader {
  public:
    QuickReader(const Limits& limits, Give give, ObjectSink& sink)
        : limits_(limits), give_(give), sink_(sink) {}

    /// Returns true if the chunk was read, or its error reported; false if yaml-cpp must read it.
    bool read(const Chunk& chunk) {
        const bool is_json = chunk.text.starts_with('{') || chunk.text.starts_with('[');
        line_ = chunk.line;
        if (give_ == Give::Documents) {
            return read(chunk, is_json, whole_);
        }
        is_in_list_ = false;
        if (!read(chunk, is_json, items_)) {
            drop();
            return false;
        }
        return true;
    }

  private:
    bool read(const Chunk& chunk, bool is_json, DocumentReader& reader) {
        if (!(is_json ? replay_json(chunk, reader) : replay_block(chunk, reader))) {
            reader.reset();
            return false;
        }
        if (const auto key = reader.repeated_key()) {
            reader.reset();
            drop();
            const bool is_reported = is_json && limits_.repeated_keys == nullptr;
            if (is_reported) {
                give(at_line(line_, fmt::format("duplicate key '{}'", *key)));
            }
            return is_reported;  // otherwise yaml-cpp reads it: it knows the key's line
        }
        if (!reader.has_given_items()) {
            give(reader.take());
        } else if (reader.is_list()) {
            reader.reset();
            sink_.keep_list();
        } else {
            reader.reset();
            drop();
            return read(chunk, is_json, whole_);  // an object with a field `items`, not a list
        }
        return true;
    }

    void give(Result<json::Value> value, std::optional<std::size_t> item = std::nullopt) {
        Document document{std::move(value), line_, item};
        sink_.take(document);
    }
    void take_item(json::Value item) {
        if (!is_in_list_) {
            is_in_list_ = true;
            items_given_ = 0;
            sink_.begin_list();
        }
        give(std::move(item), items_given_++);
    }
    void drop() {
        if (std::exchange(is_in_list_, false)) {
            sink_.drop_list();
        }
    }

    bool replay_json(const Chunk& chunk, json::Handler& handler) const {
        const json::Limits limits{.depth = limits_.depth, .bytes = limits_.bytes};
        return json::read(chunk.text, handler, limits).has_value();
    }
    bool replay_block(const Chunk& chunk, json::Handler& handler) const {
        return read_block(chunk.text, limits_.depth, handler);
    }

    const Limits& limits_;
    Give give_;
    ObjectSink& sink_;
    std::size_t line_ = 0;
    bool is_in_list_ = false;
    std::size_t items_given_ = 0;  // of the current list so far
    DocumentReader whole_;
    DocumentReader items_{[this](json::Value item) { take_item(std::move(item)); }};
};

void read_stream(std::string_view text, const Limits& limits, Give give, ObjectSink& sink) {
    if (text.size() > limits.bytes) {
        const auto what =
            fmt::format("{} bytes are more than the limit of {}", text.size(), limits.bytes);
        Document refusal{at_line(1, what), 1};
        sink.take(refusal);
        return;
    }
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
    }
    QuickReader quick(limits, give, sink);
    for_each_chunk(text, [&](const Chunk& chunk) {
        if (chunk.lone_directive) {
            Document refusal{at_line(*chunk.lone_directive, kLoneDirective), chunk.line};
            sink.take(refusal);
        } else if (!quick.read(chunk)) {
            bool is_first = true;
            read_with_library(chunk.text, chunk.line, limits, [&](Document document) {
                if (!document.value && is_first) {
                    if (auto fault = find_json_fault(chunk, limits)) {
                        document.value = *std::move(fault);
                    }
                }
                is_first = false;
                sink.take(document);
            });
        }
    });
}

}  // namespace

std::vector<Document> parse_documents(std::string_view text, const Limits& limits) {
    std::vector<Document> documents;
    const TakeDocument take = [&documents](Document document) {
        documents.push_back(std::move(document));
    };
    DocumentSink sink(take);
    read_stream(text, limits, Give::Documents, sink);
    return documents;
}

void read_objects(std::string_view text, ObjectSink& sink, const Limits& limits) {
    read_stream(text, limits, Give::Items, sink);
}

Result<json::Value> parse_document(std::string_view text, const Limits& limits) {
    auto documents = parse_documents(text, limits);
    if (documents.empty()) {
        return at_line(1, "contains no document");
    }
    if (documents.size() > 1 && documents.front().value) {
        const bool is_same_text = documents[1].line == documents[0].line;
        if (is_same_text && !documents[1].value) {
            return std::move(documents[1].value);  // the error that ended the first is clearer
        }
        return at_line(documents[1].line, "a second document, where one was expected");
    }
    return std::move(documents.front().value);
}

Error in_file(Error error, std::string_view file) {
    error.detail = fmt::format("{}:{}", file, error.detail);
    return error;
}

}  // namespace sluice::yaml
