#include "webhook/conversion_review.hpp"

#include "json/tree_builder.hpp"
#include "json/value.hpp"
#include "json/writer.hpp"
#include "webhook/conversion.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <utility>

namespace sluice::webhook {
namespace {

constexpr std::string_view kReviewApiVersion = "apiextensions.k8s.io/v1";
constexpr std::string_view kReviewKind = "ConversionReview";

/// What a ConversionReview says besides its objects.
struct Envelope {
    std::string api_version;
    std::string kind;
    std::string uid;
    std::string desired_api_version;
    bool has_objects = false;
};

/// Takes one object of the request; an error ends the reading.
using TakeObject = Result<void> (*)(void* context, json::Value object);

/// Reads a review: the envelope into strings, each member of request.objects into a tree that is
/// handed on when it is complete. All else is skipped, the objects too where nobody takes them.
class ReviewReader final : public json::Handler {
  public:
    ReviewReader(TakeObject take, void* context) : take_(take), context_(context) {}

    bool on_null() override {
        return scalar([&] { return builder_.on_null(); });
    }
    bool on_bool(bool value) override {
        return scalar([&] { return builder_.on_bool(value); });
    }
    bool on_int(std::int64_t value) override {
        return scalar([&] { return builder_.on_int(value); });
    }
    bool on_double(double value) override {
        return scalar([&] { return builder_.on_double(value); });
    }
    bool on_string(std::string_view value) override {
        if (!in_object()) {
            note_string(value);
        }
        return scalar([&] { return builder_.on_string(value); });
    }
    bool on_key(std::string_view key) override {
        if (in_object()) {
            return builder_.on_key(key);
        }
        (depth_ == 1 ? outer_key_ : inner_key_) = key;
        return true;
    }
    bool on_start_object() override {
        ++depth_;
        return !in_object() || builder_.on_start_object();
    }
    bool on_end_object() override {
        const bool inside = in_object();
        --depth_;
        return !inside || (builder_.on_end_object() && hand_on());
    }
    bool on_start_array() override {
        ++depth_;
        if (in_object()) {
            return builder_.on_start_array();
        }
        if (depth_ == 3 && outer_key_ == "request" && inner_key_ == "objects") {
            in_objects_ = take_ != nullptr;
            envelope_.has_objects = true;
        }
        return true;
    }
    bool on_end_array() override {
        const bool inside = in_object();
        --depth_;
        if (!inside) {
            in_objects_ = false;
            return true;
        }
        return builder_.on_end_array() && hand_on();
    }
    Error error() const override { return error_; }

    const Envelope& envelope() const { return envelope_; }

  private:
    /// Depth 1 is the review, 2 its request, 3 the list of objects, 4 and more an object of it.
    bool in_object() const { return in_objects_ && depth_ > 3; }

    template <class Forward>
    bool scalar(Forward forward) {
        if (in_objects_ && depth_ == 3) {
            error_ = make_invalid("request.objects must be a list of objects");
            return false;
        }
        return !in_object() || forward();
    }

    void note_string(std::string_view value) {
        if (depth_ == 1 && outer_key_ == "apiVersion") {
            envelope_.api_version = value;
        } else if (depth_ == 1 && outer_key_ == "kind") {
            envelope_.kind = value;
        } else if (depth_ == 2 && outer_key_ == "request" && inner_key_ == "uid") {
            envelope_.uid = value;
        } else if (depth_ == 2 && outer_key_ == "request" && inner_key_ == "desiredAPIVersion") {
            envelope_.desired_api_version = value;
        }
    }

    bool hand_on() {
        if (depth_ > 3) {
            return true;
        }
        const auto taken = take_(context_, builder_.take());
        if (!taken) {
            error_ = taken.error();
        }
        return taken.has_value();
    }

    TakeObject take_;
    void* context_;
    Envelope envelope_;
    json::TreeBuilder builder_;
    std::string outer_key_;
    std::string inner_key_;
    int depth_ = 0;
    bool in_objects_ = false;
    Error error_;
};

Result<Envelope> read_envelope(std::string_view request, const json::Limits& limits) {
    ReviewReader reader(nullptr, nullptr);
    if (const auto read = json::read(request, reader, limits); !read) {
        return read.error();
    }
    const auto& envelope = reader.envelope();
    if (envelope.kind != kReviewKind || envelope.api_version != kReviewApiVersion) {
        return make_invalid(fmt::format(
            "expected {} of {}, not \"{}\" of \"{}\"",
            kReviewKind,
            kReviewApiVersion,
            envelope.kind,
            envelope.api_version
        ));
    }
    if (envelope.uid.empty()) {
        return make_invalid("request.uid is missing");
    }
    return envelope;
}

/// Converts the objects as they come and writes them into the answer.
struct Converter {
    std::string_view desired_api_version;
    json::Writer& out;
    std::size_t count = 0;

    static Result<void> take(void* context, json::Value object) {
        auto& self = *static_cast<Converter*>(context);
        const auto converted = convert(object, self.desired_api_version);
        if (!converted) {
            return converted.error();
        }
        ++self.count;
        self.out.raw(json::print(object));
        return {};
    }
};

void start_review(json::Writer& out, std::string_view uid) {
    out.start_object();
    out.key("apiVersion");
    out.string(kReviewApiVersion);
    out.key("kind");
    out.string(kReviewKind);
    out.key("response");
    out.start_object();
    out.key("uid");
    out.string(uid);
}

void write_result(json::Writer& out, std::string_view status, std::string_view message) {
    out.key("result");
    out.start_object();
    out.key("status");
    out.string(status);
    if (!message.empty()) {
        out.key("message");
        out.string(message);
    }
    out.end_object();
}

std::string make_failure(std::string_view uid, std::string_view message) {
    std::string body;
    json::Writer out(body);
    start_review(out, uid);
    out.key("convertedObjects");
    out.start_array();
    out.end_array();
    write_result(out, "Failed", message);
    out.end_object();
    out.end_object();
    return body;
}

}  // namespace

Result<ConversionAnswer> answer_conversion_review(
    std::string_view request, const json::Limits& limits
) {
    const auto envelope = read_envelope(request, limits);
    if (!envelope) {
        return envelope.error();
    }
    ConversionAnswer answer;
    answer.body.reserve(request.size() + 1024);
    json::Writer out(answer.body);
    start_review(out, envelope->uid);
    out.key("convertedObjects");
    out.start_array();
    Converter converter{.desired_api_version = envelope->desired_api_version, .out = out};
    ReviewReader reader(&Converter::take, &converter);
    const auto read = json::read(request, reader, limits);
    answer.object_count = converter.count;
    if (!read) {
        answer.failure = read.error().detail;
    } else if (!envelope->has_objects) {
        answer.failure = "request.objects is missing";
    }
    if (!answer.failure.empty()) {
        answer.body = make_failure(envelope->uid, answer.failure);
        return answer;
    }
    out.end_array();
    write_result(out, "Success", "");
    out.end_object();
    out.end_object();
    return answer;
}

}  // namespace sluice::webhook
