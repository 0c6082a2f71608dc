#include "apiserver/fields/managed_fields.hpp"

#include "apiserver/fields/field_managers.hpp"
#include "apiserver/fields/last_applied.hpp"
#include "apiserver/fields/typed_walk.hpp"
#include "apiserver/objects/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

/// Fields that have no owner.
const FieldSet& bookkeeping() {
    static const FieldSet kFields = set_of_fields({
        "apiVersion",
        "kind",
        "metadata",
        "metadata.name",
        "metadata.namespace",
        "metadata.creationTimestamp",
        "metadata.selfLink",
        "metadata.uid",
        "metadata.clusterName",
        "metadata.generation",
        "metadata.managedFields",
        "metadata.resourceVersion",
    });
    return kFields;
}

Error unmergeable(std::string message) {
    Value status = json::Object{
        {"kind", "Status"},
        {"apiVersion", "v1"},
        {"metadata", json::Object{}},
        {"status", "Failure"},
        {"message", message},
        {"reason", "BadRequest"},
        {"code", 400},
    };
    return {ErrorCode::Invalid, std::move(message), json::print(status)};
}

Error failed_merge(std::string message) {
    Value status = json::Object{
        {"kind", "Status"},
        {"apiVersion", "v1"},
        {"metadata", json::Object{}},
        {"status", "Failure"},
        {"message", message},
        {"code", 500},
    };
    return {ErrorCode::Internal, std::move(message), json::print(status)};
}

FieldManager self_of(const WriteContext& context, bool applies) {
    return {
        .name = context.manager.empty() ? "unknown" : context.manager,
        .applies = applies,
        .api_version = context.api_version,
        .subresource = context.subresource,
        .time = {},
        .fields = {},
    };
}

void remove_managed_fields(Value& object) {
    if (Value* metadata = object.find("metadata")) {
        metadata->erase("managedFields");
    }
}

FieldSet without_reset(FieldSet set, const ResetFields& reset) {
    if (set.empty()) {
        return set;
    }
    auto out = set_difference_below(std::move(set), set_of_fields(reset.excluded));
    return reset.only.empty() ? out : set_restriction(out, set_of_fields(reset.only));
}

/// The versions that managers wrote in: their schemas, and conversion of objects into them.
class Versions {
  public:
    Versions(const Schema& schema, const WriteContext& context)
        : schema_(schema), context_(context) {}

    /// Returns the schema; nullptr if the version is not served any more.
    const Schema* schema(const std::string& api_version) {
        if (api_version == context_.api_version) {
            return &schema_;
        }
        if (context_.versions == nullptr) {
            return nullptr;
        }
        auto [found, is_new] = schemas_.try_emplace(api_version);
        if (is_new) {
            found->second = context_.versions->schema(api_version);
        }
        return found->second.get();
    }

    /// Converts the object from the version `from` into the version `to`.
    Result<Value> convert(const Value& object, const std::string& from, const std::string& to) {
        if (from == to || context_.versions == nullptr) {
            return object;
        }
        return context_.versions->convert(object, to);
    }

  private:
    const Schema& schema_;
    const WriteContext& context_;
    std::map<std::string, std::shared_ptr<const Schema>> schemas_;
};

/// A field that a configuration sets and another manager owns.
struct Conflict {
    FieldManager manager;
    FieldPath path;
};

/// One write of one object, applied to the entries of its managers.
class Ownership {
  public:
    Ownership(const Schema& schema, const WriteContext& context)
        : schema_(schema), context_(context), versions_(schema, context) {}

    Result<void> update(
        FieldManagers& managers, const Value& before, const Value& after, const FieldManager& self
    ) {
        follow_schema(managers);
        const auto taken = take_from_others(managers, before, after, self, true);
        if (!taken) {
            return taken.error();
        }
        FieldSet fields;
        if (FieldManager* own = find_manager(managers, self)) {
            fields = own->fields;
        }
        const auto& differences = comparisons_.at(context_.api_version);
        fields = set_difference(std::move(fields), differences.removed);
        auto gained = set_union(differences.modified, differences.added);
        gained = set_difference(std::move(gained), bookkeeping());
        const bool has_gained = !gained.empty();
        fields = set_difference(set_union(std::move(fields), gained), bookkeeping());
        set_fields(managers, self, std::move(fields), has_gained ? context_.now : "");
        return {};
    }

