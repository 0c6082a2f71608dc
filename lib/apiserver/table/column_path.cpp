#include "apiserver/table/column_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <utility>

namespace sluice::apiserver {

namespace {

using json::Value;
using Values = std::vector<const Value*>;

bool ends_name(char c) {
    return std::string_view(" \t\r\n.,[]$@{}").find(c) != std::string_view::npos;
}

bool begins_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string_view trim(std::string_view text) {
    const std::size_t start = text.find_first_not_of(' ');
    return start == std::string_view::npos
               ? std::string_view()
               : text.substr(start, text.find_last_not_of(' ') + 1 - start);
}

std::string without_backslashes(std::string_view text) {
    std::string plain(text);
    std::erase(plain, '\\');
    return plain;
}

std::optional<std::int64_t> read_int(std::string_view text) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [last, fault] = std::from_chars(text.data(), end, number);
    return fault == std::errc() && last == end ? std::optional(number) : std::nullopt;
}

}  // namespace

struct ColumnPath::Filter {
    ColumnPath left;
    std::string operation;  ///< "" requires only that `left` exists
    std::variant<ColumnPath, Value> right;
};

class ColumnPath::Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    Result<ColumnPath> parse() {
        while (!left_.empty()) {
            if (const auto added = add_step(); !added) {
                return added.error();
            }
        }
        return std::move(path_);
    }

    /// Parses the right side of a comparison: a literal or a path.
    Result<std::variant<ColumnPath, Value>> parse_operand() {
        using Operand = std::variant<ColumnPath, Value>;
        const std::string_view text = trim(text_);
        const bool is_quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
                               text.back() == text.front();
        if (is_quoted) {
            return Operand(Value(without_backslashes(text.substr(1, text.size() - 2))));
        }
        const auto literal = json::parse(text);
        if (literal && (literal->is_number() || literal->is_bool())) {
            return Operand(*literal);
        }
        auto path = ColumnPath::parse(text);
        return path ? Result<Operand>(Operand(std::move(*path))) : Result<Operand>(path.error());
    }

  private:
    Error refuse(std::string_view why) const {
        return make_invalid(
            fmt::format("{} at {} of \"{}\"", why, text_.size() - left_.size(), text_)
        );
    }

    Result<void> add_step() {
        const char c = left_.front();
        if (c == ' ' || c == '@' || c == '$') {
            left_.remove_prefix(1);
            return {};
        }
        if (left_.starts_with("..")) {
            if (left_.starts_with("...") ||
                (!path_.steps_.empty() && std::holds_alternative<Descent>(path_.steps_.back()))) {
                return refuse("invalid multiple recursive descent");
            }
            left_.remove_prefix(2);
            path_.steps_.emplace_back(Descent());
            if (!left_.empty() && (begins_word(left_.front()) || left_.front() == '*')) {
                add_member();
            }
            return {};
        }
        if (c == '.') {
            left_.remove_prefix(1);
            add_member();
            return {};
        }
        if (left_.starts_with("[?(")) {
            return add_filter();
        }
        if (begins_word(c) || c == '"' || c == '\'') {
            left_.remove_prefix(std::min(left_.size(), left_.find_first_of(" .[]{}", 1)));
            path_.steps_.emplace_back(Word());
            return {};
        }
        return c == '[' ? add_brackets() : Result<void>(refuse("unrecognized character"));
    }

    void add_member() {
        std::size_t end = 0;
        while (end < left_.size() && !ends_name(left_[end])) {
            end += left_[end] == '\\' && end + 1 < left_.size() ? 2 : 1;
        }
        const std::string_view name = left_.substr(0, end);
        left_.remove_prefix(end);
        if (name == "*") {
            path_.steps_.emplace_back(Wildcard());
        } else {
            path_.steps_.emplace_back(Member{without_backslashes(name)});
        }
    }

    Result<void> add_brackets() {
        const std::size_t end = left_.find(']');
        if (end == std::string_view::npos) {
            return refuse("unterminated array");
        }
        const std::string_view inside = left_.substr(1, end - 1);
        left_.remove_prefix(end + 1);
        return inside.find(',') == std::string_view::npos ? add_key(inside) : add_union(inside);
    }

    Result<void> add_union(std::string_view inside) {
        Union all;
        while (true) {
            const std::size_t comma = inside.find(',');
            auto path = ColumnPath::parse(fmt::format("[{}]", trim(inside.substr(0, comma))));
            if (!path) {
                return path.error();
            }
            all.paths.push_back(std::move(*path));
            if (comma == std::string_view::npos) {
                break;
            }
            inside.remove_prefix(comma + 1);
        }
        path_.steps_.emplace_back(std::move(all));
        return {};
    }

    Result<void> add_key(std::string_view inside) {
        const bool is_name = inside.size() > 1 && inside.front() == '\'' && inside.back() == '\'';
        if (is_name) {
            auto inner = ColumnPath::parse(fmt::format(".{}", inside.substr(1, inside.size() - 2)));
            if (!inner) {
                return inner.error();
            }
            std::ranges::move(inner->steps_, std::back_inserter(path_.steps_));
            return {};
        }
        return add_slice(inside);
    }

    Result<void> add_slice(std::string_view inside) {
        std::array<std::optional<std::int64_t>, 3> numbers;
        std::size_t count = 0;
        std::string_view rest = inside == "*" ? ":" : inside;
        while (count < numbers.size()) {
            const std::size_t colon = rest.find(':');
            const std::string_view number = rest.substr(0, colon);
            numbers.at(count) = read_int(number);
            if (!number.empty() && !numbers.at(count)) {
                return refuse("invalid array index");
            }
            ++count;
            if (colon == std::string_view::npos) {
                break;
            }
            rest.remove_prefix(colon + 1);
            if (count == numbers.size()) {
                return refuse("invalid array index");
            }
        }
        path_.steps_.emplace_back(Slice{
            .start = numbers[0],
            .end = numbers[1],
            .step = numbers[2].value_or(1),
            .is_element = count == 1 && numbers[0]
        });
        return {};
    }

    /// Takes the text of a filter up to its `)`; quoted texts may contain a `)`. Returns nullopt if
    /// the filter is not closed.
    std::optional<std::string_view> take_condition() {
        left_.remove_prefix(std::string_view("[?(").size());
        char quote = '\0';
        for (std::size_t i = 0; i < left_.size(); ++i) {
            const char c = left_[i];
            if (quote != '\0') {
                if (c == quote && left_[i - 1] != '\\') {
                    quote = '\0';
                }
            } else if (c == '"' || c == '\'') {
                quote = c;
            } else if (c == ')') {
                const std::string_view condition = left_.substr(0, i);
                left_.remove_prefix(i + 1);
                return condition;
            }
        }
        return std::nullopt;
    }

    Result<void> add_filter() {
        const auto condition = take_condition();
        if (!condition) {
            return refuse("unterminated filter");
        }
        if (!left_.starts_with(']')) {
            return refuse("unclosed array expect ]");
        }
        left_.remove_prefix(1);
        constexpr std::string_view kOperators = "!<>=";
        const std::size_t start = condition->find_first_of(kOperators);
        auto left = ColumnPath::parse(trim(condition->substr(0, start)));
        if (!left) {
            return left.error();
        }
        Filter filter{.left = std::move(*left), .operation = {}, .right = Value()};
        if (start != std::string_view::npos) {
            const std::size_t end = condition->find_first_not_of(kOperators, start);
            if (end == std::string_view::npos) {
                return refuse("filter without a second operand");
            }
            auto right = Parser(condition->substr(end)).parse_operand();
            if (!right) {
                return right.error();
            }
            filter.operation = condition->substr(start, end - start);
            filter.right = std::move(*right);
        }
        path_.steps_.emplace_back(std::make_shared<const Filter>(std::move(filter)));
        return {};
    }

    std::string_view text_;
    std::string_view left_ = text_;
    ColumnPath path_;
};

