#include "apiserver/selectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace sluice::apiserver {
namespace {

using Operator = LabelRequirement::Operator;

constexpr std::string_view kSymbols = "=!(),<>";

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Words and symbols of a label selector.
class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) { next(); }
    const std::string& token() const { return token_; }
    bool at_end() const { return at_end_; }
    bool is_word() const { return !at_end_ && is_word_; }
    bool is(std::string_view symbol) const { return !at_end_ && !is_word_ && token_ == symbol; }
    bool is_keyword(std::string_view word) const { return is_word() && token_ == word; }

    void next() {
        while (at_ < text_.size() && is_blank(text_[at_])) {
            ++at_;
        }
        at_end_ = at_ == text_.size();
        token_.clear();
        if (at_end_) {
            return;
        }
        is_word_ = kSymbols.find(text_[at_]) == std::string_view::npos;
        if (is_word_) {
            while (at_ < text_.size() && !is_blank(text_[at_])
                   && kSymbols.find(text_[at_]) == std::string_view::npos) {
                token_ += text_[at_++];
            }
            return;
        }
        token_ = text_[at_++];
        const bool may_double = token_ == "=" || token_ == "!";
        if (may_double && at_ < text_.size() && text_[at_] == '=') {
            token_ += text_[at_++];
        }
    }

  private:
    std::string_view text_;
    std::size_t at_ = 0;
    std::string token_;
    bool is_word_ = false;
    bool at_end_ = false;
};

Error unexpected(const Lexer& lexer, std::string_view expected) {
    return make_invalid(fmt::format("found '{}', expected: {}", lexer.token(), expected));
}

bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_name_part(std::string_view text) {
    return !text.empty() && text.size() <= 63 && is_alphanumeric(text.front())
           && is_alphanumeric(text.back()) && std::ranges::all_of(text, [](char c) {
                  return is_alphanumeric(c) || c == '-' || c == '_' || c == '.';
              });
}

Result<void> check_key(const std::string& key) {
    const auto slash = key.find('/');
    const auto name =
        slash == std::string::npos ? std::string_view(key) : std::string_view(key).substr(slash + 1);
    if (is_name_part(name) && slash != 0) {
        return {};
    }
    return make_invalid(fmt::format(
        "key: Invalid value: \"{}\": name part must consist of alphanumeric characters, '-', '_' "
        "or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
        "'my.name',  or '123-abc', regex used for validation is "
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        key
    ));
}

Result<void> check_value(const std::string& key, const std::string& value) {
    if (value.empty() || is_name_part(value)) {
        return {};
    }
    return make_invalid(fmt::format(
        "values[0][{}]: Invalid value: \"{}\": a valid label must be an empty string or consist of "
        "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
        "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
        key,
        value
    ));
}

/// The values of `in (a,b)`.
Result<std::vector<std::string>> parse_set(Lexer& lexer) {
    if (!lexer.is("(")) {
        return unexpected(lexer, "'('");
    }
    lexer.next();
    std::vector<std::string> values;
    bool expects_value = true;
    while (!lexer.is(")")) {
        if (lexer.is_word()) {
            values.push_back(lexer.token());
            expects_value = false;
        } else if (lexer.is(",")) {
            if (expects_value) {
                values.emplace_back();
            }
            expects_value = true;
        } else {
            return unexpected(lexer, "',', or ')'");
        }
        lexer.next();
    }
    if (expects_value) {
        values.emplace_back();
    }
    lexer.next();
    return values;
}

std::optional<Operator> operator_of(const Lexer& lexer) {
    if (lexer.is("=") || lexer.is("==") || lexer.is_keyword("in")) {
        return Operator::In;
    }
    if (lexer.is("!=") || lexer.is_keyword("notin")) {
        return Operator::NotIn;
    }
    if (lexer.is("<")) {
        return Operator::LessThan;
    }
    if (lexer.is(">")) {
        return Operator::GreaterThan;
    }
    return std::nullopt;
}

