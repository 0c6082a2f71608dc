#include "apiserver/deletion.hpp"

#include "apiserver/admission.hpp"
#include "apiserver/crd.hpp"
#include "apiserver/decode.hpp"
#include "apiserver/objects.hpp"
#include "apiserver/values.hpp"
#include "apiserver/writes.hpp"
#include "api/micro_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Value;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

Result<void> check_propagation(const std::string& policy) {
    if (policy.empty() || policy == "Orphan" || policy == "Background" || policy == "Foreground") {
        return {};
    }
    // The real server lists them in this order, "nil" among them.
    return invalid_options(
        "DeleteOptions",
        {Cause{
            .reason = "FieldValueNotSupported",
            .message = fmt::format(
                "Unsupported value: \"{}\": supported values: \"Foreground\", \"Background\", "
                "\"Orphan\", \"nil\"",
                policy
            ),
            .field = "propagationPolicy"
        }}
    );
}

Result<DeleteOptions> from_body(const Value& body) {
    DeleteOptions options;
    if (const Value* grace = body.find("gracePeriodSeconds"); grace != nullptr && grace->is_int()) {
        options.grace_period_seconds = grace->as_int();
    }
    if (const Value* wanted = body.find("preconditions"); wanted != nullptr) {
        options.uid = wanted->string_at("uid");
        options.resource_version = wanted->string_at("resourceVersion");
    }
    options.propagation = body.string_at("propagationPolicy");
    if (const Value* orphan = body.find("orphanDependents"); orphan != nullptr && orphan->is_bool()) {
        options.propagation = orphan->as_bool() ? "Orphan" : "Background";
    }
    for (const auto& item : items_of(body.find("dryRun"))) {
        if (item != Value("All")) {
            return invalid_options(
                "DeleteOptions",
                {Cause{
                    .reason = "FieldValueNotSupported",
                    .message = fmt::format(
                        "Unsupported value: {}: supported values: \"All\"",
                        json::print(*body.find("dryRun"))
                    ),
                    .field = "dryRun"
                }}
            );
        }
        options.is_dry_run = true;
    }
    return options;
}

Result<DeleteOptions> from_query(const Query& query) {
    DeleteOptions options;
    if (const auto& text = query.get("gracePeriodSeconds"); !text.empty()) {
        std::int64_t seconds = 0;
        const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), seconds);
        if (fault != std::errc{} || end != text.data() + text.size()) {
            return bad_request(
                fmt::format("strconv.ParseInt: parsing \"{}\": invalid syntax", text)
            );
        }
        options.grace_period_seconds = seconds;
    }
    options.propagation = query.get("propagationPolicy");
    if (query.has("orphanDependents")) {
        options.propagation = query.is_true("orphanDependents") ? "Orphan" : "Background";
    }
    return options;
}

std::vector<std::string> finalizers_of(const Value& object) {
    std::vector<std::string> names;
    const Value* metadata = object.find("metadata");
    if (metadata != nullptr) {
        for (const auto& item : items_of(metadata->find("finalizers"))) {
            names.push_back(item.as_string());
        }
    }
    return names;
}

/// The finalizers by which the garbage collector holds the object back.
std::vector<std::string> with_collector_finalizers(
    const Resource& resource, std::vector<std::string> names, const std::string& propagation
) {
    const bool orphans_by_default = resource.store_name() == "jobs.batch"
                                    || resource.store_name() == "replicationcontrollers";
    const bool has_any = std::ranges::find(names, kOrphan) != names.end()
                         || std::ranges::find(names, kForeground) != names.end();
    if (propagation.empty() && has_any) {
        return names;
    }
    std::erase(names, kOrphan);
    std::erase(names, kForeground);
    if (propagation == "Orphan" || (propagation.empty() && orphans_by_default)) {
        names.emplace_back(kOrphan);
    } else if (propagation == "Foreground") {
        names.emplace_back(kForeground);
    }
    return names;
}

