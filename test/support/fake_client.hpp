#pragma once

#include "api/codec.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"
#include "kube/client/client.hpp"
#include "kube/core/kind.hpp"
#include "support/field_ownership.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::test {

enum class Verb : std::uint8_t { Get, List, Create, Update, MergePatch, Apply, Delete, Watch };

/// A call that the fake got, for tests that check what was written.
struct Call {
    Verb verb;
    kube::ResourcePath path;
    std::string body;
    std::string field_manager;
};

/// An API server in memory, as far as a controller can tell: resourceVersions and conflicts,
/// watches with resume and 410, server-side apply with ownership of fields, status as a
/// subresource, finalizers, deletion of dependents, generateName. It knows no schema: no defaults,
/// no validation (see on_write). Each call takes at least one turn of the loop. Thread: the
/// executor's.
class FakeClient final : public kube::Client {
  public:
    /// Sees each object about to be stored and may change or refuse it; `before` is null when
    /// it is new. For what webhooks and schema defaults would do.
    using WriteHook = std::function<Result<void>(const json::Value* before, json::Value& after)>;

    FakeClient(boost::asio::any_io_executor executor, const Clock& clock);
    ~FakeClient() override;

    kube::Async<std::string> get(kube::ResourcePath path, kube::GetOptions options) override;
    kube::Async<std::string> list(kube::ResourcePath path, kube::ListOptions options) override;
    kube::Async<std::string> create(
        kube::ResourcePath path, std::string body, kube::WriteOptions options
    ) override;
    kube::Async<std::string> update(
        kube::ResourcePath path, std::string body, kube::WriteOptions options
    ) override;
    kube::Async<std::string> merge_patch(
        kube::ResourcePath path, std::string body, kube::WriteOptions options
    ) override;
    kube::Async<std::string> apply(
        kube::ResourcePath path, std::string body, kube::ApplyOptions options
    ) override;
    kube::Async<std::string> remove(kube::ResourcePath path, kube::DeleteOptions options) override;
    kube::Async<std::unique_ptr<kube::WatchStream>> watch(
        kube::ResourcePath path, kube::WatchOptions options
    ) override;
    kube::Async<std::string> get_raw(std::string target, kube::GetOptions options) override;

    // What a test does directly, at once, as if another client had done it.

    /// Stores an object with its status as given, new or in place of one.
    template <class T>
    void add(const T& object) {
        put(kube::path_of<T>(object.metadata.namespace_), api::to_value(object));
    }
    void put(const kube::ResourcePath& collection, json::Value object);
    template <class T>
    std::optional<T> find(const std::string& ns, const std::string& name) const {
        const auto* object = find_value(kube::path_of<T>(ns, name));
        return object == nullptr ? std::nullopt : std::optional<T>(*api::from_value<T>(*object));
    }
    const json::Value* find_value(const kube::ResourcePath& path) const;
    template <class T>
    std::vector<T> all() const {
        std::vector<T> out;
        for (const auto* object : all_values(kube::path_of<T>())) {
            out.push_back(*api::from_value<T>(*object));
        }
        return out;
    }
    std::vector<const json::Value*> all_values(const kube::ResourcePath& collection) const;
    /// Deletes as the API does: an object with finalizers only gets its deletionTimestamp.
    void erase(const kube::ResourcePath& path);
    template <class T>
    void erase(const std::string& ns, const std::string& name) {
        erase(kube::path_of<T>(ns, name));
    }
    /// The answer of get_raw for a target.
    void set_raw(std::string target, std::string body) {
        raw_[std::move(target)] = std::move(body);
    }
    /// What the server has, beside every kind that Sluice has a type for: a kind that comes, as
    /// when its definition is applied, and one that goes with all of its objects.
    void serve(kube::Kind kind);
    void stop_serving(kube::Kind kind);
    void on_write(const std::string& plural, WriteHook hook) { hooks_[plural] = std::move(hook); }

    // Faults.