Result<LabelRequirement> parse_requirement(Lexer& lexer) {
    LabelRequirement requirement;
    const bool is_negated = lexer.is("!");
    if (is_negated) {
        lexer.next();
    }
    if (!lexer.is_word()) {
        return unexpected(lexer, "identifier");
    }
    requirement.key = lexer.token();
    lexer.next();
    if (const auto key = check_key(requirement.key); !key) {
        return key.error();
    }
    if (is_negated || lexer.at_end() || lexer.is(",")) {
        requirement.op = is_negated ? Operator::DoesNotExist : Operator::Exists;
        return requirement;
    }
    const auto op = operator_of(lexer);
    if (!op) {
        return unexpected(lexer, "in, notin, =, ==, !=, gt, lt");
    }
    requirement.op = *op;
    const bool is_set = lexer.is_word();
    lexer.next();
    if (is_set) {
        auto values = parse_set(lexer);
        if (!values) {
            return values.error();
        }
        requirement.values = std::move(*values);
    } else if (lexer.is_word()) {
        requirement.values.push_back(lexer.token());
        lexer.next();
    } else if (lexer.at_end() || lexer.is(",")) {
        requirement.values.emplace_back();
    } else {
        return unexpected(lexer, "identifier");
    }
    for (const auto& value : requirement.values) {
        if (const auto checked = check_value(requirement.key, value); !checked) {
            return checked.error();
        }
    }
    return requirement;
}

std::optional<std::int64_t> to_integer(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

bool matches(const LabelRequirement& requirement, const SortedPairs& labels) {
    const std::string* value = find_pair(labels, requirement.key);
    const auto has_value = [&] {
        return std::ranges::find(requirement.values, *value) != requirement.values.end();
    };
    switch (requirement.op) {
        case Operator::Exists:
            return value != nullptr;
        case Operator::DoesNotExist:
            return value == nullptr;
        case Operator::In:
            return value != nullptr && has_value();
        case Operator::NotIn:
            return value == nullptr || !has_value();
        case Operator::GreaterThan:
        case Operator::LessThan: {
            const auto left = value == nullptr ? std::nullopt : to_integer(*value);
            const auto right = to_integer(requirement.values.front());
            if (!left || !right) {
                return false;
            }
            return requirement.op == Operator::GreaterThan ? *left > *right : *left < *right;
        }
    }
    return false;
}

/// Splits at commas that no backslash is before.
std::vector<std::string> split_fields(std::string_view text) {
    std::vector<std::string> terms(1);
    bool is_escaped = false;
    for (const char c : text) {
        if (c == ',' && !is_escaped) {
            terms.emplace_back();
        } else {
            terms.back() += c;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    return terms;
}

std::string unescape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) {
            ++i;
        }
        out += text[i];
    }
    return out;
}

std::optional<FieldSelector::Requirement> parse_field(std::string_view term) {
    for (std::size_t i = 0; i < term.size(); ++i) {
        const auto rest = term.substr(i);
        const bool is_unequal = rest.starts_with("!=");
        if (!is_unequal && !rest.starts_with("=")) {
            continue;
        }
        const std::size_t length = is_unequal || rest.starts_with("==") ? 2 : 1;
        return FieldSelector::Requirement{
            std::string(term.substr(0, i)), unescape(rest.substr(length)), !is_unequal
        };
    }
    return std::nullopt;
}

}  // namespace

const std::string* find_pair(const SortedPairs& pairs, std::string_view name) {
    const auto at = std::ranges::lower_bound(
        pairs, name, {}, [](const auto& pair) -> std::string_view { return pair.first; }
    );
    return at != pairs.end() && at->first == name ? &at->second : nullptr;
}

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
    LabelSelector selector;
    Lexer lexer(text);
    while (!lexer.at_end()) {
        auto requirement = parse_requirement(lexer);
        if (!requirement) {
            return with_context(requirement.error(), "unable to parse requirement");
        }
        selector.requirements_.push_back(std::move(*requirement));
        if (lexer.at_end()) {
            break;
        }
        if (!lexer.is(",")) {
            return with_context(unexpected(lexer, "',' or 'end of string'"), "unable to parse requirement");
        }
        lexer.next();
        if (lexer.at_end()) {
            return make_invalid("found '', expected: identifier after ','");
        }
    }
    return selector;
}

bool LabelSelector::matches(const SortedPairs& labels) const {
    return std::ranges::all_of(requirements_, [&](const LabelRequirement& requirement) {
        return apiserver::matches(requirement, labels);
    });
}

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
    FieldSelector selector;
    for (const auto& term : split_fields(text)) {
        if (term.empty()) {
            continue;
        }
        auto requirement = parse_field(term);
        if (!requirement) {
            return make_invalid(
                fmt::format("invalid selector: '{}'; can't understand '{}'", text, term)
            );
        }
        selector.requirements_.push_back(std::move(*requirement));
    }
    return selector;
}

bool FieldSelector::matches(const SortedPairs& fields) const {
    return std::ranges::all_of(requirements_, [&](const Requirement& requirement) {
        const std::string* value = find_pair(fields, requirement.field);
        return ((value == nullptr ? std::string_view() : std::string_view(*value))
                == requirement.value)
               == requirement.is_equal;
    });
}

}  // namespace sluice::apiserver