    Result<Value> apply(
        FieldManagers& managers,
        const Value& live,
        const Value& config,
        FieldManager self,
        bool force
    ) {
        follow_schema(managers);
        const FieldType type = root_type(schema_);
        Value merged = merge(type, live, config);
        FieldManager last;
        const FieldManager* own = find_manager(managers, self);
        const bool has_last = own != nullptr && !own->fields.empty();
        if (has_last) {
            last = *own;
        }
        self.fields = without_reset(field_set_of(type, config), context_.reset);
        self.time = own == nullptr ? "" : own->time;
        std::erase_if(managers, [&](const auto& manager) { return manager.is_same(self); });
        managers.push_back(self);
        if (has_last) {
            auto pruned = prune(managers, std::move(merged), last);
            if (!pruned) {
                return pruned.error();
            }
            merged = std::move(pruned).value();
        }
        const auto taken = take_from_others(managers, live, merged, self, force);
        if (!taken) {
            return taken.error();
        }
        return merged;
    }

    const std::vector<Conflict>& conflicts() const { return conflicts_; }

  private:
    void follow_schema(FieldManagers& managers) {
        for (auto& manager : managers) {
            if (const Schema* schema = versions_.schema(manager.api_version)) {
                manager.fields = with_atomic_wholes(root_type(*schema), manager.fields);
            }
        }
    }

    void set_fields(
        FieldManagers& managers, const FieldManager& self, FieldSet fields, const std::string& time
    ) {
        FieldManager* own = find_manager(managers, self);
        if (fields.empty()) {
            std::erase_if(managers, [&](const auto& manager) { return manager.is_same(self); });
        } else if (own == nullptr) {
            managers.push_back(self);
            managers.back().fields = std::move(fields);
            managers.back().time = time;
        } else {
            own->fields = std::move(fields);
            own->time = time.empty() ? own->time : time;
        }
    }

    /// Returns the differences between the objects in that version; nullptr if the version is not
    /// served.
    Result<const Comparison*> comparison(
        const std::string& version, const Value& before, const Value& after
    ) {
        if (const auto found = comparisons_.find(version); found != comparisons_.end()) {
            return &found->second;
        }
        const Schema* schema = versions_.schema(version);
        if (schema == nullptr) {
            return static_cast<const Comparison*>(nullptr);
        }
        auto made = compare_in(version, *schema, before, after);
        if (!made) {
            return made.error();
        }
        made->added = without_reset(std::move(made->added), context_.reset);
        made->removed = without_reset(std::move(made->removed), context_.reset);
        made->modified = without_reset(std::move(made->modified), context_.reset);
        return &comparisons_.emplace(version, std::move(made).value()).first->second;
    }

    Result<Comparison> compare_in(
        const std::string& version, const Schema& schema, const Value& before, const Value& after
    ) {
        if (version == context_.api_version) {
            return compare(root_type(schema), before, after);
        }
        const auto old_object = versions_.convert(before, context_.api_version, version);
        if (!old_object) {
            return old_object.error();
        }
        const auto new_object = versions_.convert(after, context_.api_version, version);
        if (!new_object) {
            return new_object.error();
        }
        return compare(root_type(schema), *old_object, *new_object);
    }

    /// Removes the fields that the write changes or removes from the entries of other managers.
    /// Errors: Conflict, unless forced, if another manager owns a field that the write changes;
    /// conflicts() then lists such fields.
    Result<void> take_from_others(
        FieldManagers& managers,
        const Value& before,
        const Value& after,
        const FieldManager& self,
        bool force
    ) {
        const auto own = comparison(context_.api_version, before, after);
        if (!own) {
            return own.error();
        }
        for (auto& manager : managers) {
            if (manager.is_same(self)) {
                continue;
            }
            const auto found = comparison(manager.api_version, before, after);
            if (!found) {
                return found.error();
            }
            if (found.value() == nullptr) {
                manager.fields = {};
                continue;
            }
            const auto& differences = *found.value();
            const auto lost = set_intersection(
                manager.fields, set_union(differences.modified, differences.added)
            );
            lost.for_each([&](const FieldPath& path) { conflicts_.push_back({manager, path}); });
            manager.fields = set_difference(
                set_difference(std::move(manager.fields), lost), differences.removed
            );
        }
        if (!force && !conflicts_.empty()) {
            return Error{.code = ErrorCode::Conflict, .detail = "conflict", .status = {}};
        }
        std::erase_if(managers, [](const auto& manager) { return manager.fields.empty(); });
        return {};
    }

    /// Returns the merged object without the fields that this manager applied last, omits now, and
    /// that no other manager owns.
    Result<Value> prune(const FieldManagers& managers, Value merged, const FieldManager& last) {
        const Schema* schema = versions_.schema(last.api_version);
        if (schema == nullptr) {
            return merged;
        }
        const FieldType type = root_type(*schema);
        auto converted = versions_.convert(merged, context_.api_version, last.api_version);
        if (!converted) {
            return converted.error();
        }
        const auto last_fields = with_named_fields(type, last.fields);
        Value pruned = remove_items(type, *converted, last_fields);
        auto restored = add_back_owned(managers, *converted, std::move(pruned), last.api_version);
        if (!restored) {
            return restored.error();
        }
        // Items that disappeared although this manager did not own them are kept.
        const auto pruned_fields = with_named_fields(type, field_set_of(type, *restored));
        const auto merged_fields = with_named_fields(type, field_set_of(type, *converted));
        const auto gone =
            set_intersection(set_difference(merged_fields, pruned_fields), last_fields);
        return versions_.convert(
            remove_items(type, *converted, gone), last.api_version, context_.api_version
        );
    }

