#include "job_kinds/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

namespace sluice::job_kinds {

namespace {

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

/// Parses the text of a path step by step.
class PathReader {
  public:
    explicit PathReader(std::string_view text) : text_(text) {}

    Result<std::vector<Step>> read() {
        if (text_.starts_with('$')) {
            at_ = 1;
        }
        std::vector<Step> steps;
        while (at_ < text_.size()) {
            auto step = text_[at_] == '[' ? read_bracket() : read_member(at_ == 0);
            if (!step) {
                return step.error();
            }
            steps.push_back(std::move(*step));
        }
        return steps;
    }

  private:
    Error problem(std::string_view what) const {
        return make_invalid(fmt::format("\"{}\", character {}: {}", text_, at_ + 1, what));
    }
    bool take(std::string_view expected) {
        if (!text_.substr(at_).starts_with(expected)) {
            return false;
        }
        at_ += expected.size();
        return true;
    }
    std::string_view take_name() {
        const std::size_t from = at_;
        while (at_ < text_.size() && is_name_character(text_[at_])) {
            ++at_;
        }
        return text_.substr(from, at_ - from);
    }
    std::optional<std::string> take_quoted() {
        if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) {
            return std::nullopt;
        }
        const std::size_t end = text_.find(text_[at_], at_ + 1);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        std::string quoted(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        return quoted;
    }

    Result<Step> read_member(bool is_first) {
        if (!take(".") && !is_first) {
            return problem("expected \".\" or \"[\"");
        }
        const std::string_view name = take_name();
        if (name.empty()) {
            return problem("expected the name of a member");
        }
        return Step{.kind = Step::Kind::Member, .name = std::string(name)};
    }
    Result<Step> read_bracket() {
        ++at_;
        Step step;
        if (take("*]")) {
            step.kind = Step::Kind::Each;
            return step;
        }
        if (take("?(@.")) {
            return read_filter();
        }
        if (auto key = take_quoted()) {
            step.kind = Step::Kind::Key;
            step.name = std::move(*key);
        } else {
            const std::string_view rest = text_.substr(at_);
            const auto [end, error] =
                std::from_chars(rest.data(), rest.data() + rest.size(), step.index);
            if (error != std::errc()) {
                return problem("expected *, a number, a quoted name or ?(@.name=='value')");
            }
            at_ += static_cast<std::size_t>(end - rest.data());
            step.kind = Step::Kind::Index;
        }
        return take("]") ? Result<Step>(std::move(step)) : problem("expected \"]\"");
    }
    Result<Step> read_filter() {
        Step step{.kind = Step::Kind::Where, .name = std::string(take_name())};
        if (step.name.empty() || !take("==")) {
            return problem("expected ?(@.name=='value')");
        }
        auto value = take_quoted();
        if (!value || !take(")]")) {
            return problem("expected a quoted value and \")]\"");
        }
        step.value = std::move(*value);
        return step;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

void follow(const Found& from, const Step& step, std::vector<Found>& into) {
    const auto add = [&](Step taken, const json::Value* value) {
        if (value == nullptr || value->is_null()) {
            return;
        }
        Found found{from.location, value};
        found.location.push_back(std::move(taken));
        into.push_back(std::move(found));
    };
    const json::Value& value = *from.value;
    if (step.kind == Step::Kind::Member || step.kind == Step::Kind::Key) {
        add(step, value.find(step.name));
        return;
    }
    if (value.is_object() && step.kind == Step::Kind::Each) {
        for (const auto& [name, member] : value.as_object()) {
            add({.kind = Step::Kind::Key, .name = name}, &member);
        }
    }
    if (!value.is_array()) {
        return;
    }
    const json::Array& list = value.as_array();
    for (std::size_t i = 0; i < list.size(); ++i) {
        const bool is_meant = step.kind == Step::Kind::Each ||
                              (step.kind == Step::Kind::Index && step.index == i) ||
                              (step.kind == Step::Kind::Where && list[i].is_object() &&
                               list[i].string_at(step.name) == step.value);
        if (is_meant) {
            add({.kind = Step::Kind::Index, .index = i}, &list[i]);
        }
    }
}

}  // namespace

std::string to_string(const Location& location) {
    std::string text;
    for (const Step& step : location) {
        if (step.kind == Step::Kind::Index) {
            text += fmt::format("[{}]", step.index);
        } else if (step.kind == Step::Kind::Key) {
            text += fmt::format("[{}]", step.name);
        } else {
            text += text.empty() ? step.name : "." + step.name;
        }
    }
    return text;
}

const json::Value* find(const json::Value& root, const Location& location) {
    const json::Value* at = &root;
    for (const Step& step : location) {
        if (step.kind == Step::Kind::Index) {
            at = at->is_array() && step.index < at->as_array().size() ? &at->as_array()[step.index]
                                                                      : nullptr;
        } else {
            at = at->find(step.name);
        }
        if (at == nullptr) {
            return nullptr;
        }
    }
    return at;
}

json::Value* find(json::Value& root, const Location& location) {
    return const_cast<json::Value*>(find(std::as_const(root), location));
}

json::Value* make_object(json::Value& root, const Location& location) {
    json::Value* at = &root;
    for (const Step& step : location) {
        if (step.kind == Step::Kind::Index) {
            if (!at->is_array() || step.index >= at->as_array().size()) {
                return nullptr;
            }
            at = &at->as_array()[step.index];
            continue;
        }
        if (!at->is_object()) {
            *at = json::Object{};
        }
        json::Value* next = at->find(step.name);
        at = next != nullptr ? next : &at->set(step.name, json::Object{});
    }
    if (!at->is_object()) {
        *at = json::Object{};
    }
    return at;
}

Result<Path> Path::compile(std::string_view text) {
    auto steps = PathReader(text).read();
    if (!steps) {
        return steps.error();
    }
    Path path;
    path.text_ = text;
    path.steps_ = std::move(*steps);
    return path;
}

bool Path::is_single() const {
    return std::ranges::none_of(steps_, [](const Step& step) {
        return step.kind == Step::Kind::Each || step.kind == Step::Kind::Where;
    });
}

bool Path::is_settable() const {
    return !steps_.empty() && std::ranges::all_of(steps_, [](const Step& step) {
        return step.kind == Step::Kind::Member || step.kind == Step::Kind::Key;
    });
}

std::vector<Found> Path::find_all(const json::Value& root) const {
    std::vector<Found> found{{{}, &root}};
    for (const Step& step : steps_) {
        std::vector<Found> next;
        for (const Found& from : found) {
            follow(from, step, next);
        }
        found = std::move(next);
    }
    return found;
}

const json::Value* Path::find(const json::Value& root) const {
    const auto found = find_all(root);
    return found.empty() ? nullptr : found.front().value;
}

}  // namespace sluice::job_kinds
