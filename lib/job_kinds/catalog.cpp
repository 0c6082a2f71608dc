#include "job_kinds/catalog.hpp"

#include "job_kinds/kind_names.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace sluice::job_kinds {

namespace {

/// The size limit of a ConfigMap.
constexpr std::size_t kBytesMax = std::size_t{1} << 20;

Result<Description> parse(const std::string& text) {
    auto document = yaml::parse_document(text, {.bytes = kBytesMax});
    if (!document) {
        return make_invalid("line " + document.error().detail);
    }
    if (!document->is_object()) {
        return make_invalid("it must be an object with apiVersion, kind and what follows");
    }
    config::Problems problems;
    auto description = read_description(*document, "", problems);
    if (!problems.empty()) {
        return make_invalid(config::to_string(problems.take()));
    }
    return description;
}

}  // namespace

Catalog::Catalog(std::vector<ConfiguredKind> configured, std::vector<std::string> external)
    : configured_(std::move(configured)), external_(std::move(external)) {}

std::shared_ptr<const Description> Catalog::read(const Source& source, const std::string& text) {
    auto& usable = usable_[source];
    auto description = parse(text);
    if (description) {
        if (!usable || *usable != *description) {
            usable = std::make_shared<const Description>(std::move(*description));
        }
        return usable;
    }
    refusals_.push_back(
        {.sheet = source.first,
         .key = source.second,
         .is_duplicate = false,
         .why = description.error().detail}
    );
    return usable;
}

void Catalog::set(std::vector<Sheet> sheets) {
    std::ranges::sort(sheets, [](const Sheet& a, const Sheet& b) {
        return std::tuple(a.created.value_or(Time::max()), std::string_view(a.name)) <
               std::tuple(b.created.value_or(Time::max()), std::string_view(b.name));
    });
    in_force_.clear();
    refusals_.clear();
    KindNames names;
    for (const ConfiguredKind& kind : configured_) {
        if (!kind.is_builtin) {
            names.claim(*kind.description, "integrations.jobKinds of the configuration");
        }
    }
    std::set<Source> present;
    for (const Sheet& sheet : sheets) {
        for (const auto& [key, text] : sheet.texts) {
            const Source source(sheet.name, key);
            present.insert(source);
            const auto description = read(source, text);
            if (!description) {
                continue;
            }
            const std::string group_kind =
                fmt::format("{}.{}", description->kind, description->group);
            if (std::ranges::find(external_, group_kind) != external_.end()) {
                refusals_.push_back(
                    {.sheet = sheet.name,
                     .key = key,
                     .is_duplicate = true,
                     .why = fmt::format(
                         "kind: {} is named in integrations.externalFrameworks", group_kind
                     )}
                );
                continue;
            }
            const auto conflicts =
                names.claim(*description, fmt::format("ConfigMap {}, key {}", sheet.name, key));
            for (const KindNames::Conflict& conflict : conflicts) {
                refusals_.push_back(
                    {.sheet = sheet.name,
                     .key = key,
                     .is_duplicate = conflict.is_duplicate,
                     .why = config::to_string(conflict.problem)}
                );
            }
            if (conflicts.empty()) {
                in_force_.push_back({description, sheet.name, key});
            }
        }
    }
    std::erase_if(usable_, [&present](const auto& entry) {
        return !present.contains(entry.first);
    });
}

}  // namespace sluice::job_kinds
