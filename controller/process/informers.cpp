#include "controller/process/informers.hpp"

#include "base/log.hpp"
#include "json/value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace sluice::controller {

namespace {

constexpr Duration kDiscoveryMax = std::chrono::seconds(30);
/// How many times in a row discovery must report that a kind is missing before its objects are
/// dropped: a server that is starting may not know all of its groups yet.
constexpr int kAbsencesUntilDropped = 3;

std::map<std::string, bool> resources_in(const json::Value& list) {
    std::map<std::string, bool> names;
    const json::Value* resources = list.find("resources");
    if (resources != nullptr && resources->is_array()) {
        for (const json::Value& resource : resources->as_array()) {
            const json::Value* scope = resource.find("namespaced");
            names.emplace(
                resource.string_at("name"), scope != nullptr && *scope == json::Value(true)
            );
        }
    }
    return names;
}

}  // namespace

Informers::Informers(Parts parts) : parts_(std::move(parts)), changed_(parts_.executor) {}

void Informers::follow(const KindEntry& entry, net::TaskGroup* tasks, Wait wait) {
    auto followed = std::make_unique<Followed>();
    Followed* kind = followed.get();
    kind->entry = &entry;
    kind->is_waited_for = wait == Wait::ForFirstList;
    kind->again = std::make_unique<net::Notifier>(parts_.executor);
    kube::ReflectorOptions options;
    options.seed = parts_.seed + ++follows_;
    options.interner = &interner_;
    options.label_selector = entry.label_selector;
    options.namespace_ = entry.namespace_;
    options.may_be_refused = entry.is_only_passed;
    kind->reflector = std::make_unique<kube::Reflector>(
        parts_.client,
        parts_.clock,
        *parts_.stores.find(entry.kind),
        std::move(options),
        parts_.on_change,
        [this, kind] {
            kind->phase = Phase::Synced;
            note_readable(*kind, true);
            changed_.notify();
        },
        [this, kind] { note_refusal(*kind); }
    );
    followed_.push_back(std::move(followed));
    tasks->spawn(run(kind), kube::to_string(entry.kind));
}

void Informers::forget(Kind kind) {
    std::erase_if(followed_, [kind](const auto& followed) {
        return followed->entry->kind == kind;
    });
    changed_.notify();
}

boost::asio::awaitable<void> Informers::run(Followed* followed) {
    const kube::ResourcePath path = kube::path_of(followed->entry->kind);
    followed->delay = parts_.discovery_delay;
    for (;;) {
        const Served served = co_await is_served(path, followed->entry->kind.is_namespaced());
        if (served == Served::InOtherScope) {
            note_scope(*followed);
        }
        bool is_absent = served == Served::No || served == Served::InOtherScope;
        if (served == Served::Yes || served == Served::WillNotSay) {
            const bool is_new = served == Served::Yes && followed->phase == Phase::NotServed;
            if (served == Served::Yes || followed->phase == Phase::Unknown) {
                followed->phase = Phase::Listing;
            }
            if (is_new) {
                ask_for_absent();
            }
            co_await check_definition(followed);
            const auto end = co_await followed->reflector->run();
            if (end == kube::Reflector::End::Cancelled) {
                co_return;
            }
            if (followed->phase == Phase::Synced) {
                followed->absences = 0;
                followed->delay = parts_.discovery_delay;
            } else {
                is_absent = served == Served::WillNotSay;  // only the list shows it
            }
        }
        if (is_absent) {
            co_await take_absence(followed, path);
        }
        co_await followed->again->wait(followed->delay);
        const bool cancelled = co_await net::is_cancelled();
        if (cancelled) {
            co_return;
        }
        followed->delay = std::min(2 * followed->delay, kDiscoveryMax);
    }
}