/// How long the kubelet may take to end a pod: none where nobody runs it.
std::int64_t grace_of_pod(const Value& pod, const DeleteOptions& options) {
    const Value* spec = pod.find("spec");
    const Value* status = pod.find("status");
    const auto phase = status == nullptr ? std::string_view() : status->string_at("phase");
    if (spec == nullptr || spec->string_at("nodeName").empty() || phase == "Succeeded"
        || phase == "Failed") {
        return 0;
    }
    const auto seconds =
        options.grace_period_seconds.value_or(int_at(*spec, "terminationGracePeriodSeconds", 30));
    return seconds < 0 ? 1 : seconds;
}

Result<void> check_delete_preconditions(
    const Resource& resource, const Stored& object, const DeleteOptions& options
) {
    if (!options.uid.empty() && options.uid != object.uid) {
        return conflict(
            resource.group_kind(),
            object.name,
            fmt::format(
                "the UID in the precondition ({}) does not match the UID in record ({}). The "
                "object might have been deleted and then recreated",
                options.uid,
                object.uid
            )
        );
    }
    const auto version = std::to_string(object.resource_version);
    if (!options.resource_version.empty() && options.resource_version != version) {
        return conflict(
            resource.group_kind(),
            object.name,
            fmt::format(
                "the ResourceVersion in the precondition ({}) does not match the ResourceVersion "
                "in record ({}). The object might have been modified",
                options.resource_version,
                version
            )
        );
    }
    return {};
}

/// The steps of one deletion.
class Deleting {
  public:
    Deleting(Core& core, const ResourcePtr& resource, const StoredPtr& stored, const DeleteOptions& options)
        : core_(core),
          resource_(resource),
          stored_(stored),
          options_(options),
          object_(read_stored(*resource, *stored)) {}

    Deletion run() {
        if (resource_->store_name() == "namespaces") {
            return mark_namespace();
        }
        const bool is_pod = resource_->store_name() == "pods";
        const std::int64_t grace = is_pod ? grace_of_pod(object_, options_) : 0;
        auto finalizers = finalizers_of(object_);
        auto wanted = with_collector_finalizers(*resource_, finalizers, options_.propagation);
        const bool is_crd = resource_->kind == "CustomResourceDefinition";
        if (is_crd && !stored_->is_deleting
            && std::ranges::find(wanted, kResourceCleanup) == wanted.end()) {
            wanted.emplace_back(kResourceCleanup);
        }
        if (stored_->is_deleting) {
            return mark_again(grace, wanted, finalizers);
        }
        if (grace == 0 && wanted.empty()) {
            return remove();
        }
        mark(grace, wanted);
        return keep();
    }

  private:
    void set_finalizers(const std::vector<std::string>& names) {
        Array list(names.begin(), names.end());
        if (list.empty()) {
            metadata_of(object_).erase("finalizers");
        } else {
            metadata_of(object_).set("finalizers", std::move(list));
        }
    }

    void mark(std::int64_t grace, const std::vector<std::string>& finalizers) {
        Value& metadata = metadata_of(object_);
        metadata.set(
            "deletionTimestamp", api::to_string(core_.now + std::chrono::seconds(grace))
        );
        metadata.set("deletionGracePeriodSeconds", grace);
        if (const Value* generation = metadata.find("generation"); generation != nullptr) {
            metadata.set("generation", generation->as_int() + 1);
        }
        set_finalizers(finalizers);
    }

    /// The object is to be deleted already: its grace period can only become shorter.
    Deletion mark_again(
        std::int64_t grace,
        const std::vector<std::string>& wanted,
        const std::vector<std::string>& finalizers
    ) {
        const auto present = int_at(metadata_of(object_), "deletionGracePeriodSeconds", 0);
        const bool is_shorter = grace < present;
        if (is_shorter && grace == 0 && wanted.empty()) {
            return remove();
        }
        if (is_shorter) {
            metadata_of(object_).set(
                "deletionTimestamp", api::to_string(core_.now + std::chrono::seconds(grace))
            );
            metadata_of(object_).set("deletionGracePeriodSeconds", grace);
        } else if (wanted == finalizers) {
            if (wanted.empty() && present == 0) {
                return remove();
            }
            return {.is_gone = false, .object = stored_};
        }
        set_finalizers(wanted);
        return keep();
    }