    /// Puts back the fields that any manager owns, one version after the other, beginning with the
    /// version of the pruned object.
    Result<Value> add_back_owned(
        const FieldManagers& managers, Value merged, Value pruned, std::string at_version
    ) {
        std::map<std::string, FieldSet> owned;
        for (const auto& manager : managers) {
            auto& fields = owned[manager.api_version];
            fields = set_union(fields, manager.fields);
        }
        std::vector<std::string> order;
        if (owned.contains(at_version)) {
            order.push_back(at_version);
        }
        for (const auto& [version, fields] : owned) {
            if (version != at_version) {
                order.push_back(version);
            }
        }
        const auto result_version = at_version;
        for (const auto& version : order) {
            const Schema* schema = versions_.schema(version);
            if (schema == nullptr) {
                continue;
            }
            auto merged_here = versions_.convert(merged, at_version, version);
            auto pruned_here = versions_.convert(pruned, at_version, version);
            if (!merged_here || !pruned_here) {
                return merged_here ? pruned_here.error() : merged_here.error();
            }
            merged = std::move(merged_here).value();
            at_version = version;
            const FieldType type = root_type(*schema);
            const auto all = with_named_fields(type, field_set_of(type, merged));
            const auto kept = with_named_fields(type, field_set_of(type, *pruned_here));
            const auto theirs = with_named_fields(type, owned[version]);
            pruned = remove_items(type, merged, set_difference(all, set_union(kept, theirs)));
        }
        return versions_.convert(pruned, at_version, result_version);
    }

    const Schema& schema_;
    const WriteContext& context_;
    Versions versions_;
    std::map<std::string, Comparison> comparisons_;
    std::vector<Conflict> conflicts_;
};

/// Returns the managers that an update starts from: those that the request sets, else those of the
/// old object.
FieldManagers managers_before(
    const Value* before, const Value& after, const WriteContext& context
) {
    const auto& set = items_of(after.find_path({"metadata", "managedFields"}));
    if (context.subresource.empty()) {
        const bool is_reset =
            set.size() == 1 && set.front().is_object() && set.front().as_object().empty();
        if (is_reset) {
            return {};
        }
        auto sent = decode_managers(after);
        if (sent && !sent->empty()) {
            return std::move(sent).value();
        }
    }
    if (before == nullptr) {
        return {};
    }
    auto kept = decode_managers(*before);
    return kept ? std::move(kept).value() : FieldManagers();
}

Error conflict_error(const std::vector<Conflict>& conflicts) {
    json::Array causes;
    std::map<std::string, std::vector<std::string>> by_manager;
    for (const auto& [manager, path] : conflicts) {
        causes.push_back(json::Object{
            {"reason", "FieldManagerConflict"},
            {"message", "conflict with " + manager.printed()},
            {"field", printed(path)},
        });
        by_manager[manager.printed()].push_back(printed(path));
    }
    std::string message;
    if (conflicts.size() == 1) {
        message = fmt::format(
            "Apply failed with 1 conflict: conflict with {}: {}",
            conflicts.front().manager.printed(),
            printed(conflicts.front().path)
        );
    } else {
        message = fmt::format("Apply failed with {} conflicts: ", conflicts.size());
        bool is_first = true;
        for (const auto& [manager, paths] : by_manager) {
            message += fmt::format("{}conflicts with {}:", is_first ? "" : "\n", manager);
            is_first = false;
            for (const auto& path : paths) {
                message += "\n- " + path;
            }
        }
    }
    const Value status = json::Object{
        {"kind", "Status"},
        {"apiVersion", "v1"},
        {"metadata", json::Object{}},
        {"status", "Failure"},
        {"message", message},
        {"reason", "Conflict"},
        {"details", json::Object{{"causes", std::move(causes)}}},
        {"code", 409},
    };
    return {ErrorCode::Conflict, std::move(message), json::print(status)};
}

/// Prints group, version and kind as Go does: a version of the core group has a leading slash.
std::string printed_kind(std::string_view api_version, const Value& config) {
    const bool has_group = api_version.find('/') != std::string_view::npos;
    return fmt::format(
        "{}{}, Kind={}", has_group ? "" : "/", api_version, config.string_at("kind")
    );
}