/// Follows a path. The search ends without a result at a step that is impossible, such as an index
/// into a value that is not a list.
class ColumnPath::Search {
  public:
    bool has_failed() const { return has_failed_; }

    Values follow(const ColumnPath& path, const Value& from) {
        Values at{&from};
        for (const Step& step : path.steps_) {
            Values next;
            for (const Value* value : at) {
                if (!has_failed_) {
                    std::visit([&](const auto& each) { go(each, *value, next); }, step);
                }
            }
            at = std::move(next);
        }
        return has_failed_ ? Values() : at;
    }

  private:
    static Values children(const Value& value) {
        Values all;
        if (value.is_array()) {
            for (const Value& item : value.as_array()) {
                all.push_back(&item);
            }
        } else if (value.is_object()) {
            std::vector<const json::Member*> members;
            for (const json::Member& member : value.as_object()) {
                members.push_back(&member);
            }
            std::ranges::sort(members, {}, &json::Member::first);
            std::ranges::transform(members, std::back_inserter(all), [](const auto* member) {
                return &member->second;
            });
        }
        return all;
    }

    /// Descents within descents, and unions, find the same values many times: the number is
    /// limited.
    void add(Values& next, const Value* value) {
        if (++visited_ > kVisitedMax) {
            has_failed_ = true;
        } else {
            next.push_back(value);
        }
    }

