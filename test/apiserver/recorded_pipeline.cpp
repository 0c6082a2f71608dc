#include "apiserver/recorded_pipeline.hpp"

#include "apiserver/defaults/builtin_defaults.hpp"
#include "apiserver/defaults/write_preparation.hpp"
#include "apiserver/fields/managed_fields.hpp"
#include "apiserver/fields/strategic_merge.hpp"
#include "apiserver/rules/builtin_validation.hpp"
#include "apiserver/schema/decoding.hpp"
#include "apiserver/schema/schema_functions.hpp"
#include "json/patch.hpp"

#include <iterator>
#include <string_view>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Value;

/// A request on its way.
class Request {
  public:
    Request(
        const RecordedKind& kind,
        const Value& step,
        const Value& live,
        const Value& reply,
        const std::string& now
    )
        : kind_(kind), step_(step), live_(live), reply_(reply) {
        context_.manager =
            step.string_at("manager").empty() ? "recorder" : step.string_at("manager");
        context_.api_version = kind.api_version();
        context_.subresource = step.string_at("subresource");
        context_.now = now;
        context_.reset =
            reset_fields_of(kind.group, kind.kind, context_.subresource, kind.is_custom());
    }

    Outcome run() {
        const auto verb = step_.string_at("verb");
        const bool is_new = verb == "create" || live_.is_null();
        auto made = verb == "apply" ? applied(is_new) : written(verb);
        if (!made) {
            return {.object = {}, .causes = {}, .message = made.error().detail};
        }
        Value object = std::move(made).value();
        if (const auto fault = find_decoding_fault(*kind_.schema, object)) {
            return undecodable(verb, *fault);
        }
        if (verb == "apply" && kind_.is_custom()) {
            fill_defaults(*kind_.schema, object);
        } else {
            default_all(object);
        }
        if (verb != "apply") {
            update_managed_fields(is_new ? nullptr : &live_, object, *kind_.schema, context_);
        }
        return is_new ? create(std::move(object)) : update(std::move(object));
    }

  private:
    Outcome undecodable(std::string_view verb, const std::string& fault) const {
        if (verb == "create" || verb == "put") {
            return {
                .object = {},
                .causes = {},
                .message = kind_.kind + " in version \"" + kind_.version +
                           "\" cannot be handled as a " + kind_.kind + ": " + fault,
            };
        }
        return {
            .object = {},
            .causes = {{"FieldValueInvalid", "Invalid value: \"\": " + fault, "patch"}},
            .message = {},
        };
    }

    Result<Value> applied(bool is_new) {
        const Value* force = step_.find("force");
        return apply(
            is_new ? nullptr : &live_,
            *step_.find("body"),
            *kind_.schema,
            context_,
            force != nullptr && force->as_bool()
        );
    }

    Result<Value> written(std::string_view verb) {
        const Value& body = *step_.find("body");
        if (verb == "create" || verb == "put") {
            return body;
        }
        if (verb == "merge") {
            Value object = live_;
            json::apply_merge_patch(object, body);
            return object;
        }
        if (verb == "json") {
            if (const auto checked = json::check_json_patch(body); !checked) {
                return checked.error();
            }
            return json::apply_json_patch(live_, body);
        }
        return apply_strategic_merge_patch(*kind_.schema, live_, body);
    }

    void default_all(Value& object) {
        if (kind_.is_custom()) {
            prune(*kind_.schema, object);
            apply_defaults(*kind_.schema, object);
        } else {
            prune(*kind_.schema, object);
            apply_builtin_defaults(kind_.group, kind_.version, kind_.kind, object);
        }
    }

    void take_from_reply(Value& object, std::initializer_list<const char*> fields) {
        Value* metadata = object.find("metadata");
        const Value* theirs = reply_.find("metadata");
        for (const auto* field : fields) {
            const Value* found = theirs == nullptr ? nullptr : theirs->find(field);
            if (found != nullptr && metadata != nullptr) {
                metadata->set(field, *found);
            }
        }
    }

    Outcome create(Value object) {
        object.find("metadata")->set("uid", "00000000-0000-0000-0000-000000000000");
        take_from_reply(object, {"uid", "creationTimestamp", "resourceVersion"});
        if (kind_.is_custom()) {
            prepare_custom_for_create(true, object);
        } else {
            if (kind_.kind == "Pod") {
                admit_pod(object, "xxxxx");
            }
            if (kind_.kind == "Node") {
                admit_node(object);
            }
            prepare_for_create(kind_.group, kind_.kind, object);
        }
        auto causes = validate_metadata(kind_.group, kind_.kind, kind_.namespaced, object);
        const auto more = kind_.is_custom() ? validate(*kind_.schema, object)
                                            : validate_builtin(kind_.group, kind_.kind, object);
        causes.insert(causes.end(), more.begin(), more.end());
        return finish(std::move(object), std::move(causes));
    }

    Outcome update(Value object) {
        if (kind_.is_custom()) {
            prepare_custom_for_update(true, context_.subresource, live_, object);
        } else {
            if (kind_.kind == "Pod" && context_.subresource.empty()) {
                admit_pod_update(object);
            }
            prepare_for_update(kind_.group, kind_.kind, context_.subresource, live_, object);
        }
        auto causes = validate_metadata(kind_.group, kind_.kind, kind_.namespaced, object, &live_);
        const auto more = kind_.is_custom()
                              ? validate(*kind_.schema, object, &live_)
                              : validate_builtin_update(
                                    kind_.group, kind_.kind, context_.subresource, object, live_
                                );
        causes.insert(causes.end(), more.begin(), more.end());
        keep_times(live_, object);
        return finish(std::move(object), std::move(causes));
    }

    Outcome finish(Value object, std::vector<Cause> causes) {
        if (!causes.empty()) {
            return {.object = {}, .causes = std::move(causes), .message = {}};
        }
        take_from_reply(object, {"resourceVersion"});
        return {.object = std::move(object), .causes = {}, .message = {}};
    }

    const RecordedKind& kind_;
    const Value& step_;
    const Value& live_;
    const Value& reply_;
    WriteContext context_;
};

}  // namespace

Outcome run_request(
    const RecordedKind& kind,
    const Value& step,
    const Value& live,
    const Value& reply,
    const std::string& now
) {
    return Request(kind, step, live, reply, now).run();
}

}  // namespace sluice::apiserver
