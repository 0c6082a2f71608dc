#include "support/fake_client.hpp"

#include "api/scheme.hpp"
#include "json/patch.hpp"
#include "kube/core/status_error.hpp"
#include "net/event_loop.hpp"
#include "support/fake_objects.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

namespace sluice::test {

using json::Value;
using kube::NamespacedName;
using kube::ResourcePath;

/// One open watch: what it sees and the lines that wait to be read.
class FakeClient::Channel {
  public:
    Channel(
        boost::asio::any_io_executor executor,
        CollectionKey collection,
        std::string ns,
        kube::WatchOptions options
    )
        : collection_(std::move(collection)),
          ns_(std::move(ns)),
          options_(std::move(options)),
          arrived_(std::move(executor)) {}

    bool is_of(std::string_view plural) const { return collection_.second == plural; }

    void take(const PastEvent& event) {
        if (ended_ || event.collection != collection_) {
            return;
        }
        const bool before = sees(event.before);
        const bool after = sees(event.after);
        if (!before && !after) {
            return;
        }
        if (after) {
            push(print_event(before ? "MODIFIED" : "ADDED", event.after));
        } else {
            push(print_event("DELETED", event.last));
        }
    }

    void push(std::string line) {
        lines_.push_back(std::move(line));
        arrived_.notify();
    }

    void end(std::optional<Error> error) {
        ended_ = true;
        error_ = std::move(error);
        arrived_.notify();
    }

    kube::Async<std::optional<std::string>> next(Duration idle_max) {
        co_await net::pause_for(Duration::zero());
        if (lines_.empty() && !ended_) {
            co_await arrived_.wait(idle_max);
        }
        const auto cancelled = co_await net::is_cancelled();
        if (cancelled) {
            co_return Error{ErrorCode::Canceled, "canceled", {}};
        }
        if (!lines_.empty()) {
            auto line = std::move(lines_.front());
            lines_.pop_front();
            co_return std::optional<std::string>(std::move(line));
        }
        if (ended_) {
            if (error_) {
                co_return *error_;
            }
            co_return std::optional<std::string>();
        }
        co_return Error{ErrorCode::Timeout, "not finished in time", {}};
    }

  private:
    bool sees(const Value& object) const {
        return object.is_object() && (ns_.empty() || metadata_text(object, "namespace") == ns_) &&
               matches(object, options_.label_selector) &&
               matches_fields(object, options_.field_selector);
    }

    CollectionKey collection_;
    std::string ns_;
    kube::WatchOptions options_;
    net::Notifier arrived_;
    std::deque<std::string> lines_;
    std::optional<Error> error_;
    bool ended_ = false;
};

class FakeClient::Stream final : public kube::WatchStream {
  public:
    explicit Stream(std::shared_ptr<Channel> channel) : channel_(std::move(channel)) {}
    ~Stream() override { channel_->end(std::nullopt); }
    kube::Async<std::optional<std::string>> next_line(Duration idle_max) override {
        return channel_->next(idle_max);
    }

