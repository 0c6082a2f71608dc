#include "api/meta/codec.hpp"
#include "json/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace sluice::api {
namespace {

std::string_view expected_name(Shape shape) {
    switch (shape) {
        case Shape::Bool:
            return "true or false";
        case Shape::Int32:
        case Shape::Int64:
            return "an integer";
        case Shape::String:
            return "a string";
        case Shape::Time:
        case Shape::MicroTime:
            return "a time";
        case Shape::Quantity:
            return "a quantity";
        case Shape::Json:
            return "a value";
        case Shape::Object:
        case Shape::Map:
        case Shape::Shared:
            return "an object";
        case Shape::List:
            return "a list";
        case Shape::Optional:
            return "a value";
    }
    return "a value";
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// The destination of the next value; a null type skips the value.
struct Target {
    const TypeInfo* type = nullptr;
    void* object = nullptr;
};

/// Decodes the events of a document into typed objects. Each open container is one frame. Unknown
/// values are skipped by counting their depth; pod templates are copied as text while they are
/// decoded.
class Decoder final : public json::Handler {
  public:
    /// `within`: the path of the object in a larger object, for errors.
    Decoder(const TypeInfo& type, void* object, Interner* interner, std::string within = {})
        : root_{&type, object}, interner_(interner), within_(std::move(within)) {}

    bool on_null() override {
        copy([](json::Writer& w) { w.null(); });
        if (skip_depth_ == 0) {
            const Target at = take_target();
            if (at.type != nullptr && at.type->shape == Shape::Json) {
                *static_cast<RawJson*>(at.object) = RawJson();
            }
        }
        return true;
    }
    bool on_bool(bool value) override {
        copy([&](json::Writer& w) { w.boolean(value); });
        const Target at = scalar_target();
        if (at.type == nullptr) {
            return true;
        }
        if (at.type->shape == Shape::Bool) {
            *static_cast<bool*>(at.object) = value;
            return true;
        }
        return keep_json(at, value ? "true" : "false") || fail(at, "true or false");
    }
    bool on_int(std::int64_t value) override {
        copy([&](json::Writer& w) { w.integer(value); });
        const Target at = scalar_target();
        return at.type == nullptr || set_int(at, value);
    }
    bool on_double(double value) override {
        copy([&](json::Writer& w) { w.number(value); });
        const Target at = scalar_target();
        return at.type == nullptr || set_double(at, value);
    }
    bool on_string(std::string_view value) override {
        copy([&](json::Writer& w) { w.string(value); });
        const Target at = scalar_target();
        return at.type == nullptr || set_string(at, value);
    }
    bool on_start_object() override {
        copy([](json::Writer& w) { w.start_object(); });
        return start(Shape::Object);
    }
    bool on_key(std::string_view key) override {
        copy([&](json::Writer& w) { w.key(key); });
        if (skip_depth_ > 0) {
            return true;
        }
        Frame& top = frames_[depth_ - 1];
        top.key = key;
        if (top.target.type->shape == Shape::Object) {
            top.field = top.target.type->find(key);
        }
        return true;
    }
    bool on_end_object() override {
        copy([](json::Writer& w) { w.end_object(); });
        return end();
    }
    bool on_start_array() override {
        copy([](json::Writer& w) { w.start_array(); });
        return start(Shape::List);
    }
    bool on_end_array() override {
        copy([](json::Writer& w) { w.end_array(); });
        return end();
    }
    Error error() const override { return error_; }

    /// Returns true if the next value belongs to a shared object.
    bool expects_shared() const {
        if (skip_depth_ > 0 || depth_ == 0) {
            return false;
        }
        const Field* field = frames_[depth_ - 1].field;
        return field != nullptr && field->type != nullptr && field->type().shape == Shape::Shared;
    }
    /// Decodes a whole value into a shared object. Requires: expects_shared(), and the value is an
    /// object.
    bool take_shared(const json::Value& value);

  private:
    struct Frame {
        Target target;
        const Field* field = nullptr;
        std::string key;
        std::size_t index = 0;
    };

    template <class F>
    void copy(F write) {
        if (copy_open_ > 0 && copy_writer_) {
            write(*copy_writer_);
        }
    }

    /// Returns the destination of the next value, and moves on to the next element of a list.
    Target take_target() {
        if (depth_ == 0) {
            return std::exchange(root_, Target{});
        }
        Frame& top = frames_[depth_ - 1];
        const TypeInfo& type = *top.target.type;
        if (type.shape == Shape::Object) {
            if (top.field == nullptr || top.field->type == nullptr) {
                return {};
            }
            return {&top.field->type(), top.field->mutable_get(top.target.object)};
        }
        ++top.index;
        return {&type.item(), type.add(top.target.object, top.key)};
    }
    static Target unwrap(Target at) {
        while (at.type != nullptr && at.type->shape == Shape::Optional) {
            at = {&at.type->item(), at.type->add(at.object, {})};
        }
        return at;
    }
    Target scalar_target() { return skip_depth_ > 0 ? Target{} : unwrap(take_target()); }

    bool start(Shape shape) {
        copy_open_ += copy_open_ > 0 ? 1 : 0;
        if (skip_depth_ > 0) {
            ++skip_depth_;
            return true;
        }
        const Target at = unwrap(take_target());
        if (at.type == nullptr) {
            skip_depth_ = 1;
            return true;
        }
        const bool is_object = at.type->shape == Shape::Object || at.type->shape == Shape::Map;
        if (at.type->shape == Shape::Json) {
            begin_copy(static_cast<RawJson*>(at.object), shape);
            skip_depth_ = 1;
            return true;
        }
        if (at.type->shape == Shape::Shared && shape == Shape::Object && copy_open_ == 0) {
            begin_copy(nullptr, shape);
            shared_ = at;
            skip_depth_ = 1;
            return true;
        }
        if (shape == Shape::Object ? !is_object : at.type->shape != Shape::List) {
            return fail(at, shape == Shape::Object ? "an object" : "a list");
        }
        if (at.type->clear != nullptr) {
            at.type->clear(at.object);
        }
        push(at);
        if (at.type->raw != nullptr && copy_open_ == 0 && keeps_raw_) {
            begin_copy(at.type->raw(at.object), shape);
        }
        return true;
    }
    void push(const Target& target) {
        if (depth_ == frames_.size()) {
            frames_.emplace_back();
        }
        Frame& frame = frames_[depth_++];
        frame.target = target;
        frame.field = nullptr;
        frame.key.clear();
        frame.index = 0;
    }
    bool end() {
        if (skip_depth_ > 0) {
            --skip_depth_;
        } else {
            --depth_;
        }
        if (copy_open_ == 0) {
            return true;
        }
        --copy_open_;
        if (copy_open_ > 0) {
            return true;
        }
        if (shared_.type != nullptr) {
            const std::string text = std::exchange(copy_text_, {});
            return share(std::exchange(shared_, Target{}), text, [&text](Decoder& decoder) {
                return json::read(text, decoder);
            });
        }
        *copy_to_ = interner_ != nullptr ? RawJson(interner_->intern(std::move(copy_text_)))
                                         : RawJson(std::move(copy_text_));
        copy_text_ = {};
        return true;
    }

    /// Sets the target to the object that the text describes. `read` sends the text's events to a
    /// decoder; it is called only for a text that the interner does not know.
    template <class Read>
    bool share(const Target& at, std::string text, const Read& read) {
        const TypeInfo& type = at.type->item();
        if (interner_ != nullptr) {
            if (auto known = interner_->find(type, text)) {
                at.type->set_shared(at.object, std::move(known));
                return true;
            }
        }
        auto made = at.type->make_shared();
        Decoder decoder(type, made.get(), interner_, path());
        decoder.keeps_raw_ = false;
        if (auto done = read(decoder); !done) {
            error_ = done.error();
            return false;
        }
        auto shared_text = std::make_shared<const std::string>(std::move(text));
        if (type.raw != nullptr) {
            *type.raw(made.get()) = RawJson(shared_text);
        }
        at.type->set_shared(at.object, made);
        if (interner_ != nullptr) {
            interner_->add(type, std::move(shared_text), std::move(made));
        }
        return true;
    }

    void begin_copy(RawJson* to, Shape shape) {
        copy_to_ = to;
        copy_text_.clear();
        copy_writer_.emplace(copy_text_);
        if (shape == Shape::Object) {
            copy_writer_->start_object();
        } else {
            copy_writer_->start_array();
        }
        copy_open_ = 1;
    }
    bool keep_json(const Target& at, std::string text) {
        if (at.type->shape != Shape::Json) {
            return false;
        }
        *static_cast<RawJson*>(at.object) = RawJson(std::move(text));
        return true;
    }

    bool set_int(const Target& at, std::int64_t value) {
        switch (at.type->shape) {
            case Shape::Int32:
                if (value < std::numeric_limits<std::int32_t>::min() ||
                    value > std::numeric_limits<std::int32_t>::max()) {
                    return fail_with(fmt::format("{} does not fit into 32 bits", value));
                }
                *static_cast<std::int32_t*>(at.object) = static_cast<std::int32_t>(value);
                return true;
            case Shape::Int64:
                *static_cast<std::int64_t*>(at.object) = value;
                return true;
            case Shape::Quantity:
                return set_quantity(at, fmt::format("{}", value));
            case Shape::Json:
                return keep_json(at, fmt::format("{}", value));
            case Shape::Bool:
            case Shape::String:
            case Shape::Time:
            case Shape::MicroTime:
            case Shape::Object:
            case Shape::List:
            case Shape::Map:
            case Shape::Optional:
            case Shape::Shared:
                break;
        }
        return fail(at, "an integer");
    }
    bool set_double(const Target& at, double value) {
        constexpr double kExact = 9007199254740992.0;  // 2^53: integers below are exact in a double
        if (at.type->shape == Shape::Quantity) {
            return set_quantity(at, fmt::format("{}", value));
        }
        if (at.type->shape == Shape::Json) {
            return keep_json(at, json::print(json::Value(value)));
        }
        if ((at.type->shape == Shape::Int32 || at.type->shape == Shape::Int64) &&
            std::abs(value) <= kExact && value == std::trunc(value)) {
            return set_int(at, static_cast<std::int64_t>(value));
        }
        return fail(at, "a number");
    }
    bool set_quantity(const Target& at, std::string_view text) {
        auto quantity = Quantity::parse(trim(text));
        if (!quantity) {
            return fail_with(quantity.error().detail);
        }
        *static_cast<Quantity*>(at.object) = *quantity;
        return true;
    }
    bool set_string(const Target& at, std::string_view value) {
        switch (at.type->shape) {
            case Shape::String:
                *static_cast<std::string*>(at.object) = value;
                return true;
            case Shape::Quantity:
                return set_quantity(at, value);
            case Shape::Time:
            case Shape::MicroTime: {
                // Times are cut to the precision in which they are printed, so that an object
                // is equal to its printed and decoded copy.
                const auto time = parse_time(value);
                if (!time) {
                    return fail_with(time.error().detail);
                }
                if (at.type->shape == Shape::Time) {
                    *static_cast<Time*>(at.object) =
                        std::chrono::floor<std::chrono::seconds>(*time);
                } else {
                    static_cast<MicroTime*>(at.object)->time =
                        std::chrono::floor<std::chrono::microseconds>(*time);
                }
                return true;
            }
            case Shape::Json: {
                std::string quoted;
                json::append_quoted(quoted, value);
                return keep_json(at, std::move(quoted));
            }
            case Shape::Bool:
            case Shape::Int32:
            case Shape::Int64:
            case Shape::Object:
            case Shape::List:
            case Shape::Map:
            case Shape::Optional:
            case Shape::Shared:
                break;
        }
        return fail(at, "a string");
    }

    bool fail(const Target& at, std::string_view got) {
        return fail_with(fmt::format("expected {}, got {}", expected_name(at.type->shape), got));
    }
    bool fail_with(std::string_view what) {
        const std::string where = path();
        error_ =
            make_invalid(where.empty() ? std::string(what) : fmt::format("{}: {}", where, what));
        return false;
    }
    std::string path() const {
        std::string out = within_;
        for (std::size_t i = 0; i < depth_; ++i) {
            const Frame& frame = frames_[i];
            switch (frame.target.type->shape) {
                case Shape::List:
                    out += fmt::format("[{}]", frame.index - 1);
                    break;
                case Shape::Map:
                    out += fmt::format("[{}]", frame.key);
                    break;
                case Shape::Object:
                    out += (out.empty() ? "" : ".") + frame.key;
                    break;
                case Shape::Bool:
                case Shape::Int32:
                case Shape::Int64:
                case Shape::String:
                case Shape::Time:
                case Shape::MicroTime:
                case Shape::Quantity:
                case Shape::Json:
                case Shape::Optional:
                case Shape::Shared:
                    break;
            }
        }
        return out;
    }

    Target root_;
    Interner* interner_;
    std::string within_;
    bool keeps_raw_ = true;      ///< false: the owner of the shared object has the text
    std::vector<Frame> frames_;  ///< frames up to the depth are open; the others keep their memory
    std::size_t depth_ = 0;
    std::size_t skip_depth_ = 0;
    std::size_t copy_open_ = 0;  ///< number of containers open in the copy; 0 if nothing is copied
    RawJson* copy_to_ = nullptr;
    Target shared_;  ///< destination of the object made from the copy; null type without one
    std::string copy_text_;
    std::optional<json::Writer> copy_writer_;
    Error error_;
};

bool replay(const json::Value& value, Decoder& to) {
    if (value.is_null()) {
        return to.on_null();
    }
    if (value.is_bool()) {
        return to.on_bool(value.as_bool());
    }
    if (value.is_int()) {
        return to.on_int(value.as_int());
    }
    if (value.is_double()) {
        return to.on_double(value.as_double());
    }
    if (value.is_string()) {
        return to.on_string(value.as_string());
    }
    if (value.is_array()) {
        bool ok = to.on_start_array();
        for (const auto& item : value.as_array()) {
            ok = ok && replay(item, to);
        }
        return ok && to.on_end_array();
    }
    if (to.expects_shared()) {
        return to.take_shared(value);
    }
    bool ok = to.on_start_object();
    for (const auto& [key, member] : value.as_object()) {
        ok = ok && to.on_key(key) && replay(member, to);
    }
    return ok && to.on_end_object();
}

Result<void> replay_whole(const json::Value& value, Decoder& to) {
    if (!replay(value, to)) {
        return to.error();
    }
    return {};
}

bool Decoder::take_shared(const json::Value& value) {
    const Target at = take_target();
    const TypeInfo& type = at.type->item();
    auto known = interner_ != nullptr ? interner_->recall(type, value) : nullptr;
    std::string text = known == nullptr ? json::print(value) : std::string();
    if (known == nullptr && interner_ != nullptr) {
        known = interner_->find(type, text);
        if (known != nullptr) {  // a value that came twice may come again
            interner_->remember(type, value, known);
        }
    }
    if (known != nullptr) {
        at.type->set_shared(at.object, std::move(known));
        return true;
    }
    return share(at, std::move(text), [&value](Decoder& decoder) {
        return replay_whole(value, decoder);
    });
}

}  // namespace

Result<void> decode_into(
    const TypeInfo& type, void* object, std::string_view json, const DecodeOptions& options
) {
    Decoder decoder(type, object, options.interner);
    return json::read(json, decoder, options.limits);
}

Result<void> decode_into(
    const TypeInfo& type, void* object, const json::Value& value, const DecodeOptions& options
) {
    Decoder decoder(type, object, options.interner);
    return replay_whole(value, decoder);
}

}  // namespace sluice::api
