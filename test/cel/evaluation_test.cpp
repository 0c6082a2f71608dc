#include "cel/evaluation/program.hpp"
#include "cel/values/operations.hpp"
#include "cel/values/schema.hpp"

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace sluice;

namespace {

const json::Value& schema_document() {
    static const auto kSchema = json::parse(R"({
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "d": {"type": "number"},
            "s": {"type": "string"},
            "b": {"type": "boolean"},
            "namespace": {"type": "string"},
            "a-b": {"type": "string"},
            "a.b/c": {"type": "integer"},
            "a__b": {"type": "integer"},
            "port": {"x-kubernetes-int-or-string": true},
            "list": {"type": "array", "items": {"type": "integer"}},
            "names": {"type": "array", "items": {"type": "string"}},
            "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "map": {"type": "object", "additionalProperties": {"type": "integer"}},
            "items": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
                "items": {
                    "type": "object",
                    "required": ["name"],
                    "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}
                }
            },
            "when": {"type": "string", "format": "date-time"},
            "wait": {"type": "string", "format": "duration"},
            "raw": {"type": "string", "format": "byte"},
            "none": {"type": "string", "nullable": true}
        }
    })");
    return *kSchema;
}

const json::Value& object() {
    static const auto kObject = json::parse(R"({
        "n": 7, "d": 1.5, "s": "hello", "b": true, "namespace": "ns", "a-b": "dash",
        "a.b/c": 3, "a__b": 4, "port": "80%", "list": [3, 1, 2], "names": ["b", "a"],
        "set": ["x", "y"], "map": {"one": 1, "two": 2},
        "items": [{"name": "p", "size": 1}, {"name": "q"}],
        "when": "2024-02-29T12:30:05.25Z", "wait": "1h30m", "raw": "aGk=", "none": null
    })");
    return *kObject;
}

/// The value of an expression over the object as text, or what went wrong.
std::string outcome(std::string_view expression, std::uint64_t budget = cel::kCallBudget) {
    static const auto kSchema = cel::read_schema(schema_document(), false);
    cel::Declarations declarations;
    declarations.variables["self"] = (*kSchema)->declared;
    declarations.scope = (*kSchema)->scope;
    const auto program = cel::compile(expression, declarations);
    if (!program) {
        const auto& text = program.error().detail;
        return "refused: " + text.substr(0, text.find('\n'));
    }
    cel::Bindings bindings;
    bindings["self"] = cel::make_value(object(), kSchema->get());
    const auto value = cel::evaluate(*program, bindings, budget);
    if (!value) {
        return "failed: " + value.error().detail;
    }
    if (const cel::List* list = value->list()) {
        std::string text = "[";
        for (std::size_t i = 0; i < list->size(); ++i) {
            text += (i == 0 ? "" : ", ") + cel::show(list->at(i));
        }
        return text + "]";
    }
    return cel::show(*value);
}

struct Case {
    std::string_view expression;
    std::string_view outcome;
};

void run(std::initializer_list<Case> cases) {
    for (const Case& each : cases) {
        INFO(each.expression);
        CHECK(outcome(each.expression) == each.outcome);
    }
}

}  // namespace

TEST_CASE("Numbers are computed with, and overflow is a failure", "[cel]") {
    run({
        {"1 + 2 * 3 - 4 / 2 % 2", "7"},
        {"-self.n + 10", "3"},
        {"9223372036854775807 + 1", "failed: integer overflow"},
        {"-9223372036854775808 - 1", "failed: integer overflow"},
        {"-(-9223372036854775807 - 1)", "failed: integer overflow"},
        {"1u - 2u", "failed: unsigned integer overflow"},
        {"1 / 0", "failed: division by zero"},
        {"1 % 0", "failed: modulus by zero"},
        {"1.0 / 0.0", "+Inf"},
        {"self.d * 2.0", "3"},
        {"0x1F + 1", "32"},
        {"1e6", "1e+06"},
        {"1 + 1.0",
         "refused: ERROR: <input>:1:3: found no matching overload for '_+_' applied to "
         "'(int, double)'"},
    });
}

TEST_CASE("Values are compared across numeric types only", "[cel]") {
    run({
        {"1 < 1.5 && 2u > 1 && 3.0 >= 3", "true"},
        {"'a' < 'b' && false < true", "true"},
        {"dyn(1) == 1.0 && dyn(1u) == 1", "true"},
        {"dyn('1') == dyn(1)", "false"},
        {"dyn('1') < dyn(1)", "failed: no such overload"},
        {"[1, 2] == [1, 2] && {'a': 1} == {'a': 1}", "true"},
        {"null == null", "true"},
        {"self.s == 1",
         "refused: ERROR: <input>:1:8: found no matching overload for '_==_' applied to "
         "'(string, int)'"},
    });
}