  private:
    std::shared_ptr<Channel> channel_;
};

FakeClient::FakeClient(boost::asio::any_io_executor executor, const Clock& clock)
    : executor_(std::move(executor)), clock_(clock) {}

FakeClient::~FakeClient() = default;

boost::asio::awaitable<Result<void>> FakeClient::begin(
    Verb verb,
    ResourcePath path,
    std::string body,
    std::string manager,
    kube::BeforeSend before_send
) {
    const auto rested = co_await net::pause_for(delay_);
    if (!rested) {
        co_return Error{ErrorCode::Canceled, "canceled", {}};
    }
    const auto allowed = before_send ? before_send() : Result<void>();
    if (!allowed) {
        co_return allowed.error();
    }
    calls_.push_back(Call{verb, path, std::move(body), std::move(manager)});
    const auto fault = take_fault(verb, path.plural, false);
    if (fault) {
        co_return *fault;
    }
    co_return Result<void>();
}

std::optional<Error> FakeClient::take_fault(
    Verb verb, const std::string& plural, bool after_effect
) {
    for (auto& fault : faults_) {
        if (fault.left > 0 && fault.verb == verb && fault.plural == plural &&
            fault.after_effect == after_effect) {
            --fault.left;
            return fault.error;
        }
    }
    return std::nullopt;
}

kube::Async<std::string> FakeClient::finish(
    Verb verb, std::string plural, Result<std::string> answer
) {
    if (answer_delay_ > Duration::zero()) {
        const auto rested = co_await net::pause_for(answer_delay_);
        if (!rested) {
            co_return Error{ErrorCode::Canceled, "canceled", {}};
        }
    }
    const auto fault = take_fault(verb, plural, true);
    co_return fault ? Result<std::string>(*fault) : std::move(answer);
}

kube::Async<std::string> FakeClient::get(ResourcePath path, kube::GetOptions) {
    const auto begun = co_await begin(Verb::Get, path, std::string(), std::string());
    if (!begun) {
        co_return begun.error();
    }
    const auto* object = find_value(path);
    co_return object == nullptr ? Result<std::string>(make_not_found(path))
                                : Result<std::string>(json::print(*object));
}

kube::Async<std::string> FakeClient::list(ResourcePath path, kube::ListOptions options) {
    const auto begun = co_await begin(Verb::List, path, std::string(), std::string());
    if (!begun) {
        co_return begun.error();
    }
    const auto served = served_.find({path.group, path.plural});
    if (served != served_.end() && !served->second) {
        co_return make_status(404, "NotFound", "the server could not find the requested resource");
    }
    co_return do_list(path, options);
}

kube::Async<std::string> FakeClient::create(
    ResourcePath path, std::string body, kube::WriteOptions options
) {
    const auto begun =
        co_await begin(Verb::Create, path, body, options.field_manager, options.before_send);
    if (!begun) {
        co_return begun.error();
    }
    auto object = json::parse(body);
    if (!object) {
        co_return make_status(400, "BadRequest", object.error().detail);
    }
    auto stored = do_create(path, std::move(*object), options);
    auto answer = co_await finish(Verb::Create, path.plural, std::move(stored));
    co_return answer;
}

kube::Async<std::string> FakeClient::update(
    ResourcePath path, std::string body, kube::WriteOptions options
) {
    const auto begun =
        co_await begin(Verb::Update, path, body, options.field_manager, options.before_send);
    if (!begun) {
        co_return begun.error();
    }
    auto object = json::parse(body);
    if (!object) {
        co_return make_status(400, "BadRequest", object.error().detail);
    }
    auto stored = do_update(path, std::move(*object), options);
    auto answer = co_await finish(Verb::Update, path.plural, std::move(stored));
    co_return answer;
}

kube::Async<std::string> FakeClient::merge_patch(
    ResourcePath path, std::string body, kube::WriteOptions options
) {
    const auto begun =
        co_await begin(Verb::MergePatch, path, body, options.field_manager, options.before_send);
    if (!begun) {
        co_return begun.error();
    }
    const auto patch = json::parse(body);
    if (!patch) {
        co_return make_status(400, "BadRequest", patch.error().detail);
    }
    const auto* live = find_value(path);
    if (live == nullptr) {
        co_return make_not_found(path);
    }
    auto object = *live;
    json::apply_merge_patch(object, *patch);
    auto stored = do_update(path, std::move(object), options);
    auto answer = co_await finish(Verb::MergePatch, path.plural, std::move(stored));
    co_return answer;
}

kube::Async<std::string> FakeClient::apply(
    ResourcePath path, std::string body, kube::ApplyOptions options
) {
    const auto begun =
        co_await begin(Verb::Apply, path, body, options.field_manager, options.before_send);
    if (!begun) {
        co_return begun.error();
    }
    const auto config = json::parse(body);
    if (!config || config->string_at("apiVersion").empty() || config->string_at("kind").empty()) {
        co_return make_status(400, "BadRequest", "apply needs JSON with apiVersion and kind");
    }
    auto stored = do_apply(path, *config, options);
    auto answer = co_await finish(Verb::Apply, path.plural, std::move(stored));
    co_return answer;
}

kube::Async<std::string> FakeClient::remove(ResourcePath path, kube::DeleteOptions options) {
    const auto begun =
        co_await begin(Verb::Delete, path, std::string(), std::string(), options.before_send);
    if (!begun) {
        co_return begun.error();
    }
    auto stored = do_remove(path, options);
    auto answer = co_await finish(Verb::Delete, path.plural, std::move(stored));
    co_return answer;
}

kube::Async<std::unique_ptr<kube::WatchStream>> FakeClient::watch(
    ResourcePath path, kube::WatchOptions options
) {
    const auto begun = co_await begin(Verb::Watch, path, std::string(), std::string());
    if (!begun) {
        co_return begun.error();
    }
    const auto served = served_.find({path.group, path.plural});
    if (served != served_.end() && !served->second) {
        co_return make_status(404, "NotFound", "the server could not find the requested resource");
    }
    const auto from = to_version(options.resource_version);
    auto channel = std::make_shared<Channel>(
        executor_, CollectionKey{path.group, path.plural}, path.namespace_, std::move(options)
    );
    if (from < forgotten_) {
        const auto body = kube::print_status(410, "Expired", "too old resource version");
        channel->push(fmt::format(R"({{"type":"ERROR","object":{}}})", body));
        channel->end(std::nullopt);
    }
    for (const auto& event : history_) {
        if (event.version > from) {
            channel->take(event);
        }
    }
    std::erase_if(channels_, [](const auto& open) { return open.use_count() == 1; });
    channels_.push_back(channel);
    co_return std::make_unique<Stream>(std::move(channel));
}

kube::Async<std::string> FakeClient::get_raw(std::string target, kube::GetOptions) {
    const auto begun = co_await begin(Verb::Get, ResourcePath(), target, std::string());
    if (!begun) {
        co_return begun.error();
    }
    const auto found = raw_.find(target);
    std::string answer = found == raw_.end() ? discovery(target) : found->second;
    if (answer.empty()) {
        co_return make_status(404, "NotFound", target + " not found");
    }
    co_return answer;
}

std::string FakeClient::discovery(std::string_view target) const {
    const auto is_here = [&](const kube::ResourcePath& path) {
        const auto known = served_.find({path.group, path.plural});
        return target ==
                   (path.group.empty() ? "/api/" : "/apis/" + path.group + "/") + path.version &&
               (known == served_.end() || known->second);
    };
    const auto resource = [](std::string_view plural, std::string_view kind, bool is_namespaced) {
        return json::Object{{"name", plural}, {"kind", kind}, {"namespaced", is_namespaced}};
    };
    json::Array resources;
    for (const api::KindInfo& kind : api::all_kinds()) {
        if (is_here(kube::path_of(kube::Kind(kind)))) {
            resources.push_back(resource(kind.plural, kind.kind, kind.is_namespaced));
        }
    }
    for (const auto& [path, kind] : added_kinds_) {
        if (is_here(path)) {
            resources.push_back(resource(path.plural, kind.name(), kind.is_namespaced()));
        }
    }
    if (resources.empty()) {
        return "";
    }
    return json::print(json::Object{{"resources", std::move(resources)}});
}

void FakeClient::serve(kube::Kind kind) {
    const kube::ResourcePath path = kube::path_of(kind);
    served_[{path.group, path.plural}] = true;
    added_kinds_.emplace(path, kind);
}

void FakeClient::stop_serving(kube::Kind kind) {
    const kube::ResourcePath path = kube::path_of(kind);
    served_[{path.group, path.plural}] = false;
    collections_.erase({path.group, path.plural});
    end_watches(path.plural, WatchEnd::Broken);
}

void FakeClient::announce(PastEvent event) {
    for (const auto& channel : channels_) {
        channel->take(event);
    }
    history_.push_back(std::move(event));
}

std::string FakeClient::next_version() {
    return std::to_string(++version_);
}

void FakeClient::fail_next(
    Verb verb, std::string plural, Error error, int count, bool after_effect
) {
    faults_.push_back(Fault{verb, std::move(plural), std::move(error), count, after_effect});
}

void FakeClient::end_watches(const std::string& plural, WatchEnd end) {
    for (const auto& channel : channels_) {
        if (!channel->is_of(plural)) {
            continue;
        }
        if (end == WatchEnd::Gone) {
            const auto body = kube::print_status(410, "Expired", "too old resource version");
            channel->push(fmt::format(R"({{"type":"ERROR","object":{}}})", body));
        }
        channel->end(
            end == WatchEnd::Broken
                ? std::optional(Error{ErrorCode::Unavailable, "connection reset", {}})
                : std::nullopt
        );
    }
}

void FakeClient::forget_history() {
    history_.clear();
    // Even a watch from the present version would have to be refused only if something followed it.
    forgotten_ = ++version_;
}

void FakeClient::send_bookmarks(const std::string& plural) {
    for (const auto& channel : channels_) {
        if (channel->is_of(plural)) {
            channel->push(fmt::format(
                R"({{"type":"BOOKMARK","object":{{"metadata":{{"resourceVersion":"{}"}}}}}})",
                version_
            ));
        }
    }
}

std::vector<std::string> FakeClient::writes() const {
    std::vector<std::string> out;
    for (const auto& call : calls_) {
        const char* verb = nullptr;
        switch (call.verb) {
            case Verb::Create:
                verb = "Create";
                break;
            case Verb::Update:
                verb = "Update";
                break;
            case Verb::MergePatch:
                verb = "MergePatch";
                break;
            case Verb::Apply:
                verb = "Apply";
                break;
            case Verb::Delete:
                verb = "Delete";
                break;
            case Verb::Get:
            case Verb::List:
            case Verb::Watch:
                continue;
        }
        out.push_back(std::string(verb) + " " + call.path.plural);
    }
    return out;
}

std::size_t FakeClient::open_watches() const {
    return static_cast<std::size_t>(std::count_if(
        channels_.begin(),
        channels_.end(),
        [](const auto& channel) { return channel.use_count() > 1; }
    ));
}

}  // namespace sluice::test
