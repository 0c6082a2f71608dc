#include "yaml/print.hpp"

#include "json/writer.hpp"
#include "yaml/scalar.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace sluice::yaml {
namespace {

/// Returns true if the text can be written without quotes. Doubtful texts are quoted.
bool is_plain(const std::string& text) {
    constexpr std::string_view kSafe =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./ ()=;,:'";
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    if (text.empty() || !(is_letter(text.front()) || text.front() == '.' || text.front() == '/') ||
        text.find_first_not_of(kSafe) != std::string::npos) {
        return false;
    }
    return text.back() != ' ' && text.back() != ':' && text.find(": ") == std::string::npos &&
           resolve_plain(text).is_string();
}

class Printer {
  public:
    void value(const json::Value& value, std::size_t indent) {
        if (value.is_object() && !value.as_object().empty()) {
            object(value.as_object(), indent);
        } else if (value.is_array() && !value.as_array().empty()) {
            array(value.as_array(), indent);
        } else {
            scalar(value);
            out_ += '\n';
        }
    }
    std::string take() { return std::move(out_); }

  private:
    static bool is_block(const json::Value& value) {
        return (value.is_object() && !value.as_object().empty()) ||
               (value.is_array() && !value.as_array().empty());
    }
    void scalar(const json::Value& value) {
        if (value.is_string()) {
            string(value.as_string());
        } else {
            out_ += json::print(value);
        }
    }
    void string(const std::string& text) {
        if (is_plain(text)) {
            out_ += text;
        } else {
            json::append_quoted(out_, text);
        }
    }
    /// The first member continues the line (after "- "); the other members begin at the indent.
    void object(const json::Object& object, std::size_t indent) {
        std::vector<const json::Member*> members;
        for (const auto& member : object) {
            members.push_back(&member);
        }
        std::ranges::sort(members, {}, [](const json::Member* member) -> const std::string& {
            return member->first;
        });
        for (std::size_t i = 0; i < members.size(); ++i) {
            out_.append(i == 0 ? 0 : indent, ' ');
            string(members[i]->first);
            out_ += ':';
            const auto& member = members[i]->second;
            if (!is_block(member)) {
                out_ += ' ';
                value(member, indent);
                continue;
            }
            // Lists have the indent of their key, as kubectl prints them.
            const std::size_t inner = member.is_array() ? indent : indent + 2;
            out_ += '\n';
            out_.append(inner, ' ');
            value(member, inner);
        }
    }
    void array(const json::Array& array, std::size_t indent) {
        for (std::size_t i = 0; i < array.size(); ++i) {
            out_.append(i == 0 ? 0 : indent, ' ');
            out_ += "- ";
            value(array[i], indent + 2);
        }
    }

    std::string out_;
};

}  // namespace

std::string print(const json::Value& value) {
    Printer printer;
    printer.value(value, 0);
    return printer.take();
}

}  // namespace sluice::yaml