TEST_CASE("A failure is absorbed where the other side decides", "[cel]") {
    run({
        {"1 / 0 == 1 || true", "true"},
        {"true || 1 / 0 == 1", "true"},
        {"1 / 0 == 1 && false", "false"},
        {"1 / 0 == 1 && true", "failed: division by zero"},
        {"[0, 1].exists(x, 1 / x == 1)", "true"},
        {"[0, 2].all(x, 4 / x == 1)", "false"},
        {"[0, 2].exists_one(x, 4 / x == 2)", "failed: division by zero"},
        {"true ? 1 : 1 / 0", "1"},
    });
}

TEST_CASE("Fields are read under their escaped names", "[cel]") {
    run({
        {"self.__namespace__ + self.a__dash__b", "nsdash"},
        {"self.a__dot__b__slash__c + self.a__underscores__b", "7"},
        {"self.`a-b`", "refused: ERROR: <input>:1:6: unsupported syntax: '`'"},
        {"self.missing", "refused: ERROR: <input>:1:5: undefined field 'missing'"},
        {"has(self.none)", "false"},
        {"has(self.s) && !has(self.items[1].size)", "true"},
        {"self.items[1].size", "failed: no such key: size"},
        {"has(self.map.one) && !has(self.map.three)", "true"},
        {"has(self)", "refused: ERROR: <input>:1:5: invalid argument to has() macro"},
        {"other", "refused: ERROR: <input>:1:1: undeclared reference to 'other' (in container '')"},
    });
}

TEST_CASE("Lists and maps are indexed, searched and folded", "[cel]") {
    run({
        {"self.list[1] + self.map['two']", "3"},
        {"self.list[3]", "failed: index out of bounds: 3"},
        {"self.map['x']", "failed: no such key: x"},
        {"2 in self.list && 'one' in self.map && !('x' in ['a'])", "true"},
        {"self.list.filter(x, x > 1).map(x, x * 2)", "[6, 4]"},
        {"self.list.map(x, x > 1, x + 1)", "[4, 3]"},
        {"self.map.map(k, k)", "[one, two]"},
        {"self.map.all(k, v, v > 0)", "true"},
        {"self.list.transformList(i, v, i * v)", "[0, 1, 4]"},
        {"self.list.transformMap(i, v, v + i)[2]", "4"},
        {"self.list.exists_one(x, x == 1)", "true"},
        {"self.list + [4]", "[3, 1, 2, 4]"},
        {"size(self.list) + self.s.size() + size(self.map)", "10"},
        {"self.list.isSorted() || [1, 1, 2].isSorted()", "true"},
        {"self.list.sum() + self.list.min() * self.list.max()", "9"},
        {"[].min() == 1", "failed: min called on empty list"},
        {"self.names.indexOf('a') + self.names.lastIndexOf('z')", "0"},
        {"self.list.sort() + self.list.reverse()", "[1, 2, 3, 2, 1, 3]"},
        {"[[1], [2, 3]].flatten() + [1, 1].distinct() + lists.range(2)", "[1, 2, 3, 1, 0, 1]"},
        {"self.list.slice(1, 3)", "[1, 2]"},
        {"sets.contains([1, 2], [2]) && sets.intersects([1], [1, 2])", "true"},
        {"self.list.all(1, true)", "refused: ERROR: <input>:1:15: argument must be a simple name"},
        {"[1, 'a']", "refused: ERROR: <input>:1:5: expected type 'int' but found 'string'"},
    });
}

TEST_CASE("Sets and map lists are equal in any order", "[cel]") {
    run({
        {"self.set == ['y', 'x']", "true"},
        {"self.names == ['a', 'b']", "false"},
        {"self.set + ['x', 'z']", "[x, y, z]"},
        {"self.items == self.items", "true"},
    });
}

TEST_CASE("Strings have their functions", "[cel]") {
    run({
        {"self.s.contains('ell') && self.s.startsWith('he') && self.s.endsWith('lo')", "true"},
        {"self.s.matches('^h.*o$') && !matches(self.s, '^x')", "true"},
        {"'abc'.matches('(')", "refused: ERROR: <input>:1:15: invalid matches argument"},
        {"'äöü'.size() + 'äöü'.indexOf('ü') + 'banana'.lastIndexOf('an')", "8"},
        {"'äöü'.substring(1, 2) + 'abc'.charAt(0) + 'AbC'.lowerAscii() + 'x'.upperAscii()", "öaabcX"
        },
        {"'abc'.substring(4)", "failed: index out of range: 4"},
        {"' a b '.trim() + 'a,b'.split(',').join('-')", "a ba-b"},
        {"'aXbX'.replace('X', '') + 'aa'.replace('a', 'b', 1) + 'ab'.replace('', '-')", "abba-a-b-"
        },
        {"'a1b22'.find('[0-9]+') + 'a1b22'.findAll('[0-9]+').join(';')", "11;22"},
        {"'a\\n\\u00e4' + r'\\n' + \"it's\"", "a\n\xc3\xa4\\nit's"},
        {"strings.quote('a\"b')", "\"a\\\"b\""},
    });
}