    Deletion mark_namespace() {
        if (stored_->is_deleting) {
            const Value* spec = object_.find("spec");
            const bool is_empty = spec == nullptr || items_of(spec->find("finalizers")).empty();
            if (is_empty && finalizers_of(object_).empty()) {
                return remove();
            }
            return {.is_gone = false, .object = stored_};
        }
        metadata_of(object_).set("deletionTimestamp", api::to_string(core_.now));
        object_at(object_, "status").set("phase", "Terminating");
        return keep();
    }

    Deletion keep() {
        if (options_.is_dry_run) {
            return {.is_gone = false, .object = make_stored(*resource_, stored_->version, object_)};
        }
        const auto collection = core_.store.collection(resource_->store_name());
        store_directly(core_, resource_, object_);
        auto kept = collection->find(stored_->namespace_, stored_->name);
        return {.is_gone = kept == nullptr, .object = kept == nullptr ? stored_ : kept};
    }

    Deletion remove() {
        if (options_.is_dry_run) {
            return {.is_gone = true, .object = stored_};
        }
        metadata_of(object_).set("resourceVersion", std::to_string(core_.store.take_version()));
        auto last = make_stored(*resource_, stored_->version, object_);
        core_.store.remove(resource_->store_name(), last);
        after_write(core_, *resource_, last, true);
        return {.is_gone = true, .object = stored_};
    }

    Core& core_;
    const ResourcePtr& resource_;
    const StoredPtr& stored_;
    const DeleteOptions& options_;
    Value object_;
};

}  // namespace

Result<DeleteOptions> read_delete_options(const Core& core, Scope& scope) {
    Result<DeleteOptions> options = DeleteOptions{};
    if (scope.request.body.empty()) {
        options = from_query(scope.query);
    } else {
        const auto body = parse_body(core, scope.request, "DeleteOptions");
        if (!body) {
            return body.error();
        }
        options = from_body(body->value);
    }
    if (!options) {
        return options;
    }
    if (const auto checked = check_propagation(options->propagation); !checked) {
        return checked.error();
    }
    options->is_dry_run = options->is_dry_run || scope.is_dry_run;
    return options;
}

Result<Deletion> delete_stored(
    Core& core, const ResourcePtr& resource, const StoredPtr& object, const DeleteOptions& options
) {
    if (const auto kept = check_delete_preconditions(*resource, *object, options); !kept) {
        return kept.error();
    }
    return Deleting(core, resource, object, options).run();
}

Flow<Result<Deletion>> delete_object(Core* core, Scope* scope, DeleteOptions options) {
    const auto find = [&] { return scope->collection(*core)->find(scope->namespace_, scope->name); };
    const auto present = find();
    if (present == nullptr) {
        co_return object_not_found(scope->group_resource(), scope->name);
    }
    if (const auto kept = check_delete_preconditions(*scope->resource, *present, options); !kept) {
        co_return kept.error();
    }
    const auto old_object =
        co_await load_object(core, scope->resource, present, scope->version->name);
    if (!old_object) {
        co_return old_object.error();
    }
    AdmissionRequest admission{
        .scope = scope, .operation = "DELETE", .object = nullptr, .old_object = &*old_object
    };
    if (const auto admitted = co_await admit_mutating(core, admission); !admitted) {
        co_return admitted.error();
    }
    if (const auto admitted = co_await admit_validating(core, admission); !admitted) {
        co_return admitted.error();
    }
    const auto object = find();
    if (object == nullptr) {
        co_return object_not_found(scope->group_resource(), scope->name);
    }
    if (scope->resource->kind == "Job" && scope->resource->group == "batch"
        && options.propagation.empty()) {
        scope->warn(
            "child pods are preserved by default when jobs are deleted; set "
            "propagationPolicy=Background to remove them or set propagationPolicy=Orphan to "
            "suppress this warning"
        );
    }
    co_return delete_stored(*core, scope->resource, object, options);
}

}  // namespace sluice::apiserver
