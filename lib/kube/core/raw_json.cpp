#include "kube/core/raw_json.hpp"

#include "json/value.hpp"

#include <fmt/core.h>

#include <cstddef>
#include <optional>

namespace sluice::kube {
namespace {

/// Maximum nesting, as when values are parsed.
constexpr int kDepthMax = 128;

class Scanner {
  public:
    explicit Scanner(std::string_view text) : text_(text) {}

    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' ||
                                      text_[at_] == '\r' || text_[at_] == '\t')) {
            ++at_;
        }
    }

    bool take(char c) {
        skip_blanks();
        if (at_ >= text_.size() || text_[at_] != c) {
            return false;
        }
        ++at_;
        return true;
    }

    bool at_end() {
        skip_blanks();
        return at_ >= text_.size();
    }

    /// Reads the string that begins here, with its quotes.
    std::optional<std::string_view> take_string() {
        skip_blanks();
        const auto start = at_;
        if (at_ >= text_.size() || text_[at_] != '"') {
            return std::nullopt;
        }
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '\\') {
                ++at_;
            } else if (text_[at_] == '"') {
                ++at_;
                return text_.substr(start, at_ - start);
            }
        }
        return std::nullopt;
    }

    /// Reads the value that begins here.
    std::optional<std::string_view> take_value() {
        skip_blanks();
        if (at_ >= text_.size()) {
            return std::nullopt;
        }
        if (text_[at_] == '"') {
            return take_string();
        }
        if (text_[at_] == '{' || text_[at_] == '[') {
            return take_nested();
        }
        const auto start = at_;
        at_ = std::min(text_.find_first_of(",]} \n\r\t", at_), text_.size());
        return at_ == start ? std::nullopt : std::optional(text_.substr(start, at_ - start));
    }

    std::size_t at() const { return at_; }

  private:
    std::optional<std::string_view> take_nested() {
        const auto start = at_;
        int depth = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"') {
                if (!take_string()) {
                    return std::nullopt;
                }
                continue;
            }
            ++at_;
            if (c == '{' || c == '[') {
                if (++depth > kDepthMax) {
                    return std::nullopt;
                }
            } else if ((c == '}' || c == ']') && --depth == 0) {
                return text_.substr(start, at_ - start);
            }
        }
        return std::nullopt;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

Error broken(std::string_view what, const Scanner& scanner) {
    return make_invalid(fmt::format("malformed JSON {} at byte {}", what, scanner.at()));
}

}  // namespace

Result<std::vector<RawMember>> split_object(std::string_view text) {
    Scanner scanner(text);
    std::vector<RawMember> members;
    if (!scanner.take('{')) {
        return broken("object", scanner);
    }
    bool closed = scanner.take('}');
    while (!closed) {
        const auto key = scanner.take_string();
        if (!key || !scanner.take(':')) {
            return broken("object", scanner);
        }
        const auto value = scanner.take_value();
        if (!value) {
            return broken("object", scanner);
        }
        members.push_back(RawMember{key->substr(1, key->size() - 2), *value});
        closed = scanner.take('}');
        if (!closed && !scanner.take(',')) {
            return broken("object", scanner);
        }
    }
    if (!scanner.at_end()) {
        return broken("object", scanner);
    }
    return members;
}

Result<std::vector<std::string_view>> split_array(std::string_view text) {
    Scanner scanner(text);
    std::vector<std::string_view> elements;
    if (!scanner.take('[')) {
        return broken("array", scanner);
    }
    bool closed = scanner.take(']');
    while (!closed) {
        const auto value = scanner.take_value();
        if (!value) {
            return broken("array", scanner);
        }
        elements.push_back(*value);
        closed = scanner.take(']');
        if (!closed && !scanner.take(',')) {
            return broken("array", scanner);
        }
    }
    if (!scanner.at_end()) {
        return broken("array", scanner);
    }
    return elements;
}

std::string_view find_raw(std::string_view text, std::initializer_list<std::string_view> path) {
    for (const auto& name : path) {
        Scanner scanner(text);
        std::string_view found;
        bool more = scanner.take('{');
        while (more) {
            const auto key = scanner.take_string();
            if (!key || !scanner.take(':')) {
                return {};
            }
            const auto value = scanner.take_value();
            if (!value) {
                return {};
            }
            if (key->substr(1, key->size() - 2) == name) {
                found = *value;
                break;
            }
            more = scanner.take(',');
        }
        if (found.empty()) {
            return {};
        }
        text = found;
    }
    return text;
}

std::string find_string(std::string_view text, std::initializer_list<std::string_view> path) {
    const auto raw = find_raw(text, path);
    if (raw.size() < 2 || raw.front() != '"') {
        return {};
    }
    if (raw.find('\\') == std::string_view::npos) {
        return std::string(raw.substr(1, raw.size() - 2));
    }
    const auto value = json::parse(raw);
    return value && value->is_string() ? value->as_string() : std::string();
}

}  // namespace sluice::kube