TEST_CASE("Values are converted, and what cannot be is a failure", "[cel]") {
    run({
        {"int('12') + int(3.9) + int(2u)", "17"},
        {"int('x')", "failed: type conversion error from 'string' to 'int'"},
        {"string(1) + string(1.5) + string(true) + string(b'hi')", "11.5truehi"},
        {"double('1.5') + double(1)", "2.5"},
        {"uint(-1)", "failed: unsigned integer overflow"},
        {"bool('true') && type(1) == int && type('') == string", "true"},
        {"type(self.port) == string && self.port.endsWith('%')", "true"},
        {"self.port > 5", "failed: no such overload"},
        {"string(self.raw)", "hi"},
    });
}

TEST_CASE("Times are compared, added and taken apart", "[cel]") {
    run({
        {"self.wait == duration('90m') && duration('1s') < duration('1m')", "true"},
        {"self.wait.getMinutes() + duration('1m').getSeconds()", "150"},
        {"self.when.getFullYear() + self.when.getMonth() + self.when.getDate()", "2054"},
        {"self.when.getHours('+02:00') + self.when.getMilliseconds()", "264"},
        {"string(self.when + self.wait)", "2024-02-29T14:00:05.25Z"},
        {"string(timestamp('2024-03-01T00:00:00Z') - timestamp('2024-02-29T00:00:00Z'))", "86400s"},
        {"duration('x')", "refused: ERROR: <input>:1:10: invalid duration argument"},
        {"timestamp('2024-02-30T00:00:00Z')",
         "refused: ERROR: <input>:1:11: invalid timestamp argument"},
    });
}

TEST_CASE("Optional values are chained", "[cel]") {
    run({
        {"self.?s.orValue('x') + self.?none.orValue('y')", "helloy"},
        {"self.items[?5].?name.orValue('none')", "none"},
        {"self.?n.optMap(x, x + 1).value()", "8"},
        {"self.?none.hasValue() || optional.of(1).hasValue()", "true"},
        {"optional.none().value() == 1", "failed: optional.none() dereference"},
        {"[?self.?n, ?optional.none()]", "[7]"},
    });
}

TEST_CASE("What is no expression is refused where it goes wrong", "[cel]") {
    run({
        {"self.n ==",
         "refused: ERROR: <input>:1:10: Syntax error: mismatched input '<EOF>' expecting {'[', "
         "'{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, "
         "BYTES, IDENTIFIER}"},
        {"for", "refused: ERROR: <input>:1:1: reserved identifier: for"},
        {"'abc", "refused: ERROR: <input>:1:1: Syntax error: token recognition error at: ''abc'"},
        {"99999999999999999999", "refused: ERROR: <input>:1:1: invalid int literal"},
        {"cel.bind(x, 1, x)",
         "refused: ERROR: <input>:1:1: undeclared reference to 'cel' (in container '')"},
        {"self.s.reverse2()",
         "refused: ERROR: <input>:1:16: undeclared reference to 'reverse2' (in container '')"},
    });
}

TEST_CASE("Depth, length and cost are bounded", "[cel]") {
    const std::string deep = std::string(5000, '(') + "1" + std::string(5000, ')');
    CHECK(outcome(deep).starts_with("refused: ERROR"));
    std::string sum = "1";
    for (int i = 0; i < 5000; ++i) {
        sum += "+1";
    }
    CHECK(outcome(sum).starts_with("refused: ERROR"));
    std::string terms = "true";
    for (int i = 0; i < 5000; ++i) {
        terms += "&&true";
    }
    CHECK(outcome(terms) == "true");
    CHECK(outcome("'" + std::string(100'001, 'x') + "'").starts_with("refused: ERROR"));
    CHECK(
        outcome("lists.range(1000).all(x, lists.range(1000).all(y, x + y >= 0))") ==
        "failed: operation cancelled: actual cost limit exceeded"
    );
    CHECK(outcome("1 + 1", 0) == "failed: operation cancelled: actual cost limit exceeded");
    CHECK(outcome("[1, 2].map(x, x)", 1000) == "[1, 2]");
}
