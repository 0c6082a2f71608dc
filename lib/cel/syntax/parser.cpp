#include "cel/syntax/parser.hpp"

#include "cel/syntax/lexer.hpp"
#include "cel/syntax/macros.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace sluice::cel {
namespace {

using Node = Expression::Node;
using TokenKind = Token::Kind;

constexpr std::array<std::string_view, 17> kReserved{
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while"
};

struct Operator {
    std::string_view symbol;
    int precedence;
    std::string_view function;
};

constexpr std::array<Operator, 12> kInfixOperators{{
    {"<", 1, "_<_"},
    {"<=", 1, "_<=_"},
    {">", 1, "_>_"},
    {">=", 1, "_>=_"},
    {"==", 1, "_==_"},
    {"!=", 1, "_!=_"},
    {"in", 1, "@in"},
    {"+", 2, "_+_"},
    {"-", 2, "_-_"},
    {"*", 3, "_*_"},
    {"/", 3, "_/_"},
    {"%", 3, "_%_"},
}};

/// A recursive-descent parser with operator precedence. After the first fault it skips to the end.
class Parser {
  public:
    Parser(std::vector<Token> tokens, std::vector<Fault>& faults)
        : tokens_(std::move(tokens)), faults_(faults) {}

    ExpressionPtr read() {
        auto expression = read_conditional();
        if (faults_.empty() && !is_at(TokenKind::End)) {
            fail(fmt::format("Syntax error: extraneous input '{}' expecting <EOF>", peek().source));
        }
        return faults_.empty() ? std::move(expression) : nullptr;
    }

  private:
    const Token& peek(std::size_t ahead = 0) const {
        return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
    }
    bool is_at(TokenKind kind) const { return peek().kind == kind; }
    bool is_symbol(std::string_view symbol, std::size_t ahead = 0) const {
        return peek(ahead).kind == TokenKind::Symbol && peek(ahead).source == symbol;
    }
    bool take(std::string_view symbol) {
        if (!is_symbol(symbol)) {
            return false;
        }
        ++at_;
        return true;
    }
    void need(std::string_view symbol) {
        if (!take(symbol) && faults_.empty()) {
            fail(fmt::format(
                "Syntax error: mismatched input '{}' expecting '{}'", shown(peek()), symbol
            ));
        }
    }
    static std::string_view shown(const Token& token) {
        return token.kind == TokenKind::End ? "<EOF>" : token.source;
    }
    void fail(std::string text) { fail_at(peek().offset, std::move(text)); }
    void fail_at(std::size_t offset, std::string text) {
        faults_.push_back({offset, std::move(text)});
        at_ = tokens_.size() - 1;
    }

    /// Returns the part, and reports a fault if it is nested too deeply.
    ExpressionPtr bounded(ExpressionPtr expression) {
        if (expression->depth > kMaxDepth && faults_.empty()) {
            fail("max recursion depth exceeded");
        }
        return expression;
    }

    ExpressionPtr call(std::size_t offset, std::string_view name, ExpressionPtr a) {
        std::vector<ExpressionPtr> arguments;
        arguments.push_back(std::move(a));
        return bounded(make_call(offset, name, std::move(arguments)));
    }
    ExpressionPtr call(
        std::size_t offset, std::string_view name, ExpressionPtr a, ExpressionPtr b
    ) {
        std::vector<ExpressionPtr> arguments;
        arguments.push_back(std::move(a));
        arguments.push_back(std::move(b));
        return bounded(make_call(offset, name, std::move(arguments)));
    }

    ExpressionPtr read_conditional() {
        if (++depth_ > kMaxDepth) {
            fail("max recursion depth exceeded");
        }
        auto condition = read_logical("||", "_||_");
        const std::size_t offset = peek().offset;
        if (faults_.empty() && take("?")) {
            std::vector<ExpressionPtr> arguments;
            arguments.push_back(std::move(condition));
            arguments.push_back(read_logical("||", "_||_"));
            need(":");
            arguments.push_back(read_conditional());
            condition = bounded(make_call(offset, "_?_:_", std::move(arguments)));
        }
        --depth_;
        return condition;
    }

    /// Reads the terms of && or || as one call with one argument for each term.
    ExpressionPtr read_logical(std::string_view symbol, std::string_view function) {
        const auto read_term = [&] {
            return symbol == "||" ? read_logical("&&", "_&&_") : read_binary(1);
        };
        auto first = read_term();
        if (!is_symbol(symbol)) {
            return first;
        }
        const std::size_t offset = peek().offset;
        std::vector<ExpressionPtr> terms;
        terms.push_back(std::move(first));
        while (take(symbol)) {
            terms.push_back(read_term());
        }
        return bounded(make_call(offset, function, std::move(terms)));
    }