    void go(const Member& step, const Value& value, Values& next) {
        const Value* member = value.is_object() ? value.find(step.name) : nullptr;
        if (member != nullptr) {
            add(next, member);
        }
    }

    void go(const Word& /*step*/, const Value& /*value*/, Values& /*next*/) { has_failed_ = true; }

    void go(const Wildcard& /*step*/, const Value& value, Values& next) {
        for (const Value* each : children(value)) {
            add(next, each);
        }
    }

    void go(const Descent& step, const Value& value, Values& next) {
        const Values inside = children(value);
        if (!inside.empty()) {
            add(next, &value);
        }
        for (const Value* each : inside) {
            if (!has_failed_) {
                go(step, *each, next);
            }
        }
    }

    void go(const Slice& step, const Value& value, Values& next) {
        if (!value.is_array()) {
            has_failed_ = true;
            return;
        }
        const auto size = static_cast<std::int64_t>(value.as_array().size());
        const std::int64_t given = step.start.value_or(0);
        const std::int64_t start = given < 0 ? given + size : given;
        if (step.is_element && (start < 0 || start >= size)) {
            has_failed_ = true;
            return;
        }
        const std::int64_t asked = step.is_element ? start + 1 : step.end.value_or(size);
        const std::int64_t end = asked < 0 ? asked + size : asked;
        if (start == end) {
            return;
        }
        if (start < 0 || start >= size || end > size || start > end || step.step <= 0) {
            has_failed_ = true;
            return;
        }
        for (std::int64_t i = start; i < end && i >= start; i += std::min(step.step, size)) {
            add(next, &value.as_array()[static_cast<std::size_t>(i)]);
        }
    }

    void go(const Union& step, const Value& value, Values& next) {
        for (const ColumnPath& path : step.paths) {
            for (const Value* each : follow(path, value)) {
                add(next, each);
            }
        }
    }

    void go(const FilterPointer& step, const Value& value, Values& next) {
        if (!value.is_array()) {
            has_failed_ = true;
            return;
        }
        for (const Value& item : value.as_array()) {
            if (!has_failed_ && passes(*step, item)) {
                add(next, &item);
            }
        }
    }

    bool passes(const Filter& filter, const Value& item) {
        const Values left = follow(filter.left, item);
        if (filter.operation.empty()) {
            return !left.empty();
        }
        Values right;
        if (const auto* literal = std::get_if<Value>(&filter.right)) {
            right.push_back(literal);
        } else {
            right = follow(std::get<ColumnPath>(filter.right), item);
        }
        if (left.empty() || right.empty()) {
            return false;
        }
        if (left.size() > 1 || right.size() > 1) {
            has_failed_ = true;
            return false;
        }
        return compares(*left.front(), filter.operation, *right.front());
    }

    bool compares(const Value& left, std::string_view operation, const Value& right) {
        std::partial_ordering order = std::partial_ordering::unordered;
        if (left.is_int() && right.is_int()) {
            order = left.as_int() <=> right.as_int();
        } else if (left.is_double() && right.is_double()) {
            order = left.as_double() <=> right.as_double();
        } else if (left.is_string() && right.is_string()) {
            order = left.as_string() <=> right.as_string();
        } else if (left.is_bool() && right.is_bool() && operation.ends_with('=')) {
            order = left.as_bool() <=> right.as_bool();
        }
        if (order != std::partial_ordering::unordered) {
            if (operation == "==" || operation == "!=") {
                return (order == 0) == (operation == "==");
            }
            if (operation == "<" || operation == "<=") {
                return order < 0 || (order == 0 && operation == "<=");
            }
            if (operation == ">" || operation == ">=") {
                return order > 0 || (order == 0 && operation == ">=");
            }
        }
        has_failed_ = true;
        return false;
    }

    static constexpr std::size_t kVisitedMax = 100'000;

    bool has_failed_ = false;
    std::size_t visited_ = 0;
};

Result<ColumnPath> ColumnPath::parse(std::string_view text) {
    return Parser(text).parse();
}

const Value* ColumnPath::find_first(const Value& object) const {
    Search search;
    const Values found = search.follow(*this, object);
    return search.has_failed() || found.empty() ? nullptr : found.front();
}

}  // namespace sluice::apiserver
