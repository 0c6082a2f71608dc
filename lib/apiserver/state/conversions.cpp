#include "apiserver/state/conversions.hpp"

#include "apiserver/objects/field_checks.hpp"
#include "apiserver/objects/go_text.hpp"
#include "apiserver/objects/values.hpp"
#include "apiserver/schema/schema_functions.hpp"
#include "apiserver/types/failures.hpp"
#include "base/sha256.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::apiserver {

namespace {

using json::Value;

/// The maximum number of objects in one call: both sides hold a whole review in memory.
constexpr std::size_t kAskedMax = 500;
constexpr std::int64_t kTimeoutSeconds = 30;
constexpr std::string_view kReviewGroup = "apiextensions.k8s.io/";

/// The members of metadata that a conversion may change.
constexpr std::string_view kConvertedMetadata[] = {"labels", "annotations"};

/// Returns a key of all that the result of a conversion depends on within one request.
/// resourceVersion and times are not part of it: they change without the content, and find() takes
/// them from the given object.
std::string key_of(const Value& object, const ResourceType& to) {
    Value content = object;
    Value metadata = json::Object();
    const Value& own = *object.find("metadata");
    for (const char* name : {"name", "namespace", "uid", "labels", "annotations"}) {
        if (const Value* part = own.find(name)) {
            metadata.set(name, *part);
        }
    }
    content.set("metadata", std::move(metadata));
    return sha256_hex(fmt::format("{}\n{}", to.api_version(), json::print(content)));
}

std::string kind_text(const Value& object) {
    const std::string_view version = object.string_at("apiVersion");
    return fmt::format(
        "{}{}, Kind={}",
        version.find('/') == std::string_view::npos ? "/" : "",
        version,
        object.string_at("kind")
    );
}

/// Returns a uid in the form of a UUID, which is the same for the same call.
std::string make_uid(const std::string& text) {
    const std::string digits = sha256_hex(text);
    return fmt::format(
        "{}-{}-{}-{}-{}",
        digits.substr(0, 8),
        digits.substr(8, 4),
        digits.substr(12, 4),
        digits.substr(16, 4),
        digits.substr(20, 12)
    );
}

std::string_view review_version_of(const Value& webhook) {
    for (const Value& version : items_of(webhook.find("conversionReviewVersions"))) {
        if (version == Value("v1") || version == Value("v1beta1")) {
            return version.as_string();
        }
    }
    return "v1";
}

/// Returns an error that Go code returned without a Status: its Status has no reason.
Error failed(std::string message) {
    return make_failure(500, "", std::move(message), {});
}

/// Requires that a conversion does not change name, namespace or uid.
Result<void> check_identity(const Value& object, const Value& converted) {
    const auto same = [&](std::string_view what, std::string_view path) -> Result<void> {
        const auto text = [path](const Value& of) {
            const Value* metadata = of.find("metadata");
            return metadata == nullptr ? std::string_view() : metadata->string_at(path);
        };
        if (text(object) == text(converted)) {
            return {};
        }
        return make_invalid(
            fmt::format("must have the same {}: {} != {}", what, text(object), text(converted))
        );
    };
    for (const auto& [what, path] :
         {std::pair("name", "name"), {"namespace", "namespace"}, {"UID", "uid"}}) {
        if (auto is_same = same(what, path); !is_same) {
            return is_same;
        }
    }
    return {};
}

Result<void> check_texts(const std::string& path, const Value& map) {
    for (const auto& [name, value] : members_of(&map)) {
        if (!value.is_string()) {
            return make_invalid(fmt::format(
                "{}[{}] must be a string, but is {} in converted object", path, name, go_type(value)
            ));
        }
    }
    return {};
}

/// Restores the metadata of the object, except labels and annotations.
Result<void> restore_metadata(const Value& object, Value& converted) {
    const Value* converted_metadata = converted.find("metadata");
    if (converted_metadata == nullptr) {
        return make_invalid("missing metadata in converted object");
    }
    if (!converted_metadata->is_object()) {
        return make_invalid(fmt::format(
            "invalid metadata of type {} in converted object", go_type(*converted_metadata)
        ));
    }
    Value metadata = *object.find("metadata");
    for (const std::string_view name : kConvertedMetadata) {
        const Value* map = converted_metadata->find(name);
        if (map == nullptr || map->is_null()) {
            metadata.erase(name);
            continue;
        }
        const std::string path = fmt::format("metadata.{}", name);
        if (!map->is_object()) {
            return make_invalid(
                fmt::format("invalid {} of type {} in converted object", path, go_type(*map))
            );
        }
        if (auto texts = check_texts(path, *map); !texts) {
            return texts;
        }
        const Value* before = metadata.find(name);
        if (name == "labels" && (before == nullptr || *before != *map)) {
            std::vector<Cause> causes;
            check_labels(causes, path, map);
            if (!causes.empty()) {
                return make_invalid(aggregate_text(causes));
            }
        }
        metadata.set(name, *map);
    }
    converted.set("metadata", std::move(metadata));
    return {};
}

}  // namespace