    ExpressionPtr read_binary(int precedence) {
        constexpr int kHighest = 3;
        if (precedence > kHighest) {
            return read_unary();
        }
        auto left = read_binary(precedence + 1);
        while (is_at(TokenKind::Symbol)) {
            const auto found = std::ranges::find_if(kInfixOperators, [&](const Operator& each) {
                return each.precedence == precedence && each.symbol == peek().source;
            });
            if (found == kInfixOperators.end()) {
                break;
            }
            const std::size_t offset = peek().offset;
            ++at_;
            auto right = read_binary(precedence + 1);
            left = call(offset, found->function, std::move(left), std::move(right));
        }
        return left;
    }

    ExpressionPtr read_unary() {
        const bool is_not = is_symbol("!");
        const std::string_view symbol = is_not ? "!" : "-";
        const std::size_t offset = peek().offset;
        std::size_t count = 0;
        while (is_symbol(symbol, count)) {
            ++count;
        }
        const bool is_number =
            peek(count).kind == TokenKind::Int || peek(count).kind == TokenKind::Double;
        if (count == 0 || (!is_not && count == 1 && is_number)) {
            return read_member();
        }
        at_ += count;
        auto operand = read_member();
        // Two equal signs cancel each other.
        return count % 2 == 0 ? std::move(operand)
                              : call(offset, is_not ? "!_" : "-_", std::move(operand));
    }

    ExpressionPtr read_member() {
        auto expression = read_primary();
        while (faults_.empty()) {
            const std::size_t offset = peek().offset;
            if (take(".")) {
                expression = read_selection(std::move(expression), offset);
            } else if (take("[")) {
                const bool is_optional = take("?");
                auto index = read_conditional();
                need("]");
                expression = call(
                    offset, is_optional ? "_[?_]" : "_[_]", std::move(expression), std::move(index)
                );
            } else if (is_symbol("{") && !type_name_of(*expression).empty()) {
                take("{");
                expression = read_object(type_name_of(*expression), offset);
            } else {
                break;
            }
        }
        return expression;
    }

    ExpressionPtr read_selection(ExpressionPtr target, std::size_t offset) {
        const bool is_optional = take("?");
        if (!is_at(TokenKind::Identifier) && !is_at(TokenKind::Quoted)) {
            fail(fmt::format(
                "Syntax error: mismatched input '{}' expecting IDENTIFIER", shown(peek())
            ));
            return target;
        }
        const Token name = peek();
        ++at_;
        if (name.kind == TokenKind::Quoted) {
            fail_at(name.offset, "unsupported syntax: '`'");
            return target;
        }
        if (is_optional) {
            auto field = make_literal(name.offset, make_string(name.text));
            return call(offset, "_?._", std::move(target), std::move(field));
        }
        const std::size_t open = peek().offset;
        if (take("(")) {
            auto member = make_call(open, name.text, read_arguments(")"));
            member->target = std::move(target);
            measure(*member);
            return bounded(expand_macro(std::move(member), faults_));
        }
        auto select = std::make_unique<Expression>();
        select->node = Node::Select;
        select->offset = offset;
        select->name = name.text;
        select->target = std::move(target);
        measure(*select);
        return bounded(std::move(select));
    }

    std::vector<ExpressionPtr> read_arguments(std::string_view end) {
        std::vector<ExpressionPtr> arguments;
        if (take(end)) {
            return arguments;
        }
        do {
            arguments.push_back(read_conditional());
        } while (faults_.empty() && take(","));
        need(end);
        return arguments;
    }

    ExpressionPtr read_primary() {
        const std::size_t offset = peek().offset;
        if (take("(")) {
            auto expression = read_conditional();
            need(")");
            return expression;
        }
        if (take("[")) {
            return read_collection(Node::List, offset, "]");
        }
        if (take("{")) {
            return read_collection(Node::Map, offset, "}");
        }
        const bool has_dot = is_symbol(".") && peek(1).kind == TokenKind::Identifier;
        at_ += has_dot ? 1 : 0;
        return is_at(TokenKind::Identifier) ? read_name() : read_literal();
    }

    ExpressionPtr read_name() {
        const Token name = peek();
        ++at_;
        if (std::ranges::find(kReserved, name.text) != kReserved.end()) {
            fail_at(name.offset, "reserved identifier: " + name.text);
        }
        const std::size_t open = peek().offset;
        if (take("(")) {
            auto global = make_call(open, name.text, read_arguments(")"));
            return bounded(expand_macro(std::move(global), faults_));
        }
        return make_identifier(name.offset, name.text);
    }

    /// Returns the type name `a.b` of an object literal; "" if the expression is not a name.
    static std::string type_name_of(const Expression& expression) {
        if (expression.node == Node::Identifier) {
            return expression.name;
        }
        const bool is_selection = expression.node == Node::Select && !expression.is_test;
        const std::string prefix = is_selection ? type_name_of(*expression.target) : std::string();
        return prefix.empty() ? prefix : prefix + "." + expression.name;
    }

