#include "apiserver/watch.hpp"

#include "apiserver/objects.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::apiserver {

std::string error_line(const Error& error) {
    return "{\"type\":\"ERROR\",\"object\":" + status_text(error) + "}\n";
}

bool WatchFilter::matches(const Stored& object) const {
    return (namespace_.empty() || object.namespace_ == namespace_) && labels.matches(object.labels)
           && fields.matches(object.fields);
}

Watch::Watch(
    Core& core,
    ResourcePtr resource,
    std::string version,
    std::shared_ptr<Collection> collection,
    Renderer renderer,
    WatchOptions options
)
    : core_(core),
      resource_(std::move(resource)),
      version_(std::move(version)),
      collection_(std::move(collection)),
      renderer_(std::move(renderer)),
      options_(std::move(options)) {
    if (options_.sends_present) {
        for (const auto& [key, object] : collection_->objects()) {
            if (options_.filter.matches(*object)) {
                present_.push_back(object);
            }
        }
        is_present_sent_ = !options_.marks_end_of_present;
        sequence_ = collection_->end_sequence();
        sent_version_ = core_.store.version();
        return;
    }
    sent_version_ = options_.version;
    if (const auto sequence = collection_->sequence_after(options_.version)) {
        sequence_ = *sequence;
    } else {
        failure_ = expired(fmt::format(
            "too old resource version: {} ({})",
            options_.version,
            collection_->compacted_version() + 1
        ));
    }
}

Watch::~Watch() {
    if (waiting_id_) {
        collection_->forget(*waiting_id_);
    }
}

bool Watch::read(std::string& out, std::size_t bytes_max) {
    while (!is_over_ && out.size() < bytes_max) {
        const auto step = next(out);
        if (step == Step::Nothing || step == Step::Waiting) {
            break;
        }
        is_over_ = step == Step::Over;
    }
    return !is_over_;
}

Watch::Step Watch::next(std::string& out) {
    if (failure_) {
        return fail(out, *failure_);
    }
    if (conversion_) {
        if (!conversion_->is_done()) {
            return Step::Waiting;
        }
        conversion_.reset();
    }
    if (!present_.empty()) {
        return next_present(out);
    }
    if (!is_present_sent_) {
        is_present_sent_ = true;
        out += "{\"type\":\"BOOKMARK\",\"object\":";
        renderer_.bookmark(out, sent_version_, true);
        out += "}\n";
        return Step::Sent;
    }
    return next_event(out);
}

Watch::Step Watch::next_present(std::string& out) {
    const auto step = send(out, "ADDED", present_.front());
    if (step == Step::Sent) {
        present_.pop_front();
    }
    return step;
}

Watch::Step Watch::next_event(std::string& out) {
    if (sequence_ < collection_->first_sequence()) {
        return fail(out, expired("too old resource version"));
    }
    if (sequence_ == collection_->end_sequence()) {
        return collection_->is_closed() ? Step::Over : Step::Nothing;
    }
    const auto& event = collection_->event(sequence_);
    const bool matches =
        event.type != StoreEvent::Type::Deleted && options_.filter.matches(*event.object);
    const bool matched = event.previous != nullptr && options_.filter.matches(*event.previous);
    if (matches || matched) {
        std::string_view type = "MODIFIED";
        if (!matched) {
            type = "ADDED";
        } else if (!matches) {
            type = "DELETED";
        }
        // What stops matching is shown as it was, at the version of the change.
        const auto step = send(out, type, event.object);
        if (step != Step::Sent) {
            return step;
        }
    }
    sent_version_ = event.resource_version;
    ++sequence_;
    return Step::Sent;
}

Watch::Step Watch::send(std::string& out, std::string_view type, const StoredPtr& object) {
    const auto body = body_in_version(*resource_, object, version_);
    if (body == nullptr) {
        begin_conversion(object);
        return conversion_ && !conversion_->is_done() ? Step::Waiting : next(out);
    }
    out += "{\"type\":\"";
    out += type;
    out += "\",\"object\":";
    renderer_.object(out, *body, core_.now, !has_sent_);
    out += "}\n";
    has_sent_ = true;
    return Step::Sent;
}

Watch::Step Watch::fail(std::string& out, const Error& error) {
    out += error_line(error);
    return Step::Over;
}

void Watch::begin_conversion(const StoredPtr& object) {
    const auto convert = [](std::weak_ptr<Watch> self,
                            Core* core,
                            ResourcePtr resource,
                            StoredPtr stored,
                            std::string version) -> Flow<bool> {
        const auto body = co_await load_body(core, resource, stored, version);
        const auto watch = self.lock();
        if (watch != nullptr) {
            if (!body) {
                watch->failure_ = body.error();
            }
            watch->wake();
        }
        co_return body.has_value();
    };
    conversion_.emplace(convert(weak_from_this(), &core_, resource_, object, version_));
    conversion_->start();
}

void Watch::on_ready(std::function<void()> function) {
    on_ready_ = std::move(function);
    if (!waiting_id_) {
        waiting_id_ = collection_->call_on_event([this] {
            waiting_id_.reset();
            wake();
        });
    }
}

void Watch::wake() {
    if (const auto function = std::exchange(on_ready_, nullptr)) {
        function();
    }
}

void Watch::bookmark(std::string& out) {
    if (!options_.allows_bookmarks || is_over_ || !present_.empty() || !is_present_sent_) {
        return;
    }
    if (sequence_ == collection_->end_sequence()) {
        sent_version_ = std::max(sent_version_, core_.store.version());
    }
    out += "{\"type\":\"BOOKMARK\",\"object\":";
    renderer_.bookmark(out, sent_version_, false);
    out += "}\n";
}

}  // namespace sluice::apiserver
