#include "controller/commands/schedule/schedule_input.hpp"

#include "api/kueue/kueue_names.hpp"
#include "api/meta/codec.hpp"
#include "api/schema/schema.hpp"
#include "controller/commands/schedule/manifests.hpp"
#include "controller/commands/schedule/object_collector.hpp"
#include "controller/commands/schedule/object_schemas.hpp"
#include "webhook/conversion.hpp"
#include "workload/capacity/capacity_rule.hpp"
#include "workload/pods/requests.hpp"
#include "yaml/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace sluice::commands {
namespace {

/// An object and its place.
struct Source {
    json::Value& value;
    ManifestPlace place;
};

/// Returns true if the name is missing or empty. A name that is not a string is not missing: YAML
/// reads y, n, on, off and 1e3 as other types.
bool lacks_name(const json::Value& object) {
    const auto* metadata = object.find("metadata");
    const auto* name = metadata != nullptr ? metadata->find("name") : nullptr;
    return name == nullptr || name->is_null() || (name->is_string() && name->as_string().empty());
}

std::string describe_source(const Source& source) {
    return describe(source.place, source.value);
}

/// Returns true for a field of ObjectMeta: the schema of a CRD does not list them.
bool is_metadata_field(std::string_view name) {
    constexpr std::array<std::string_view, 15> kFields{
        "name",
        "namespace",
        "labels",
        "annotations",
        "uid",
        "creationTimestamp",
        "resourceVersion",
        "generation",
        "managedFields",
        "finalizers",
        "ownerReferences",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "generateName",
        "selfLink",
    };
    return std::ranges::find(kFields, name) != kFields.end();
}

/// Returns true if a field that the schema does not know is still valid in Kubernetes.
bool is_of_kubernetes(std::string_view field) {
    // A status is never written by hand, and a newer version may have more fields.
    const std::size_t dot = field.rfind('.');
    return field == "status" || field.starts_with("status.") ||
           (dot != std::string_view::npos && field.substr(0, dot).ends_with("metadata") &&
            is_metadata_field(field.substr(dot + 1)));
}

/// Returns "spec.podSets[].count" for "spec.podSets[0].count", so that all items are equal.
std::string without_positions(std::string_view path) {
    std::string kept;
    bool is_inside = false;
    for (const char c : path) {
        is_inside = is_inside && c != ']';
        if (!is_inside) {
            kept += c;
        }
        is_inside = is_inside || c == '[';
    }
    return kept;
}

/// Remarks that apply to many objects: the full text for the first one, a count for the others.
class Remarks {
  public:
    /// Adds an object to the remark of that key; `text()` returns the full text.
    template <class Text>
    void add(std::string key, const Text& text) {
        const auto [at, is_new] = places_.emplace(std::move(key), remarks_.size());
        if (is_new) {
            remarks_.push_back({.text = text(), .key = &at->first});
        }
        ++remarks_[at->second].objects;
        if (may_go_back_) {
            added_.push_back(at->second);
        }
    }
    /// Starts to record additions, so that go_back() can undo them; until keep().
    void mark() { may_go_back_ = true; }
    void keep() {
        may_go_back_ = false;
        added_.clear();
    }
    /// Undoes the additions since mark().
    void go_back() {
        for (; !added_.empty(); added_.pop_back()) {
            if (--remarks_[added_.back()].objects == 0) {  // the last one that was new
                places_.erase(places_.find(*remarks_.back().key));
                remarks_.pop_back();
            }
        }
        may_go_back_ = false;
    }
    /// Returns the remarks in the order in which they were first added.
    std::vector<std::string> texts() const {
        std::vector<std::string> made;
        made.reserve(remarks_.size());
        for (const auto& remark : remarks_) {
            const std::size_t others = remark.objects - 1;
            made.push_back(
                others == 0 ? remark.text : fmt::format("{} (and {} more)", remark.text, others)
            );
        }
        return made;
    }

  private:
    struct Remark {
        std::string text;
        const std::string* key = nullptr;  ///< in places_
        std::size_t objects = 0;
    };

