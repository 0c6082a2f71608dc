#include "apiserver/operations/write_operation.hpp"
#include "apiserver/types/failures.hpp"

#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

// The conversions that a write needs. Each stage starts with all of its conversions available.
namespace sluice::apiserver {

std::optional<WebhookCall> WriteOperation::ask_missing() {
    if (!conversions_.are_missing()) {
        return std::nullopt;
    }
    is_converting_ = true;
    return conversions_.make_call(state_.store);
}

std::optional<WebhookCall> WriteOperation::convert_for_stage() {
    if (auto call = ask_missing()) {
        return call;
    }
    if (stage_ == Stage::Check) {
        if (const auto taken = take_patched(); !taken) {
            fail(taken.error());
        }
        return ask_missing();
    }
    if (stage_ != Stage::Commit || is_deletion() || !state_.is_converted_outside(type())) {
        return std::nullopt;
    }
    // The response is the stored object, converted back to the version of the request.
    const auto stored = state_.to_stored(object_, type());
    if (auto call = ask_missing()) {
        return call;
    }
    if (stored) {
        state_.to_version(*stored, type());
    }
    return ask_missing();
}

Result<void> WriteOperation::take_patched() {
    if (!patched_) {
        return {};
    }
    auto taken = state_.convert(patched_->object, *patched_->type, type());
    if (!taken) {
        return taken.error();
    }
    if (!conversions_.are_missing()) {
        object_ = std::move(*taken);
        object_.set("apiVersion", type().api_version());
        patched_.reset();
    }
    return {};
}

Result<json::Value> WriteOperation::object_as(const ResourceType& version) {
    if (is_deletion()) {
        return json::Value();
    }
    if (patched_ && patched_->type->api_version() == version.api_version()) {
        return patched_->object;
    }
    if (const auto taken = take_patched(); !taken) {
        return taken.error();
    }
    return state_.convert(object_, type(), version);
}

void WriteOperation::take_conversion(const Result<json::Value>& review) {
    is_converting_ = false;
    if (const auto taken = conversions_.take_answer(review); !taken) {
        fail(taken.error());
    }
}

ServedVersions WriteOperation::served_versions() const {
    const auto find = [this](std::string_view api_version) {
        const std::size_t slash = api_version.find('/');
        const bool has_group = slash != std::string_view::npos;
        return state_.types.find(
            has_group ? api_version.substr(0, slash) : std::string_view(),
            has_group ? api_version.substr(slash + 1) : api_version,
            type().plural
        );
    };
    return {
        .schema = [find](std::string_view api_version) -> std::shared_ptr<const Schema> {
            const auto found = find(api_version);
            return found == nullptr ? nullptr : schema_of(*found);
        },
        .convert = [this, find](
                       const json::Value& object, std::string_view api_version
                   ) -> Result<json::Value> {
            const auto from = find(object.string_at("apiVersion"));
            const auto to = find(api_version);
            if (to == nullptr) {
                return internal(fmt::format("{} is not served", api_version));
            }
            auto stored = state_.to_stored(object, from == nullptr ? type() : *from);
            return stored ? Result<json::Value>(state_.to_version(*stored, *to)) : stored;
        }
    };
}

}  // namespace sluice::apiserver