    ExpressionPtr read_object(std::string name, std::size_t offset) {
        auto object = std::make_unique<Expression>();
        object->node = Node::Map;
        object->offset = offset;
        object->name = std::move(name);
        while (faults_.empty() && !is_symbol("}")) {
            object->is_optional.push_back(take("?"));
            if (!is_at(TokenKind::Identifier) && !is_at(TokenKind::Quoted)) {
                fail(fmt::format(
                    "Syntax error: mismatched input '{}' expecting IDENTIFIER", shown(peek())
                ));
                break;
            }
            object->arguments.push_back(make_literal(peek().offset, make_string(peek().text)));
            ++at_;
            need(":");
            object->arguments.push_back(read_conditional());
            if (!take(",")) {
                break;
            }
        }
        need("}");
        measure(*object);
        return bounded(std::move(object));
    }

    ExpressionPtr read_collection(Node node, std::size_t offset, std::string_view end) {
        auto collection = std::make_unique<Expression>();
        collection->node = node;
        collection->offset = offset;
        while (faults_.empty() && !is_symbol(end)) {
            collection->is_optional.push_back(take("?"));
            collection->arguments.push_back(read_conditional());
            if (node == Node::Map) {
                need(":");
                collection->arguments.push_back(read_conditional());
            }
            if (!take(",")) {
                break;
            }
        }
        need(end);
        measure(*collection);
        return bounded(std::move(collection));
    }

    ExpressionPtr read_literal() {
        const std::size_t offset = peek().offset;
        const bool is_negative = take("-");
        const Token token = peek();
        Value value;
        if (token.kind == TokenKind::Int) {
            value = read_integer(token, is_negative, offset);
        } else if (token.kind == TokenKind::Double) {
            double number = 0;
            const auto text = (is_negative ? "-" : "") + std::string(token.source);
            std::from_chars(text.data(), text.data() + text.size(), number);
            value = number;
        } else if (token.kind == TokenKind::Uint) {
            value = read_unsigned(token);
        } else if (token.kind == TokenKind::String) {
            value = make_string(token.text);
        } else if (token.kind == TokenKind::Bytes) {
            value = Bytes{Text::own(token.text)};
        } else if (is_symbol("true") || is_symbol("false")) {
            value = token.source == "true";
        } else if (!is_symbol("null")) {
            fail_unexpected();
            return make_literal(offset, Value());
        }
        at_ += is_at(TokenKind::End) ? 0 : 1;
        return make_literal(offset, std::move(value));
    }

    void fail_unexpected() {
        if (!faults_.empty()) {
            return;
        }
        constexpr std::string_view kExpected =
            "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, "
            "STRING, BYTES, IDENTIFIER";
        const std::string_view problem = is_at(TokenKind::End) ? "mismatched" : "extraneous";
        fail(fmt::format(
            "Syntax error: {} input '{}' expecting {{{}}}", problem, shown(peek()), kExpected
        ));
    }

    Value read_integer(const Token& token, bool is_negative, std::size_t offset) {
        const bool is_hex = token.source.starts_with("0x");
        const auto digits = token.source.substr(is_hex ? 2 : 0);
        const auto text = (is_negative ? "-" : "") + std::string(digits);
        std::int64_t number = 0;
        const auto read =
            std::from_chars(text.data(), text.data() + text.size(), number, is_hex ? 16 : 10);
        if (read.ec != std::errc()) {
            fail_at(offset, "invalid int literal");
        }
        return number;
    }

    Value read_unsigned(const Token& token) {
        const bool is_hex = token.source.starts_with("0x");
        auto digits = token.source.substr(is_hex ? 2 : 0);
        digits.remove_suffix(1);
        std::uint64_t number = 0;
        const auto read =
            std::from_chars(digits.data(), digits.data() + digits.size(), number, is_hex ? 16 : 10);
        if (read.ec != std::errc()) {
            fail_at(token.offset, "invalid uint literal");
        }
        return number;
    }

    std::vector<Token> tokens_;
    std::vector<Fault>& faults_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

ExpressionPtr parse_expression(std::string_view source, std::vector<Fault>& faults) {
    const auto length = count_code_points(source);
    if (length > kMaxLength) {
        faults.push_back(
            {0,
             fmt::format(
                 "expression code point size exceeds limit: size: {}, limit {}", length, kMaxLength
             )}
        );
        return nullptr;
    }
    auto tokens = read_tokens(source, faults);
    if (!faults.empty()) {
        return nullptr;
    }
    return Parser(std::move(tokens), faults).read();
}

}  // namespace sluice::cel