boost::asio::awaitable<void> Informers::check_definition(Followed* followed) {
    const KindEntry& entry = *followed->entry;
    if (!entry.find_unknown_fields || std::exchange(followed->is_checked, true)) {
        co_return;
    }
    const std::string target =
        fmt::format("/openapi/v3/apis/{}/{}", entry.kind.group(), entry.kind.version());
    const kube::GetOptions options;
    const auto text = co_await parts_.client.get_raw(target, options);
    const auto open_api = text ? json::parse(*text) : Result<json::Value>(text.error());
    if (!open_api) {
        co_return;
    }
    const auto unknown = entry.find_unknown_fields(*open_api);
    if (!unknown.empty()) {
        log::error(
            "CRD lacks fields that the description of the job kind uses; its jobs cannot be fully "
            "managed",
            {{"resource", kube::to_string(entry.kind)},
             {"fields", fmt::format("{}", fmt::join(unknown, ", "))}}
        );
    }
}

void Informers::note_scope(Followed& followed) {
    if (!std::exchange(followed.is_scope_logged, true)) {
        log::error(
            "kind is cluster-scoped; its objects are ignored, because LocalQueues belong to "
            "namespaces",
            {{"resource", kube::to_string(followed.entry->kind)}}
        );
    }
}

boost::asio::awaitable<void> Informers::take_absence(Followed* followed, kube::ResourcePath path) {
    note_absence(*followed);
    // If the kind is required, the controller keeps the objects that it saw last.
    const bool may_go = followed->entry->presence != Presence::Required;
    if (may_go && followed->absences == kAbsencesUntilDropped) {
        const bool is_namespaced = followed->entry->kind.is_namespaced();
        const bool gone = co_await is_gone(std::move(path), is_namespaced);
        if (gone) {
            drop(*followed);
        } else {
            --followed->absences;  // checked again after the next response
        }
    }
}

void Informers::note_absence(Followed& followed) {
    ++followed.absences;
    const std::string resource = kube::to_string(followed.entry->kind);
    if (followed.phase != Phase::NotServed) {
        const bool was_unknown = followed.phase == Phase::Unknown;
        followed.phase = Phase::NotServed;
        followed.is_waited_for = false;
        const bool is_required = followed.entry->presence == Presence::Required;
        const auto level = followed.entry->is_only_passed ? log::Level::Debug : log::Level::Info;
        log::write(
            is_required ? log::Level::Warning : level,
            "kind is not served; watching starts once it is",
            {{"resource", resource}}
        );
        if (was_unknown) {
            note_readable(followed, false);
        }
        changed_.notify();
    }
}

void Informers::ask_for_absent() {
    for (const auto& followed : followed_) {
        if (followed->phase == Phase::NotServed) {
            followed->delay = parts_.discovery_delay / 2;  // doubled after the pause
            followed->again->notify();
        }
    }
}

void Informers::note_refusal(Followed& followed) {
    if (followed.entry->is_only_passed && followed.is_readable) {
        log::warning(
            "kind of a disabled integration cannot be listed: permission is missing; jobs below "
            "its objects are treated as independent jobs",
            {{"resource", kube::to_string(followed.entry->kind)}}
        );
        note_readable(followed, false);
        followed.is_waited_for = false;
        changed_.notify();
    } else if (followed.entry->presence == Presence::Optional && followed.is_waited_for) {
        followed.is_waited_for = false;
        log::warning(
            "kind cannot be listed: permission is missing; its objects are not seen until then",
            {{"resource", kube::to_string(followed.entry->kind)}}
        );
        changed_.notify();
    }
}

void Informers::drop(Followed& followed) {
    const std::string resource = kube::to_string(followed.entry->kind);
    kube::AnyStore& store = *parts_.stores.find(followed.entry->kind);
    const auto changes = store.drop();
    if (!changes.empty()) {
        log::warning(
            "kind is no longer served; dropped its objects",
            {{"resource", resource}, {"objects", changes.size()}}
        );
    }
    for (const kube::AnyChange& change : changes) {
        parts_.on_change(change);
    }
    note_readable(followed, false);
    parts_.on_gone(followed.entry->kind);
}