std::optional<json::Value> Conversions::find(const json::Value& object, const ResourceType& to) {
    std::string key = key_of(object, to);
    const auto found = found_.find(key);
    if (found == found_.end()) {
        if (noted_.insert(key).second) {
            group_of(to).wanted.push_back({std::move(key), object});
        }
        return std::nullopt;
    }
    Value converted = found->second;
    Value metadata = *object.find("metadata");
    const Value& converted_metadata = *converted.find("metadata");
    for (const std::string_view name : kConvertedMetadata) {
        if (const Value* map = converted_metadata.find(name)) {
            metadata.set(name, *map);
        } else {
            metadata.erase(name);
        }
    }
    converted.set("metadata", std::move(metadata));
    return converted;
}

Conversions::Group& Conversions::group_of(const ResourceType& to) {
    const std::string api_version = to.api_version();
    for (Group& group : missing_) {
        if (group.webhook == to.conversion && group.api_version == api_version) {
            return group;
        }
    }
    missing_.push_back({api_version, to.conversion, to.structure, {}});
    return missing_.back();
}

WebhookCall Conversions::make_call(const Store& store) {
    Group& group = missing_.front();
    asked_ = {group.api_version, group.webhook, group.structure, {}};
    json::Array objects;
    std::string keys;
    while (!group.wanted.empty() && asked_.wanted.size() < kAskedMax) {
        Wanted wanted = std::move(group.wanted.front());
        group.wanted.pop_front();
        objects.push_back(wanted.object);
        keys += wanted.key;
        noted_.erase(wanted.key);
        asked_.wanted.push_back(std::move(wanted));
    }
    if (group.wanted.empty()) {
        missing_.erase(missing_.begin());
    }
    uid_ = make_uid(keys);
    review_version_ = std::string(kReviewGroup) + std::string(review_version_of(*asked_.webhook));
    const Value* config = asked_.webhook->find("clientConfig");
    return {
        .target = find_webhook(store, config == nullptr ? Value(json::Object()) : *config),
        .review =
            json::Object{
                {"kind", "ConversionReview"},
                {"apiVersion", review_version_},
                {"request",
                 json::Object{
                     {"uid", uid_},
                     {"desiredAPIVersion", asked_.api_version},
                     {"objects", std::move(objects)}
                 }}
            },
        .timeout_seconds = kTimeoutSeconds
    };
}

Result<void> Conversions::take_answer(const Result<json::Value>& review) {
    auto taken = read_answer(review);
    if (!taken) {
        missing_.clear();
        noted_.clear();
    }
    return taken;
}

Result<void> Conversions::read_answer(const Result<json::Value>& review) {
    const std::string about =
        fmt::format("conversion webhook for {}", kind_text(asked_.wanted.front().object));
    const auto fail = [&about](std::string_view why) {
        return failed(fmt::format("{} failed: {}", about, why));
    };
    if (!review) {
        return fail(review.error().detail);
    }
    if (review->string_at("kind") != "ConversionReview" ||
        review->string_at("apiVersion") != review_version_) {
        return fail(fmt::format(
            "expected webhook response of {}, Kind=ConversionReview, got {}",
            review_version_,
            kind_text(*review)
        ));
    }
    const Value* response = review->find("response");
    if (response == nullptr || !response->is_object()) {
        return fail("no response provided");
    }
    if (response->string_at("uid") != uid_) {
        return fail(fmt::format(
            "expected response.uid={}, got {}",
            json::print(uid_),
            json::print(response->string_at("uid"))
        ));
    }
    const Value* result = response->find("result");
    const std::string_view status =
        result == nullptr ? std::string_view() : result->string_at("status");
    if (status != "Success") {
        const std::string_view message =
            result == nullptr ? std::string_view() : result->string_at("message");
        return fail(
            message.empty() ? fmt::format("response.result.status was '{}', not 'Success'", status)
                            : std::string(message)
        );
    }
    const auto& converted = items_of(response->find("convertedObjects"));
    if (converted.size() != asked_.wanted.size()) {
        return failed(fmt::format(
            "{} returned {} objects, expected {}", about, converted.size(), asked_.wanted.size()
        ));
    }
    return take_objects(converted);
}

Result<void> Conversions::take_objects(const json::Array& converted) {
    for (std::size_t i = 0; i < asked_.wanted.size(); ++i) {
        const Wanted& wanted = asked_.wanted[i];
        Value object = converted[i];
        const std::string about =
            fmt::format("conversion webhook for {}", kind_text(wanted.object));
        if (object.string_at("apiVersion") != asked_.api_version) {
            return failed(fmt::format(
                "{} returned invalid object at index {}: invalid groupVersion (expected {}, "
                "received {})",
                about,
                i,
                asked_.api_version,
                object.string_at("apiVersion")
            ));
        }
        if (object.string_at("kind") != wanted.object.string_at("kind")) {
            return failed(fmt::format(
                "{} returned invalid object at index {}: invalid kind (expected {}, received {})",
                about,
                i,
                wanted.object.string_at("kind"),
                object.string_at("kind")
            ));
        }
        if (const auto same = check_identity(wanted.object, object); !same) {
            return failed(fmt::format("{} returned invalid object: {}", about, same.error().detail)
            );
        }
        if (const auto restored = restore_metadata(wanted.object, object); !restored) {
            return failed(
                fmt::format("{} returned invalid metadata: {}", about, restored.error().detail)
            );
        }
        if (asked_.structure != nullptr) {
            prune(*asked_.structure, object);
            apply_defaults(*asked_.structure, object);
        }
        found_.insert_or_assign(wanted.key, std::move(object));
    }
    return {};
}

}  // namespace sluice::apiserver
