#include "apiserver/conversion.hpp"

#include "apiserver/objects.hpp"
#include "apiserver/values.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace sluice::apiserver {
namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr Duration kTimeout = std::chrono::seconds(30);

std::string make_review(std::string_view uid, std::string_view api_version, const Value& object) {
    Value request{Object{}};
    request.set("uid", uid);
    request.set("desiredAPIVersion", api_version);
    request.set("objects", Array{object});
    Value review{Object{}};
    review.set("kind", "ConversionReview");
    review.set("apiVersion", "apiextensions.k8s.io/v1");
    review.set("request", std::move(request));
    return json::print(review);
}

/// The one converted object of a review's answer.
Result<Value> read_review(const std::string& text, std::string_view uid) {
    const auto review = json::parse(text);
    if (!review) {
        return review.error();
    }
    const Value* response = review->find("response");
    if (response == nullptr) {
        return make_invalid("no response provided");
    }
    if (response->string_at("uid") != uid) {
        return make_invalid(fmt::format("expected response.uid to be {}", uid));
    }
    const Value* result = response->find("result");
    if (result == nullptr || result->string_at("status") != "Success") {
        return make_invalid(
            std::string(result == nullptr ? "no result" : result->string_at("message"))
        );
    }
    const auto& converted = items_of(response->find("convertedObjects"));
    if (converted.size() != 1) {
        return make_invalid(fmt::format(
            "webhook returned {} objects, expected 1", converted.size()
        ));
    }
    return converted.front();
}

/// A webhook may change labels and annotations, and no other metadata.
Result<void> restore_metadata(const Value& original, Value& converted) {
    if (meta_string(original, "name") != meta_string(converted, "name")
        || meta_string(original, "namespace") != meta_string(converted, "namespace")
        || meta_string(original, "uid") != meta_string(converted, "uid")) {
        return make_invalid("invalid metadata: name, namespace and uid must not change");
    }
    Value metadata = *original.find("metadata");
    for (const auto* name : {"labels", "annotations"}) {
        const Value* changed = converted.find_path({"metadata", name});
        if (changed == nullptr) {
            metadata.erase(name);
        } else {
            metadata.set(name, *changed);
        }
    }
    converted.set("metadata", std::move(metadata));
    return {};
}

}  // namespace

Flow<Result<Value>> convert_by_webhook(
    Core* core, ResourcePtr resource, Value object, std::string api_version
) {
    const auto uid = core->make_uid();
    WebhookCall call;
    call.client_config = *resource->conversion_webhook.find("clientConfig");
    call.body = make_review(uid, api_version, object);
    call.timeout = kTimeout;
    const auto fail = [&](std::string_view why) {
        return make_status_error(
            500,
            "",
            fmt::format(
                "conversion webhook for {}, Kind={} failed: {}",
                object.string_at("apiVersion"),
                resource->kind,
                why
            )
        );
    };
    const auto answer = co_await core->outbox.call(std::move(call));
    if (!answer) {
        co_return fail(answer.error().detail);
    }
    auto converted = read_review(*answer, uid);
    if (!converted) {
        co_return fail(converted.error().detail);
    }
    if (converted->string_at("apiVersion") != api_version
        || converted->string_at("kind") != resource->kind) {
        co_return fail("invalid converted object: wrong apiVersion or kind");
    }
    if (const auto kept = restore_metadata(object, *converted); !kept) {
        co_return fail(kept.error().detail);
    }
    co_return std::move(*converted);
}

}  // namespace sluice::apiserver
