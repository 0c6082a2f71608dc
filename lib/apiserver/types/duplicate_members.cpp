#include "apiserver/types/duplicate_members.hpp"

#include "json/reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

namespace sluice::apiserver {
namespace {

/// Follows the events of the JSON parser and keeps the names of the members of the open objects.
class Finder final : public json::Handler {
  public:
    bool on_null() override { return on_value(); }
    bool on_bool(bool /*value*/) override { return on_value(); }
    bool on_int(std::int64_t /*value*/) override { return on_value(); }
    bool on_double(double /*value*/) override { return on_value(); }
    bool on_string(std::string_view /*value*/) override { return on_value(); }
    bool on_start_object() override {
        on_value();
        open_.push_back({.is_array = false});
        return true;
    }
    bool on_key(std::string_view key) override {
        Open& object = open_.back();
        object.name = key;
        if (!object.seen.emplace(key).second) {
            auto path = current_path();
            if (std::ranges::find(found_, path) == found_.end()) {
                found_.push_back(std::move(path));
            }
        }
        return true;
    }
    bool on_end_object() override {
        open_.pop_back();
        return true;
    }
    bool on_start_array() override {
        on_value();
        open_.push_back({.is_array = true});
        return true;
    }
    bool on_end_array() override { return on_end_object(); }
    Error error() const override { return make_invalid("malformed JSON"); }

    std::vector<std::string> take() { return std::move(found_); }

  private:
    struct Open {
        bool is_array = false;
        std::string name{};
        std::set<std::string, std::less<>> seen{};
        std::int64_t place = -1;
    };

    bool on_value() {
        if (!open_.empty() && open_.back().is_array) {
            ++open_.back().place;
        }
        return true;
    }

    std::string current_path() const {
        std::string path;
        for (const Open& level : open_) {
            if (level.is_array) {
                path += fmt::format("[{}]", level.place);
            } else {
                path += (path.empty() ? "" : ".") + level.name;
            }
        }
        return path;
    }

    std::vector<Open> open_;
    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> find_duplicate_members(std::string_view text) {
    Finder finder;
    const auto read = json::read(text, finder);
    return read ? finder.take() : std::vector<std::string>{};
}

std::string yaml_refusal(const Duplicates& duplicates) {
    return duplicates.is_yaml && !duplicates.texts.empty()
               ? fmt::format("yaml: unmarshal errors:\n  {}", fmt::join(duplicates.texts, "\n  "))
               : std::string();
}

}  // namespace sluice::apiserver
