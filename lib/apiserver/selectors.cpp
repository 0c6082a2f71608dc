#include "apiserver/selectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace sluice::apiserver {

namespace {

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '/';
}

std::optional<std::int64_t> number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole ? std::optional(value) : std::nullopt;
}

}  // namespace

class LabelQuery::Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    Result<std::vector<Requirement>> run() {
        std::vector<Requirement> requirements;
        skip_blanks();
        while (at_ < text_.size()) {
            auto requirement = one();
            if (!requirement) {
                return requirement.error();
            }
            requirements.push_back(std::move(*requirement));
            skip_blanks();
            if (at_ == text_.size()) {
                break;
            }
            if (!take(',')) {
                return fault("',' or 'end of string'");
            }
            skip_blanks();
            if (at_ == text_.size()) {
                return fault("identifier after ','");
            }
        }
        return requirements;
    }

  private:
    Result<Requirement> one() {
        Requirement made;
        if (take('!')) {
            made.operation = Operator::DoesNotExist;
            made.key = word();
            return made.key.empty() ? Result<Requirement>(fault("identifier")) : made;
        }
        made.key = word();
        if (made.key.empty()) {
            return fault("!, identifier, or 'end of string'");
        }
        skip_blanks();
        if (at_ == text_.size() || text_[at_] == ',') {
            return made;
        }
        return operation(std::move(made));
    }

    Result<Requirement> operation(Requirement made) {
        if (take('!')) {
            if (!take('=')) {
                return fault("in, notin, =, ==, !=, gt, lt");
            }
            made.operation = Operator::NotIn;
        } else if (take('=')) {
            take('=');
            made.operation = Operator::In;
        } else if (take('>')) {
            made.operation = Operator::GreaterThan;
        } else if (take('<')) {
            made.operation = Operator::LessThan;
        } else {
            const std::string name = word();
            if (name != "in" && name != "notin") {
                return fault("in, notin, =, ==, !=, gt, lt");
            }
            made.operation = name == "in" ? Operator::In : Operator::NotIn;
            return set(std::move(made));
        }
        skip_blanks();
        made.values.push_back(word());
        const bool compares =
            made.operation == Operator::GreaterThan || made.operation == Operator::LessThan;
        if (compares && !number(made.values.front())) {
            return make_invalid("for 'Gt', 'Lt' operators, the value must be an integer");
        }
        return made;
    }

    Result<Requirement> set(Requirement made) {
        skip_blanks();
        if (!take('(')) {
            return fault("'('");
        }
        do {
            skip_blanks();
            made.values.push_back(word());
            skip_blanks();
        } while (take(','));
        if (!take(')')) {
            return fault("',' or ')'");
        }
        return made;
    }

    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
            ++at_;
        }
    }
    bool take(char c) {
        if (at_ < text_.size() && text_[at_] == c) {
            ++at_;
            skip_blanks();
            return true;
        }
        return false;
    }
    std::string word() {
        const std::size_t start = at_;
        while (at_ < text_.size() && is_word(text_[at_])) {
            ++at_;
        }
        return std::string(text_.substr(start, at_ - start));
    }
    Error fault(std::string_view expected) {
        const std::string found(text_.substr(at_, 1));
        return make_invalid(
            fmt::format("unable to parse requirement: found '{}', expected: {}", found, expected)
        );
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

Result<LabelQuery> LabelQuery::parse(std::string_view text) {
    auto requirements = Parser(text).run();
    if (!requirements) {
        return requirements.error();
    }
    LabelQuery query;
    query.requirements_ = std::move(*requirements);
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
                const auto value = is_there ? number(label->as_string()) : std::nullopt;
                const std::int64_t bound = number(wanted.values.front()).value_or(0);
                return value && (wanted.operation == Operator::GreaterThan ? *value > bound
                                                                           : *value < bound);
            }
        }
        return false;
    });
}

Result<FieldQuery> FieldQuery::parse(
    std::string_view text, const std::vector<std::string>& fields
) {
    FieldQuery query;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        if (part.empty()) {
            continue;
        }
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) {
            return make_invalid(
                fmt::format("invalid selector: '{}'; can't understand '{}'", part, part)
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
            return make_invalid(fmt::format("field label not supported: {}", made.field));
        }
        query.requirements_.push_back(std::move(made));
    }
    return query;
}

bool FieldQuery::matches(const json::Value& object) const {
    return std::ranges::all_of(requirements_, [&object](const Requirement& wanted) {
        return (field_text(object, wanted.field) == wanted.value) == wanted.is_equal;
    });
}

std::string_view FieldQuery::name() const {
    for (const Requirement& wanted : requirements_) {
        if (wanted.field == "metadata.name" && wanted.is_equal) {
            return wanted.value;
        }
    }
    return "";
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
            {{"batch", "jobs"}, {"status.successful"}},
            {{"apps", "replicasets"}, {"status.replicas"}},
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