    std::vector<Remark> remarks_;
    std::unordered_map<std::string, std::size_t> places_;
    bool may_go_back_ = false;
    std::vector<std::size_t> added_;  ///< indexes in remarks_ of the additions since mark()
};

class Reader final : public yaml::ObjectSink {
  public:
    ScheduleInput run(const std::vector<InputFile>& files) {
        for (const auto& file : files) {
            file_ = &file.name;
            yaml::read_objects(file.text, *this);
        }
        input_.cluster = objects_.take();
        for (auto& ns : input_.cluster.namespaces) {
            // The API server sets this label on each namespace.
            ns.metadata.labels["kubernetes.io/metadata.name"] = ns.metadata.name;
        }
        input_.problems = std::move(said_.problems);
        input_.warnings = said_.warnings.texts();
        input_.notes = said_.skipped_kinds.texts();
        input_.notes.insert(input_.notes.end(), said_.notes.begin(), said_.notes.end());
        return std::move(input_);
    }

    void take(yaml::Document& document) override {
        if (document.value) {
            Source source{*document.value, {*file_, document.line, document.item}};
            add(source);
            return;
        }
        said_.problems.push_back(yaml::in_file(document.value.error(), *file_).detail);
    }
    void begin_list() override {
        objects_.mark();
        said_.warnings.mark();
        said_.skipped_kinds.mark();
        problems_before_ = said_.problems.size();
        notes_before_ = said_.notes.size();
    }
    void keep_list() override {
        objects_.keep();
        said_.warnings.keep();
        said_.skipped_kinds.keep();
    }
    void drop_list() override {
        objects_.go_back();
        said_.warnings.go_back();
        said_.skipped_kinds.go_back();
        said_.problems.resize(problems_before_);
        said_.notes.resize(notes_before_);
    }

  private:
    void add(Source& source) {
        if (source.value.is_null()) {
            return;
        }
        if (const auto missing = find_missing(source.value)) {
            said_.problems.push_back(fmt::format("{}: {}", to_string(source.place), *missing));
            return;
        }
        auto* items = source.value.find("items");
        if (source.value.string_at("kind").ends_with("List") && items != nullptr &&
            items->is_array()) {
            auto& all = items->as_array();
            for (std::size_t i = 0; i < all.size(); ++i) {
                Source inner{all[i], {source.place.file, source.place.line, i}};
                add(inner);
            }
            return;
        }
        if (auto done = add_object(source); !done) {
            said_.problems.push_back(
                fmt::format("{}: {}", describe_source(source), done.error().detail)
            );
        }
    }

    Result<void> add_object(Source& source) {
        const std::string kind(source.value.string_at("kind"));
        const std::string version(source.value.string_at("apiVersion"));
        if (version.starts_with(std::string(api::kKueueGroup) + "/")) {
            return add_own(source, kind, version);
        }
        if (version == "v1" && kind == "Namespace") {
            return put<api::Namespace>(source);
        }
        if (version == "v1" && kind == "LimitRange") {
            return put<api::LimitRange>(source);
        }
        if (version == "node.k8s.io/v1" && kind == "RuntimeClass") {
            return put<api::RuntimeClass>(source);
        }
        if (version == "v1" && kind == "Node") {
            return put<api::Node>(source);
        }
        if (version == "v1" && kind == "Pod") {
            return put<api::Pod>(source);
        }
        if (version != "scheduling.k8s.io/v1" || kind != "PriorityClass") {
            note_skipped(source, kind, version);
        }
        return {};
    }

    void note_skipped(const Source& source, std::string_view kind, std::string_view version) {
        said_.skipped_kinds.add(fmt::format("{} {}", version, kind), [&] {
            const std::string_view why =
                kind == "Job" && version == "batch/v1" ? " (add its Workload instead)" : "";
            return fmt::format(
                "{}: skipped, kind {} of {} has no effect{}",
                describe_source(source),
                kind,
                version,
                why
            );
        });
    }