    /// The next `count` calls of that verb on that plural fail with the error. With `after_effect`
    /// a write is done and only its answer is lost.
    void fail_next(
        Verb verb, std::string plural, Error error, int count = 1, bool after_effect = false
    );
    /// Ends the open watches of a plural: as the server does in order, broken, or with 410 Gone.
    enum class WatchEnd : std::uint8_t { InOrder, Broken, Gone };
    void end_watches(const std::string& plural, WatchEnd end);
    /// Forgets old events, so that watches from before now get 410 Gone.
    void forget_history();
    /// Sends a bookmark to the open watches of a plural.
    void send_bookmarks(const std::string& plural);
    /// Each call takes so long from now on.
    void set_delay(Duration delay) { delay_ = delay; }
    /// Each write is done at once, and its answer takes so long from now on.
    void set_answer_delay(Duration delay) { answer_delay_ = delay; }

    const std::vector<Call>& calls() const { return calls_; }
    void clear_calls() { calls_.clear(); }
    /// Calls that write, by verb and plural: "Apply workloads".
    std::vector<std::string> writes() const;
    std::size_t open_watches() const;

  private:
    struct Stored {
        json::Value object;
        Ownership owners;
    };
    using CollectionKey = std::pair<std::string, std::string>;  // group, plural
    struct Collection {
        std::map<kube::NamespacedName, Stored> objects;
    };
    struct PastEvent {
        std::int64_t version = 0;
        CollectionKey collection;
        json::Value before;  // null when the object was added
        json::Value after;   // null when it was deleted
        json::Value last;    // of a deletion: the object with the version of its deletion
    };
    struct Fault {
        Verb verb;
        std::string plural;
        Error error;
        int left = 0;
        bool after_effect = false;
    };
    class Channel;
    class Stream;
    struct Edit;

    boost::asio::awaitable<Result<void>> begin(
        Verb verb,
        kube::ResourcePath path,
        std::string body,
        std::string manager,
        kube::BeforeSend before_send = {}
    );
    std::optional<Error> take_fault(Verb verb, const std::string& plural, bool after_effect);
    kube::Async<std::string> finish(Verb verb, std::string plural, Result<std::string> answer);

    Result<std::string> do_list(const kube::ResourcePath& path, const kube::ListOptions& options)
        const;
    Result<std::string> do_create(
        const kube::ResourcePath& path, json::Value object, const kube::WriteOptions& options
    );
    Result<std::string> do_update(
        const kube::ResourcePath& path, json::Value object, const kube::WriteOptions& options
    );
    Result<std::string> do_apply(
        const kube::ResourcePath& path, const json::Value& config, const kube::ApplyOptions& options
    );
    Result<std::string> do_remove(
        const kube::ResourcePath& path, const kube::DeleteOptions& options
    );
    static void keep_server_fields(const json::Value* live, Edit& edit);
    /// Stores a changed object: versions, generation, events, removal of one whose finalizers are
    /// gone.
    Result<std::string> store(const kube::ResourcePath& path, Edit edit);
    void forget(const CollectionKey& collection, const kube::NamespacedName& key);
    void mark_deleted(const CollectionKey& collection, const kube::NamespacedName& key);
    void collect_dependents(const std::string& uid);
    void announce(PastEvent event);
    std::string next_version();

    boost::asio::any_io_executor executor_;
    const Clock& clock_;
    std::map<CollectionKey, Collection> collections_;
    std::vector<PastEvent> history_;
    std::vector<std::shared_ptr<Channel>> channels_;
    std::map<std::string, WriteHook> hooks_;
    /// The kinds of a group and version, as discovery says it.
    std::string discovery(std::string_view target) const;

    std::map<std::string, std::string> raw_;
    std::map<std::pair<std::string, std::string>, bool> served_;  ///< by group and plural
    std::map<kube::ResourcePath, kube::Kind> added_kinds_;
    std::vector<Fault> faults_;
    std::vector<Call> calls_;
    std::int64_t version_ = 1000;
    std::int64_t forgotten_ = 0;
    std::int64_t uids_ = 0;
    Duration delay_{};
    Duration answer_delay_{};
};

}  // namespace sluice::test