void Informers::note_readable(Followed& followed, bool is_readable) {
    if (followed.entry->is_only_passed && followed.is_readable != is_readable) {
        followed.is_readable = is_readable;
        log::debug(
            is_readable ? "kind is used to find owners" : "kind is not used to find owners",
            {{"resource", kube::to_string(followed.entry->kind)}}
        );
        parts_.on_passed(*followed.entry, is_readable);
    }
}

boost::asio::awaitable<bool> Informers::is_gone(kube::ResourcePath path, bool is_namespaced) {
    if (path.group.empty()) {
        co_return false;
    }
    const std::string target = "/apis/" + path.group;
    const kube::GetOptions options;
    const auto text = co_await parts_.client.get_raw(target, options);
    if (!text) {
        co_return text.error().code == ErrorCode::NotFound;
    }
    const auto group = json::parse(*text);
    const json::Value* versions = group ? group->find("versions") : nullptr;
    if (versions == nullptr || !versions->is_array()) {
        co_return false;
    }
    for (const json::Value& version : versions->as_array()) {
        path.version = version.string_at("version");
        const auto served = co_await is_served(path, is_namespaced);
        if (served != Served::No && served != Served::InOtherScope) {
            co_return false;
        }
    }
    co_return true;
}

boost::asio::awaitable<Informers::Served> Informers::is_served(
    kube::ResourcePath path, bool is_namespaced
) {
    const std::string target =
        path.group.empty() ? "/api/" + path.version : "/apis/" + path.group + "/" + path.version;
    // One response is used for all kinds of a group and version that need it at about the same
    // time.
    const auto known = discovered_.find(target);
    if (known == discovered_.end() ||
        parts_.clock.instant() - known->second.at > parts_.discovery_delay / 2) {
        const kube::GetOptions options;
        const auto text = co_await parts_.client.get_raw(target, options);
        Discovered found{.at = parts_.clock.instant(), .resources = std::nullopt};
        if (text) {
            const auto list = json::parse(*text);
            found.resources = list ? std::optional(resources_in(*list)) : std::nullopt;
        } else if (text.error().code == ErrorCode::NotFound) {
            found.resources.emplace();
        } else if (is_retryable(text.error().code)) {
            log::warning(
                "API server does not answer", {{"target", target}, {"error", text.error().detail}}
            );
            co_return Served::NoAnswer;
        }
        discovered_[target] = std::move(found);
    }
    const auto& resources = discovered_[target].resources;
    if (!resources) {
        co_return Served::WillNotSay;
    }
    const auto listed = resources->find(path.plural);
    if (listed == resources->end()) {
        co_return Served::No;
    }
    co_return listed->second == is_namespaced ? Served::Yes : Served::InOtherScope;
}

bool Informers::has_synced() const {
    // Before the first kind is watched, the stores are empty, which says nothing about the API
    // server.
    return !followed_.empty() && std::ranges::all_of(followed_, [](const auto& followed) {
        return followed->phase == Phase::Synced ||
               followed->entry->presence == Presence::Supplementary ||
               (followed->entry->presence == Presence::Optional && !followed->is_waited_for);
    });
}

boost::asio::awaitable<bool> Informers::wait_until(std::function<bool()> is_reached) {
    while (!is_reached()) {
        const bool notified = co_await changed_.wait(std::chrono::seconds(1));
        if (!notified) {
            const bool cancelled = co_await net::is_cancelled();
            if (cancelled) {
                co_return false;
            }
        }
    }
    co_return true;
}

boost::asio::awaitable<bool> Informers::wait_listed(Kind kind, Instant until) {
    return wait_until([this, kind, until] {
        const auto is_listed = [kind](const auto& followed) {
            return followed->entry->kind == kind && followed->phase == Phase::Synced;
        };
        return parts_.clock.instant() >= until || std::ranges::any_of(followed_, is_listed);
    });
}

boost::asio::awaitable<bool> Informers::wait_synced() {
    return wait_until([this] { return has_synced(); });
}

}  // namespace sluice::controller