/// Checks that a configuration can be applied at all.
Result<void> check_config(const Value& config, const Schema& schema, const WriteContext& context) {
    const auto version = config.string_at("apiVersion");
    const bool is_other = !context.kind.empty() && config.string_at("kind") != context.kind;
    if (version != context.api_version || is_other) {
        return unmergeable(fmt::format("invalid object type: {}", printed_kind(version, config)));
    }
    const Value* managed = config.find_path({"metadata", "managedFields"});
    if (managed != nullptr && !managed->is_null()) {
        return unmergeable("metadata.managedFields must be nil");
    }
    const auto faults = find_typing_faults(root_type(schema), config);
    if (faults.empty()) {
        return {};
    }
    std::string text = faults.front();
    if (faults.size() > 1) {
        text = "errors:";
        for (const auto& fault : faults) {
            text += "\n  " + fault;
        }
    }
    const Value* metadata = config.find("metadata");
    const auto name = metadata == nullptr ? "" : metadata->string_at("name");
    const auto space = metadata == nullptr ? "" : metadata->string_at("namespace");
    return failed_merge(fmt::format(
        "failed to create typed patch object ({}/{}; {}): {}",
        space,
        name,
        printed_kind(version, config),
        text
    ));
}

/// Records the fields of an object without managers, before its first apply, as owned by the
/// manager `before-first-apply`.
Result<void> note_unmanaged(
    Ownership& ownership,
    FieldManagers& managers,
    const Value& live,
    const Schema& schema,
    const WriteContext& context
) {
    FieldManager self = self_of(context, false);
    self.name = "before-first-apply";
    return ownership.update(managers, zero_object(schema), live, self);
}

struct Attempt {
    Result<Value> object;
    FieldManagers managers;
    std::vector<Conflict> conflicts;
};

Attempt attempt(
    const Value& live,
    const Value& config,
    const Schema& schema,
    const WriteContext& context,
    const FieldManagers& managers,
    bool force
) {
    Ownership ownership(schema, context);
    FieldManagers changed = managers;
    auto object = ownership.apply(changed, live, config, self_of(context, true), force);
    return {std::move(object), std::move(changed), ownership.conflicts()};
}

}  // namespace

Result<Value> apply(
    const Value* live_object,
    const Value& config,
    const Schema& schema,
    const WriteContext& context,
    bool force
) {
    if (const auto checked = check_config(config, schema, context); !checked) {
        return checked.error();
    }
    Value live = live_object == nullptr ? zero_object(schema) : *live_object;
    auto decoded = decode_managers(live);
    if (!decoded) {
        return failed_merge("failed to decode managed fields: " + decoded.error().detail);
    }
    remove_managed_fields(live);
    FieldManagers managers = std::move(decoded).value();
    if (managers.empty() && live_object != nullptr) {
        Ownership ownership(schema, context);
        const auto noted = note_unmanaged(ownership, managers, live, schema, context);
        if (!noted) {
            return failed_merge(noted.error().detail);
        }
    }
    auto tried = attempt(live, config, schema, context, managers, force);
    if (!tried.object && !tried.conflicts.empty() && context.manager == kKubectl) {
        const auto allowed = fields_last_applied(live, schema, context.api_version);
        std::erase_if(tried.conflicts, [&](const auto& conflict) {
            return allowed.contains(conflict.path);
        });
        if (tried.conflicts.empty()) {
            tried = attempt(live, config, schema, context, managers, true);
        }
    }
    if (!tried.object) {
        return tried.conflicts.empty() ? tried.object.error() : conflict_error(tried.conflicts);
    }
    Value object = std::move(tried.object).value();
    const auto self = self_of(context, true);
    FieldManager* own = find_manager(tried.managers, self);
    if (own != nullptr) {
        own->fields = set_difference(own->fields, bookkeeping());
        if (!(object == live)) {
            own->time = context.now;
        }
    }
    std::erase_if(tried.managers, [](const auto& manager) { return manager.fields.empty(); });
    if (context.manager == kKubectl) {
        keep_last_applied(config, object);
    }
    encode_managers(std::move(tried.managers), object, schema.is_builtin);
    return object;
}

void update_managed_fields(
    const Value* before, Value& after, const Schema& schema, const WriteContext& context
) {
    FieldManagers managers = managers_before(before, after, context);
    remove_managed_fields(after);
    const bool is_untracked = managers.empty() && before != nullptr;
    if (!is_untracked) {
        Value old_object = before == nullptr ? zero_object(schema) : *before;
        remove_managed_fields(old_object);
        Ownership ownership(schema, context);
        FieldManagers changed = managers;
        if (ownership.update(changed, old_object, after, self_of(context, false))) {
            managers = std::move(changed);
        }
        cap_updaters(managers);
    }
    encode_managers(std::move(managers), after, schema.is_builtin);
}

}  // namespace sluice::apiserver
