#include "kube/runtime/watcher.hpp"

#include <algorithm>

namespace sluice::kube {
namespace {

/// A watch without events that ends sooner than this counts as failed.
constexpr Duration kShortWatch = std::chrono::seconds(1);
/// After this many expired continue tokens, the list is requested in one piece.
constexpr int kExpiredPagesMax = 2;

}  // namespace

Watcher::Step Watcher::next(Instant now) {
    Step step;
    if (now < not_before_) {
        step.action = Action::Wait;
        step.until = not_before_;
        return step;
    }
    if (listing_) {
        step.action = Action::List;
        step.page_size = paged_ ? page_size_ : 0;
        step.continue_token = continue_token_;
        return step;
    }
    step.action = Action::Watch;
    step.resource_version = resource_version_;
    // The server accepts only whole seconds.
    const auto low =
        std::chrono::duration_cast<std::chrono::seconds>(options_.watch_length_min).count();
    const auto high =
        std::chrono::duration_cast<std::chrono::seconds>(options_.watch_length_max).count();
    step.watch_length = std::chrono::seconds(prng_.between(low, std::max(low, high)));
    step.idle_max = step.watch_length + options_.idle_margin;
    progressed_ = false;
    return step;
}

Watcher::Page Watcher::on_page(
    const std::string& resource_version, const std::string& continue_token
) {
    const bool is_first = continue_token_.empty();
    continue_token_ = continue_token;
    if (!continue_token.empty()) {
        return is_first ? Page::First : Page::More;
    }
    listing_ = false;
    paged_ = true;
    expired_pages_ = 0;
    page_size_ = std::min(2 * page_size_, options_.page_size);
    resource_version_ = resource_version;
    return is_first ? Page::FirstAndLast : Page::Last;
}

void Watcher::on_list_failed(const Error& error, Instant now) {
    // The response arrived but could not be read, most likely because it is too large. Errors of
    // the server itself have a status.
    const bool is_unreadable = error.code == ErrorCode::Invalid && error.status.empty();
    if (is_unreadable && paged_ && page_size_ > 1) {
        page_size_ /= 2;
        fail(error, now);
        return;
    }
    const bool token_expired = error.code == ErrorCode::Gone && !continue_token_.empty();
    restart_list();
    if (!paged_) {
        // The request for the whole list failed too: too large, or too slow.
        paged_ = true;
        expired_pages_ = 0;
    } else if (token_expired && ++expired_pages_ >= kExpiredPagesMax) {
        paged_ = false;
    } else if (is_unreadable) {
        page_size_ = options_.page_size;
    }
    fail(error, now);
}

void Watcher::on_event(const std::string& resource_version) {
    resource_version_ = resource_version;
    progressed_ = true;
    failures_ = 0;
}

void Watcher::on_watch_ended(const std::optional<Error>& error, Instant now) {
    if (!error) {
        if (progressed_ || now - opened_at_ >= kShortWatch) {
            failures_ = 0;
            return;
        }
        fail(Error{ErrorCode::Unavailable, "the watch ended at once", {}}, now);
        return;
    }
    const bool first_failure = failures_ == 0;
    // List again if the server has forgotten the resourceVersion, and also in two other cases: an
    // unreadable line would come again after a resume, and a collection that is not found may come
    // back as another one.
    const bool relist = error->code == ErrorCode::Gone || error->code == ErrorCode::Invalid ||
                        error->code == ErrorCode::NotFound;
    if (relist) {
        restart_list();
    }
    fail(*error, now);
    if (error->code == ErrorCode::Gone && first_failure) {
        not_before_ = now;
    }
}

void Watcher::fail(const Error& error, Instant now) {
    const auto delay = backoff_delay(options_.backoff, failures_, prng_);
    const Duration asked = std::chrono::seconds(error.retry_after_seconds);
    not_before_ = now + std::max(delay, asked);
    failures_ = std::min(failures_ + 1, 1000);
}

void Watcher::restart_list() {
    listing_ = true;
    continue_token_.clear();
}

}  // namespace sluice::kube
