#include "apiserver/subresources/scale.hpp"

#include "apiserver/admission/webhook_answer.hpp"
#include "apiserver/operations/patching.hpp"
#include "apiserver/operations/write_operation.hpp"
#include "apiserver/state/selectors.hpp"
#include "apiserver/table/cell_row.hpp"
#include "apiserver/types/body.hpp"
#include "apiserver/types/failures.hpp"

#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::apiserver {

namespace {

constexpr int kAttemptsMax = 5;

std::int64_t number_at(const json::Value& object, std::string_view path) {
    const std::string text = field_text(object, path);
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// Returns the selector of the scaled object, as text.
std::string selector_of(const json::Value& object, const ScalePaths& paths) {
    if (!paths.label_selector.empty()) {
        return field_text(object, paths.label_selector);
    }
    const json::Value* selector = object.find_path({"spec", "selector"});
    const bool is_builtin = paths.status_replicas == ".status.replicas";
    if (selector == nullptr || !is_builtin || !selector->is_object()) {
        return "";
    }
    // The selector of a ReplicationController is a map of labels.
    const bool is_map = object.string_at("kind") == "ReplicationController";
    return is_map ? map_text(*selector) : selector_text(*selector);
}

json::Value make_scale(const json::Value& object, const ScalePaths& paths) {
    const json::Value& metadata = *object.find("metadata");
    json::Value own = json::Object();
    for (const char* name : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
        if (const json::Value* value = metadata.find(name)) {
            own.set(name, *value);
        }
    }
    json::Value status = json::Object{{"replicas", number_at(object, paths.status_replicas)}};
    const std::string selector = selector_of(object, paths);
    if (!selector.empty()) {
        status.set("selector", selector);
    }
    return json::Object{
        {"kind", "Scale"},
        {"apiVersion", "autoscaling/v1"},
        {"metadata", std::move(own)},
        {"spec", json::Object{{"replicas", number_at(object, paths.spec_replicas)}}},
        {"status", std::move(status)}
    };
}

/// Scale is not a resource, but it is patched like one.
const ResourceType& scale_type() {
    static const ResourceType kType{
        .group = "autoscaling",
        .version = "v1",
        .kind = "Scale",
        .plural = "scales",
        .singular = "scale"
    };
    return kType;
}

/// Returns a merge patch that sets one number at a path such as `.spec.replicas`.
json::Value patch_at(std::string_view path, json::Value value) {
    std::vector<std::string> names;
    while (!path.empty()) {
        if (path.front() == '.') {
            path.remove_prefix(1);
        }
        const std::string_view name = path.substr(0, path.find('.'));
        names.emplace_back(name);
        path.remove_prefix(name.size());
    }
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
        value = json::Object{{*name, std::move(value)}};
    }
    return value;
}

/// A change of a scale, performed as a patch of the scaled object.
class ScaleOperation final : public Operation {
  public:
    ScaleOperation(State& state, Request request, Route route)
        : state_(state), request_(std::move(request)), route_(std::move(route)) {}

    std::optional<WebhookCall> advance(Time now) override;
    void take_answer(const Result<json::Value>& review) override {
        if (write_) {
            write_->take_answer(review);
        }
    }
    Response& response() override { return response_; }

  private:
    /// Begins the write of the scaled object. Errors: the refusal of the change.
    Result<void> prepare();
    Result<json::Value> read_scale(const json::Value& live) const;
    Snapshot find() const {
        return state_.store.find(State::collection_of(*route_.type), {route_.ns, route_.name});
    }
    ScalePaths paths() const { return route_.type->scale.value_or(ScalePaths{}); }

    State& state_;
    Request request_;
    Route route_;
    std::optional<WriteOperation> write_;
    int attempts_ = 0;
    Response response_;
    bool is_done_ = false;
};

/// Returns the scale that the request asks for.
Result<json::Value> ScaleOperation::read_scale(const json::Value& live) const {
    if (request_.method == "PATCH") {
        return apply_patch(request_, scale_type(), live);
    }
    auto body = read_body(request_, "Scale");
    return body ? Result<json::Value>(std::move(body->object)) : body.error();
}

Result<void> ScaleOperation::prepare() {
    const Snapshot object = find();
    if (!object) {
        return not_found(*route_.type, route_.name);
    }
    const auto scale = read_scale(make_scale(*object, paths()));
    if (!scale) {
        return scale.error();
    }
    const json::Value* version = scale->find_path({"metadata", "resourceVersion"});
    const json::Value* live = object->find_path({"metadata", "resourceVersion"});
    const bool has_version = version != nullptr && *version != json::Value("");
    if (has_version && *version != *live) {
        return conflict(*route_.type, route_.name);
    }
    const json::Value* replicas = scale->find_path({"spec", "replicas"});
    if (replicas == nullptr || !replicas->is_int() || replicas->as_int() < 0) {
        return bad_request("spec.replicas must be a number, not below 0");
    }
    json::Value change = patch_at(paths().spec_replicas, *replicas);
    if (has_version) {
        // The object may be written while conversions are requested.
        change.set("metadata", json::Object{{"resourceVersion", *version}});
    }
    Request patch = request_;
    patch.method = "PATCH";
    patch.content_type = "application/merge-patch+json";
    patch.body = json::print(change);
    Route whole = route_;
    whole.subresource.clear();
    write_.emplace(state_, std::move(patch), std::move(whole), WriteVerb::Patch);
    write_->own_as("scale");
    return {};
}

std::optional<WebhookCall> ScaleOperation::advance(Time now) {
    while (!is_done_) {
        if (!write_) {
            if (const auto prepared = prepare(); !prepared) {
                response_ = make_response(prepared.error());
                is_done_ = true;
                break;
            }
        }
        while (auto call = write_->advance(now)) {
            if (call->review.string_at("kind") == "ConversionReview") {
                return call;
            }
            // Admission webhooks are not called about scales.
            write_->take_answer(make_approval(call->review));
        }
        const bool is_late = write_->response().status == 409 && request_.method == "PATCH";
        if (is_late && ++attempts_ < kAttemptsMax) {
            write_.reset();  // retries with the current scale
            continue;
        }
        response_ = std::move(write_->response());
        if (response_.status < 400) {
            // The response contains the written object; for a dry run, the object that would be
            // written.
            const auto written = json::parse(response_.body);
            Response scaled = written ? make_response(make_scale(*written, paths()))
                                      : make_response(written.error());
            scaled.warnings = std::move(response_.warnings);
            response_ = std::move(scaled);
        }
        is_done_ = true;
    }
    return std::nullopt;
}

}  // namespace

Answer answer_scale(State& state, const Request& request, const Route& asked) {
    Route route = asked;
    if (state.is_converted_outside(*route.type)) {
        // Replicas are read from the stored version, which needs no webhook.
        route.type = state.types.find_stored(route.type->group, route.type->plural);
    }
    const auto& type = *route.type;
    if (request.method == "PUT" || request.method == "PATCH") {
        return std::make_unique<ScaleOperation>(state, request, std::move(route));
    }
    const Snapshot object = state.store.find(State::collection_of(type), {route.ns, route.name});
    if (!object) {
        return make_response(not_found(type, route.name));
    }
    if (request.method != "GET") {
        return make_response(method_not_allowed());
    }
    return make_response(make_scale(*object, type.scale.value_or(ScalePaths{})));
}

}  // namespace sluice::apiserver
