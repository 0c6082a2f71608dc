#include "api/meta/codec.hpp"
#include "base/assert.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <utility>

namespace sluice::api {
namespace {

bool is_empty(const TypeInfo& type, const void* container) {
    bool empty = true;
    type.each(container, &empty, [](void* context, std::string_view, const void*) {
        *static_cast<bool*>(context) = false;
    });
    return empty;
}

/// Returns true if printing may omit the value: Go's "omitempty", extended to empty structs.
bool is_zero(const TypeInfo& type, const void* value) {
    switch (type.shape) {
        case Shape::Bool:
            return !*static_cast<const bool*>(value);
        case Shape::Int32:
            return *static_cast<const std::int32_t*>(value) == 0;
        case Shape::Int64:
            return *static_cast<const std::int64_t*>(value) == 0;
        case Shape::String:
            return static_cast<const std::string*>(value)->empty();
        case Shape::Time:
        case Shape::MicroTime:
            return false;
        case Shape::Quantity:
            return static_cast<const Quantity*>(value)->is_zero();
        case Shape::Json:
            return static_cast<const RawJson*>(value)->empty();
        case Shape::List:
        case Shape::Map:
        case Shape::Optional:
            return is_empty(type, value);
        case Shape::Shared: {
            std::pair<const TypeInfo*, bool> item{&type.item(), false};
            type.each(value, &item, [](void* context, std::string_view, const void* held) {
                auto& [item_type, zero] = *static_cast<std::pair<const TypeInfo*, bool>*>(context);
                zero = is_zero(*item_type, held);
            });
            return item.second;
        }
        case Shape::Object:
            break;
    }
    for (const Field& field : type.fields) {
        if (field.type != nullptr && !is_zero(field.type(), field.get(value))) {
            return false;
        }
    }
    return true;
}

class Encoder {
  public:
    explicit Encoder(std::string& out) : writer_(out) {}

    void value(const TypeInfo& type, const void* value) {
        switch (type.shape) {
            case Shape::Bool:
                writer_.boolean(*static_cast<const bool*>(value));
                return;
            case Shape::Int32:
                writer_.integer(*static_cast<const std::int32_t*>(value));
                return;
            case Shape::Int64:
                writer_.integer(*static_cast<const std::int64_t*>(value));
                return;
            case Shape::String:
                writer_.string(*static_cast<const std::string*>(value));
                return;
            case Shape::Time:
                writer_.string(to_string(*static_cast<const Time*>(value)));
                return;
            case Shape::MicroTime:
                writer_.string(to_string(*static_cast<const MicroTime*>(value)));
                return;
            case Shape::Quantity:
                writer_.string(static_cast<const Quantity*>(value)->to_string());
                return;
            case Shape::Json:
                raw(*static_cast<const RawJson*>(value));
                return;
            case Shape::Object:
                object(type, value);
                return;
            case Shape::List:
                list(type, value);
                return;
            case Shape::Map:
                map(type, value);
                return;
            case Shape::Optional:
            case Shape::Shared:
                items(type, value);
                return;
        }
    }

  private:
    struct Context {
        Encoder* self;
        const TypeInfo* item;
    };

    void raw(const RawJson& json) {
        if (json.empty()) {
            writer_.null();
        } else {
            writer_.raw(json.view());
        }
    }
    void items(const TypeInfo& type, const void* container) {
        Context context{this, &type.item()};
        type.each(container, &context, [](void* c, std::string_view, const void* item) {
            const auto& at = *static_cast<Context*>(c);
            at.self->value(*at.item, item);
        });
    }
    void list(const TypeInfo& type, const void* list) {
        writer_.start_array();
        items(type, list);
        writer_.end_array();
    }
    void map(const TypeInfo& type, const void* map) {
        writer_.start_object();
        Context context{this, &type.item()};
        type.each(map, &context, [](void* c, std::string_view key, const void* item) {
            const auto& at = *static_cast<Context*>(c);
            at.self->writer_.key(key);
            at.self->value(*at.item, item);
        });
        writer_.end_object();
    }
    void object(const TypeInfo& type, const void* object) {
        if (type.raw != nullptr) {
            const RawJson& json = *type.const_raw(object);
            if (!json.empty()) {
                writer_.raw(json.view());
                return;
            }
        }
        writer_.start_object();
        if (!type.kind.empty()) {
            writer_.key("apiVersion");
            writer_.string(type.api_version);
            writer_.key("kind");
            writer_.string(type.kind);
        }
        for (const Field& field : type.fields) {
            if (field.type == nullptr) {
                continue;
            }
            const TypeInfo& member_type = field.type();
            const void* member = field.get(object);
            const bool absent =
                member_type.shape == Shape::Optional && is_empty(member_type, member);
            if (!absent && (field.always_print || !is_zero(member_type, member))) {
                writer_.key(field.name);
                value(member_type, member);
            }
        }
        writer_.end_object();
    }

    json::Writer writer_;
};

}  // namespace

std::shared_ptr<const std::string> Interner::intern(std::string text) {
    if (const auto found = texts_.find(std::string_view(text)); found != texts_.end()) {
        return *found;
    }
    if (texts_.size() >= next_sweep_) {
        drop_unused();
    }
    auto shared = std::make_shared<const std::string>(std::move(text));
    texts_.insert(shared);
    return shared;
}

std::shared_ptr<const void> Interner::find(const TypeInfo& type, std::string_view text) const {
    const auto of_type = objects_.find(&type);
    if (of_type == objects_.end()) {
        return nullptr;
    }
    const auto found = of_type->second.find(text);
    return found == of_type->second.end() ? nullptr : found->second.object;
}

void Interner::add(
    const TypeInfo& type,
    std::shared_ptr<const std::string> text,
    std::shared_ptr<const void> object
) {
    auto& objects = objects_[&type];
    if (objects.size() >= next_sweep_) {
        drop_unused();
    }
    const std::string_view key = *text;
    Object added{.text = std::move(text), .object = std::move(object)};
    const bool is_new = objects.emplace(key, std::move(added)).second;
    SLUICE_ASSERT(is_new);
}

std::shared_ptr<const void> Interner::recall(const TypeInfo& type, const json::Value& value) const {
    const auto found = std::ranges::find_if(recent_, [&](const Recent& recent) {
        return recent.type == &type && is_identical(recent.value, value);
    });
    return found == recent_.end() ? nullptr : found->object;
}

void Interner::remember(
    const TypeInfo& type, const json::Value& value, std::shared_ptr<const void> object
) {
    recent_[oldest_recent_] = {.type = &type, .value = value, .object = std::move(object)};
    oldest_recent_ = (oldest_recent_ + 1) % recent_.size();
}

void Interner::drop_unused() {
    for (auto& [type, objects] : objects_) {
        std::erase_if(objects, [](const auto& entry) {
            return entry.second.object.use_count() == 1;
        });
    }
    std::erase_if(texts_, [](const auto& text) { return text.use_count() == 1; });
    std::size_t most = texts_.size();
    for (const auto& [type, objects] : objects_) {
        most = std::max(most, objects.size());
    }
    next_sweep_ = std::max<std::size_t>(1024, most * 2);
}

void encode_to(const TypeInfo& type, const void* object, std::string& out) {
    Encoder(out).value(type, object);
}

json::Value to_value(const TypeInfo& type, const void* object) {
    std::string text;
    encode_to(type, object, text);
    auto value = json::parse(text);
    SLUICE_ASSERT(value.has_value());
    return std::move(*value);
}

}  // namespace sluice::api
