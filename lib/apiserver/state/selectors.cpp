#include "apiserver/state/selectors.hpp"

#include "api/meta/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace sluice::apiserver {

namespace {

std::optional<std::int64_t> read_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole ? std::optional(value) : std::nullopt;
}

/// Splits a label selector into words and symbols.
class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) { next(); }

    const std::string& token() const { return token_; }
    bool is_at_end() const { return is_at_end_; }
    bool is_word() const { return !is_at_end_ && is_word_; }
    bool is(std::string_view symbol) const { return !is_at_end_ && !is_word_ && token_ == symbol; }
    bool is_keyword(std::string_view word) const { return is_word() && token_ == word; }

    void next() {
        while (at_ < text_.size() && is_blank(text_[at_])) {
            ++at_;
        }
        is_at_end_ = at_ == text_.size();
        token_.clear();
        if (is_at_end_) {
            return;
        }
        is_word_ = is_of_word(text_[at_]);
        if (is_word_) {
            while (at_ < text_.size() && is_of_word(text_[at_])) {
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
    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
    static bool is_of_word(char c) {
        constexpr std::string_view kSymbols = "=!(),<>";
        return !is_blank(c) && kSymbols.find(c) == std::string_view::npos;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string token_;
    bool is_word_ = false;
    bool is_at_end_ = false;
};

Error unexpected(const Lexer& lexer, std::string_view expected) {
    return make_invalid(fmt::format("found '{}', expected: {}", lexer.token(), expected));
}

/// Returns the first problem as the API server words a fault of a field.
Result<void> to_result(
    std::string_view field, std::string_view value, const std::vector<std::string>& problems
) {
    if (problems.empty()) {
        return {};
    }
    return make_invalid(fmt::format(
        "{}: Invalid value: {}: {}", field, json::print(json::Value(value)), problems.front()
    ));
}

}  // namespace

class LabelQueryParser {
  public:
    explicit LabelQueryParser(std::string_view text) : lexer_(text) {}

    Result<void> run(LabelQuery& query) {
        bool is_first = true;
        while (!lexer_.is_at_end()) {
            if (lexer_.is(",")) {
                return unexpected(
                    lexer_, is_first ? "!, identifier, or 'end of string'" : "identifier after ','"
                );
            }
            is_first = false;
            auto requirement = parse_one();
            if (!requirement) {
                return with_context(requirement.error(), "unable to parse requirement");
            }
            query.requirements_.push_back(std::move(*requirement));
            if (lexer_.is_at_end()) {
                return {};
            }
            if (!lexer_.is(",")) {
                return unexpected(lexer_, "',' or 'end of string'");
            }
            lexer_.next();
            if (lexer_.is_at_end()) {
                return unexpected(lexer_, "identifier after ','");
            }
        }
        return {};
    }

  private:
    using Operator = LabelQuery::Operator;
    using Requirement = LabelQuery::Requirement;

    Result<Requirement> parse_one() {
        Requirement made;
        const bool is_negated = lexer_.is("!");
        if (is_negated) {
            lexer_.next();
        }
        if (!lexer_.is_word()) {
            return unexpected(lexer_, "identifier");
        }
        made.key = lexer_.token();
        lexer_.next();
        const auto key = to_result("<nil>", made.key, api::find_qualified_name_problems(made.key));
        if (!key) {
            return key.error();
        }
        if (is_negated || lexer_.is_at_end() || lexer_.is(",")) {
            made.operation = is_negated ? Operator::DoesNotExist : Operator::Exists;
            return made;
        }
        return parse_comparison(std::move(made));
    }

    std::optional<Operator> find_operator() const {
        if (lexer_.is("=") || lexer_.is("==") || lexer_.is_keyword("in")) {
            return Operator::In;
        }
        if (lexer_.is("!=") || lexer_.is_keyword("notin")) {
            return Operator::NotIn;
        }
        if (lexer_.is("<")) {
            return Operator::LessThan;
        }
        return lexer_.is(">") ? std::optional(Operator::GreaterThan) : std::nullopt;
    }

    Result<Requirement> parse_comparison(Requirement made) {
        const auto operation = find_operator();
        if (!operation) {
            return unexpected(lexer_, "in, notin, =, ==, !=, gt, lt");
        }
        made.operation = *operation;
        const bool is_set = lexer_.is_word();
        lexer_.next();
        if (is_set) {
            if (const auto done = parse_set(made.values); !done) {
                return done.error();
            }
        } else if (lexer_.is_word()) {
            made.values.push_back(lexer_.token());
            lexer_.next();
        } else if (lexer_.is_at_end() || lexer_.is(",")) {
            made.values.emplace_back();
        } else {
            return unexpected(lexer_, "identifier");
        }
        if (const auto checked = check_values(made); !checked) {
            return checked.error();
        }
        return made;
    }

    Result<void> parse_set(std::vector<std::string>& values) {
        if (!lexer_.is("(")) {
            return unexpected(lexer_, "'('");
        }
        lexer_.next();
        bool wants_value = true;
        while (!lexer_.is(")")) {
            if (lexer_.is_word() && wants_value) {
                values.push_back(lexer_.token());
                wants_value = false;
            } else if (lexer_.is(",")) {
                if (wants_value) {
                    values.emplace_back();
                }
                wants_value = true;
            } else {
                return unexpected(lexer_, "',' or ')'");
            }
            lexer_.next();
        }
        if (wants_value) {
            values.emplace_back();
        }
        lexer_.next();
        return {};
    }

    static Result<void> check_values(const Requirement& made) {
        const bool compares =
            made.operation == Operator::GreaterThan || made.operation == Operator::LessThan;
        for (std::size_t i = 0; i < made.values.size(); ++i) {
            const std::string& value = made.values[i];
            if (compares && !read_number(value)) {
                return to_result(
                    fmt::format("values[{}]", i),
                    value,
                    {"for 'Gt', 'Lt' operators, the value must be an integer"}
                );
            }
            const auto checked = to_result(
                fmt::format("values[{}][{}]", i, made.key),
                value,
                api::find_label_value_problems(value)
            );
            if (!checked) {
                return checked;
            }
        }
        return {};
    }

    Lexer lexer_;
};

Result<LabelQuery> LabelQuery::parse(std::string_view text) {
    LabelQuery query;
    if (const auto done = LabelQueryParser(text).run(query); !done) {
        return done.error();
    }
    return query;
}

bool LabelQuery::matches(const json::Value& object) const {
    const json::Value* labels = object.find_path({"metadata", "labels"});
    return std::ranges::all_of(requirements_, [labels](const Requirement& wanted) {
        const json::Value* label = labels == nullptr ? nullptr : labels->find(wanted.key);
        const bool is_there = label != nullptr && label->is_string();
        const auto is_listed = [&] {
            return is_there &&
                   std::ranges::find(wanted.values, label->as_string()) != wanted.values.end();
        };
        switch (wanted.operation) {
            case Operator::Exists:
                return is_there;
            case Operator::DoesNotExist:
                return !is_there;
            case Operator::In:
                return is_listed();
            case Operator::NotIn:
                return !is_listed();
            case Operator::GreaterThan:
            case Operator::LessThan: {
                const auto value = is_there ? read_number(label->as_string()) : std::nullopt;
                const std::int64_t bound = read_number(wanted.values.front()).value_or(0);
                return value && (wanted.operation == Operator::GreaterThan ? *value > bound
                                                                           : *value < bound);
            }
        }
        return false;
    });
}

namespace {

/// Maps a field selector of a built-in kind to the field of the stored object. Some selectors have
/// another name than the field; missing flags and numbers compare as text.
void find_builtin_field(std::string& field, std::string& otherwise, std::string& missing) {
    constexpr std::string_view kRegarding = "regarding.";
    if (field == "status.successful") {
        field = "status.succeeded";
    } else if (field == "source") {
        field = "source.component";
        otherwise = "reportingComponent";
    } else if (field == "reportingController") {
        field = "reportingComponent";
    } else if (field.starts_with(kRegarding)) {
        field = "involvedObject." + field.substr(kRegarding.size());
    }
    if (field == "spec.unschedulable" || field == "spec.hostNetwork") {
        missing = "false";
    } else if (field == "status.succeeded" || field == "status.replicas") {
        missing = "0";
    }
}

}  // namespace

Result<FieldQuery> FieldQuery::parse(
    std::string_view text, const std::vector<std::string>& fields, bool is_custom
) {
    FieldQuery query;
    const std::string_view whole = text;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        if (part.empty()) {
            continue;
        }
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) {
            return make_invalid(
                fmt::format("invalid selector: '{}'; can't understand '{}'", whole, part)
            );
        }
        const bool is_unequal = equals > 0 && part[equals - 1] == '!';
        const bool is_double = equals + 1 < part.size() && part[equals + 1] == '=';
        Requirement made{
            .field = std::string(part.substr(0, is_unequal ? equals - 1 : equals)),
            .is_equal = !is_unequal,
            .value = std::string(part.substr(equals + (is_double ? 2 : 1)))
        };
        const bool is_known = made.field == "metadata.name" || made.field == "metadata.namespace" ||
                              std::ranges::find(fields, made.field) != fields.end();
        if (!is_known) {
            return make_invalid(
                fields.empty() && !is_custom
                    ? fmt::format(
                          "\"{}\" is not a known field selector: only \"metadata.name\", "
                          "\"metadata.namespace\"",
                          made.field
                      )
                    : fmt::format("field label not supported: {}", made.field)
            );
        }
        if (!is_custom) {
            find_builtin_field(made.field, made.otherwise, made.missing);
        }
        query.requirements_.push_back(std::move(made));
    }
    return query;
}

