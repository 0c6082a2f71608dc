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
/// Approximate size of the pieces of an answer that are sent to its sink.
constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;

/// The fields of a ConversionReview other than its objects.
struct Envelope {
    std::string api_version;
    std::string kind;
    std::string uid;
    std::string desired_api_version;
    bool has_objects = false;
};

/// The parts of an object that are known while it is read, for the message that rejects it.
struct ObjectHead {
    std::size_t index = 0;
    std::size_t bytes = 0;  ///< bytes read so far, as if printed without white space and escapes
    std::string kind;
    std::string ns;
    std::string name;

    std::string describe() const {
        auto place = fmt::format("request.objects[{}]", index);
        if (name.empty()) {
            return place;
        }
        const auto full_name = ns.empty() ? name : ns + "/" + name;
        return fmt::format("{} {} ({})", kind.empty() ? "object" : kind, full_name, place);
    }
};

/// Receives one object of the request. An error ends the reading.
using TakeObject = Result<void> (*)(void* context, json::Value object);

/// Reads a review: the envelope into strings, and each item of request.objects into a JSON value
/// that is passed on when it is complete. Everything else is skipped, including the objects if
/// `take` is null.
class ReviewReader final : public json::Handler {
  public:
    ReviewReader(
        TakeObject take, void* context, std::size_t object_bytes_max, const std::stop_token& stop
    )
        : take_(take), context_(context), object_bytes_max_(object_bytes_max), stop_(stop) {}

    bool on_null() override {
        return scalar(4, [&] { return builder_.on_null(); });
    }
    bool on_bool(bool value) override {
        return scalar(4, [&] { return builder_.on_bool(value); });
    }
    bool on_int(std::int64_t value) override {
        return scalar(1, [&] { return builder_.on_int(value); });
    }
    bool on_double(double value) override {
        return scalar(1, [&] { return builder_.on_double(value); });
    }
    bool on_string(std::string_view value) override {
        if (!in_object()) {
            note_string(value);
        } else {
            note_head(value);
        }
        return scalar(value.size() + 2, [&] { return builder_.on_string(value); });
    }
    bool on_key(std::string_view key) override {
        if (in_object()) {
            note_head_key(key);
            return has_room_for(key.size() + 2) && builder_.on_key(key);
        }
        (depth_ == 1 ? outer_key_ : inner_key_) = key;
        return true;
    }
    bool on_start_object() override {
        ++depth_;
        if (is_stopped()) {
            return false;
        }
        if (in_object() && depth_ == 4) {
            head_ = ObjectHead{.index = next_index_++};
        }
        return !in_object() || (has_room_for(1) && builder_.on_start_object());
    }
    bool on_end_object() override {
        const bool inside = in_object();
        --depth_;
        return !inside || (builder_.on_end_object() && hand_on());
    }
    bool on_start_array() override {
        ++depth_;
        if (is_stopped()) {
            return false;
        }
        if (in_object()) {
            return has_room_for(1) && builder_.on_start_array();
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
    /// Depth 1 is the review, 2 its request, 3 the list of objects, 4 and more an object of the
    /// list.
    bool in_object() const { return in_objects_ && depth_ > 3; }

    bool is_stopped() {
        if (stop_.stop_requested()) {
            error_ = Error{ErrorCode::Canceled, "the conversion was stopped", {}};
        }
        return stop_.stop_requested();
    }

    /// Counts the bytes read of an object, with one for a comma or colon. Returns false beyond its
    /// limit.
    bool has_room_for(std::size_t bytes) {
        head_.bytes += bytes + 1;
        if (head_.bytes <= object_bytes_max_) {
            return true;
        }
        error_ = make_invalid(fmt::format(
            "{}: an object may have at most {} bytes", head_.describe(), object_bytes_max_
        ));
        return false;
    }

    /// Depth 4 has the members of the object, depth 5 the members of its metadata.
    void note_head_key(std::string_view key) {
        if (depth_ == 4) {
            head_key_ = key;
            metadata_key_.clear();
        } else if (depth_ == 5) {
            metadata_key_ = key;
        }
    }

    void note_head(std::string_view value) {
        if (depth_ == 4 && head_key_ == "kind") {
            head_.kind = value;
        } else if (depth_ == 5 && head_key_ == "metadata" && metadata_key_ == "name") {
            head_.name = value;
        } else if (depth_ == 5 && head_key_ == "metadata" && metadata_key_ == "namespace") {
            head_.ns = value;
        }
    }

    template <class Forward>
    bool scalar(std::size_t bytes, Forward forward) {
        if (in_objects_ && depth_ == 3) {
            error_ = make_invalid("request.objects must be a list of objects");
            return false;
        }
        return !in_object() || (has_room_for(bytes) && forward());
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
    std::size_t object_bytes_max_;
    const std::stop_token& stop_;
    Envelope envelope_;
    json::TreeBuilder builder_;
    std::string outer_key_;
    std::string inner_key_;
    ObjectHead head_;
    std::string head_key_;
    std::string metadata_key_;
    std::size_t next_index_ = 0;
    int depth_ = 0;
    bool in_objects_ = false;
    Error error_;
};

Result<Envelope> read_envelope(
    std::string_view request, const json::Limits& limits, const std::stop_token& stop
) {
    ReviewReader reader(nullptr, nullptr, 0, stop);
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

/// Converts the objects as they are read and writes them to the answer.
struct Converter {
    std::string_view desired_api_version;
    std::string& piece;
    json::Writer& out;
    AnswerSink& sink;
    bool has_sink_failed = false;

    static Result<void> take(void* context, json::Value object) {
        auto& self = *static_cast<Converter*>(context);
        const auto converted = convert(object, self.desired_api_version);
        if (!converted) {
            return converted.error();
        }
        self.out.raw(json::print(object));
        return self.piece.size() < kPieceBytes ? Result<void>() : self.hand_on();
    }

    Result<void> hand_on() {
        auto taken = sink.append(piece);
        has_sink_failed = !taken;
        piece.clear();
        return taken;
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

Result<ConversionOutcome> answer_conversion_review(
    std::string_view request,
    AnswerSink& sink,
    const ReviewLimits& limits,
    const std::stop_token& stop
) {
    const auto envelope = read_envelope(request, limits.review, stop);
    if (!envelope) {
        return envelope.error();
    }
    std::string piece;
    json::Writer out(piece);
    start_review(out, envelope->uid);
    out.key("convertedObjects");
    out.start_array();
    Converter converter{envelope->desired_api_version, piece, out, sink};
    ReviewReader reader(&Converter::take, &converter, limits.object_bytes, stop);
    const auto read = json::read(request, reader, limits.review);
    if (!read && (converter.has_sink_failed || read.error().code == ErrorCode::Canceled)) {
        return read.error();
    }
    ConversionOutcome outcome;
    if (!read) {
        outcome.failure = read.error().detail;
    } else if (!envelope->has_objects) {
        outcome.failure = "request.objects is missing";
    }
    if (outcome.failure.empty()) {
        out.end_array();
        write_result(out, "Success", "");
        out.end_object();
        out.end_object();
    } else {
        sink.clear();
        piece = make_failure(envelope->uid, outcome.failure);
    }
    if (const auto taken = converter.hand_on(); !taken) {
        return taken.error();
    }
    return outcome;
}

}  // namespace sluice::webhook