    Result<void> add_own(Source& source, std::string_view kind, std::string_view version) {
        if (version != webhook::kV1beta1 && version != webhook::kV1beta2) {
            return make_invalid(fmt::format("apiVersion: {} is not served", version));
        }
        const std::string_view short_version = version.substr(version.find('/') + 1);
        if (api::find_schema(kind, short_version) == nullptr) {
            said_.warnings.add(fmt::format("{} {}", version, kind), [&] {
                return fmt::format(
                    "{}: ignored, {} has no kind {}", describe_source(source), version, kind
                );
            });
            return {};
        }
        if (auto done = check_schema(source, kind, short_version); !done) {
            return done.error();
        }
        if (version == webhook::kV1beta1 && webhook::has_conversion(kind)) {
            if (auto done = webhook::convert(source.value, webhook::kV1beta2); !done) {
                return done.error();
            }
        }
        if (kind == "AdmissionCheck") {
            return put<api::AdmissionCheck>(source);
        }
        if (kind == "Topology") {
            return put<api::Topology>(source);
        }
        if (kind == "ResourceFlavor") {
            return put<api::ResourceFlavor>(source);
        }
        if (kind == "Cohort") {
            return put<api::Cohort>(source);
        }
        if (kind == "ClusterQueue") {
            return put<api::ClusterQueue>(source);
        }
        if (kind == "LocalQueue") {
            return put<api::LocalQueue>(source);
        }
        if (kind == "Workload") {
            return put<api::Workload>(source);
        }
        if (kind == "WorkloadPriorityClass") {
            return put<api::WorkloadPriorityClass>(source);
        }
        note_skipped(source, kind, version);
        return {};
    }

    /// Fills in defaults and validates as the API server does when an object is created. Warns
    /// about unknown fields, which the API server drops, as kubectl does.
    Result<void> check_schema(Source& source, std::string_view kind, std::string_view version) {
        std::vector<std::string> unknown;
        auto done = schemas_.complete(kind, version, source.value, unknown);
        for (const auto& field : unknown) {
            if (!is_of_kubernetes(field)) {
                warn_unknown(source, kind, version, field);
            }
        }
        return done;
    }

    void warn_unknown(
        const Source& source,
        std::string_view kind,
        std::string_view version,
        const std::string& field
    ) {
        said_.warnings.add(fmt::format("{} {} {}", kind, version, without_positions(field)), [&] {
            const std::string_view other = version == "v1beta1" ? "v1beta2" : "v1beta1";
            const bool is_known_there = schemas_.knows(kind, other, source.value, field);
            return fmt::format(
                "{}: unknown field \"{}\" is ignored{}",
                describe_source(source),
                field,
                is_known_there ? fmt::format("; {} has it, {} does not", other, version) : ""
            );
        });
    }

    template <class T>
    Result<void> put(Source& source) {
        if (lacks_name(source.value)) {
            return make_invalid("metadata.name: Required value");
        }
        auto object = api::from_value<T>(source.value, {.limits = {}, .interner = &templates_});
        if (!object) {
            return object.error();
        }
        if constexpr (std::is_same_v<T, api::Workload>) {
            if (const auto negative = workload::find_negative_requests(*object)) {
                said_.warnings.add(*negative, [&] {
                    return fmt::format(
                        "{}: {}; treated as 0, but no pod can have such a request",
                        describe_source(source),
                        *negative
                    );
                });
            }
        }
        if constexpr (std::is_same_v<T, api::ResourceFlavor>) {
            for (const auto& fault : workload::validate_annotations(*object, true)) {
                said_.warnings.add(fault.text(), [&] {
                    return fmt::format("{}: {}; ignored", describe_source(source), fault.text());
                });
            }
        }
        if (T::kNamespaced && object->metadata.namespace_.empty()) {
            object->metadata.namespace_ = "default";
        }
        if (objects_.put(*std::move(object))) {
            said_.notes.push_back(
                describe_source(source) + ": defined twice, this definition is used"
            );
        }
        return {};
    }

    /// The messages to report.
    struct Said {
        std::vector<std::string> problems;
        Remarks warnings;  ///< unknown fields by kind and field, negative requests by fault
        Remarks skipped_kinds;
        std::vector<std::string> notes;
    };

    ScheduleInput input_;
    const std::string* file_ = nullptr;
    ObjectCollector objects_;
    Said said_;
    std::size_t problems_before_ = 0;  ///< before the list that is being read
    std::size_t notes_before_ = 0;
    api::Interner templates_;
    ObjectSchemas schemas_;
};

}  // namespace

ScheduleInput read_input(const std::vector<InputFile>& files) {
    return Reader().run(files);
}

}  // namespace sluice::commands