bool FieldQuery::matches(const json::Value& object) const {
    return std::ranges::all_of(requirements_, [&object](const Requirement& wanted) {
        std::string text = field_text(object, wanted.field);
        if (text.empty() && !wanted.otherwise.empty()) {
            text = field_text(object, wanted.otherwise);
        }
        return ((text.empty() ? wanted.missing : text) == wanted.value) == wanted.is_equal;
    });
}

std::vector<std::string> selectable_fields(std::string_view group, std::string_view plural) {
    static const std::map<std::pair<std::string_view, std::string_view>, std::vector<std::string>>
        kFields = {
            {{"", "pods"},
             {"spec.nodeName",
              "spec.restartPolicy",
              "spec.schedulerName",
              "spec.serviceAccountName",
              "spec.hostNetwork",
              "status.phase",
              "status.podIP",
              "status.nominatedNodeName"}},
            {{"", "nodes"}, {"spec.unschedulable"}},
            {{"", "namespaces"}, {"status.phase"}},
            {{"", "secrets"}, {"type"}},
            {{"", "services"}, {"spec.clusterIP", "spec.type"}},
            {{"", "events"},
             {"involvedObject.kind",
              "involvedObject.namespace",
              "involvedObject.name",
              "involvedObject.uid",
              "involvedObject.apiVersion",
              "involvedObject.resourceVersion",
              "involvedObject.fieldPath",
              "reason",
              "reportingComponent",
              "source",
              "type"}},
            {{"events.k8s.io", "events"},
             {"regarding.kind",
              "regarding.namespace",
              "regarding.name",
              "regarding.uid",
              "regarding.apiVersion",
              "regarding.resourceVersion",
              "regarding.fieldPath",
              "reason",
              "reportingController",
              "type"}},
            {{"", "replicationcontrollers"}, {"status.replicas"}},
            {{"batch", "jobs"}, {"status.successful"}},
            {{"apps", "replicasets"}, {"status.replicas"}},
            {{"certificates.k8s.io", "certificatesigningrequests"}, {"spec.signerName"}},
            {{"resource.k8s.io", "resourceslices"}, {"spec.driver", "spec.nodeName"}},
        };
    const auto found = kFields.find({group, plural});
    return found == kFields.end() ? std::vector<std::string>() : found->second;
}

std::string field_text(const json::Value& object, std::string_view path) {
    const json::Value* at = &object;
    while (!path.empty() && at != nullptr) {
        if (path.front() == '.') {
            path.remove_prefix(1);
        }
        const std::string_view name = path.substr(0, path.find('.'));
        path.remove_prefix(name.size());
        at = at->find(name);
    }
    if (at == nullptr || at->is_null()) {
        return "";
    }
    return at->is_string() ? at->as_string() : json::print(*at);
}

}  // namespace sluice::apiserver
