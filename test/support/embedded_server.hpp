#pragma once

#include "api/meta/codec.hpp"
#include "apiserver/api_server.hpp"
#include "apiserver/http/in_process_client.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"
#include "kube/client/client.hpp"
#include "kube/core/kind.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sluice::test {

enum class Verb : std::uint8_t { Get, List, Create, Update, MergePatch, Apply, Delete, Watch };

/// A request that the server got, for tests that check what was asked and written. Of discovery
/// the path is empty.
struct Call {
    Verb verb;
    kube::ResourcePath path;
    std::string body;
};

/// The server of an EmbeddedServer: a base class, so that it is there before the client is made and
/// outlives it.
struct OwnApiServer {
    apiserver::ApiServer api_server;
};

/// The embedded API server, and a client of it with faults on demand. What a test does directly
/// is done at once by requests of another client, so that the server's rules hold for it too; a
/// refusal ends the process. The server has the namespaces `default` and `kueue-system`, and no
/// definitions. Thread: the executor's.
class EmbeddedServer final : private OwnApiServer, public apiserver::InProcessClient {
  public:
    EmbeddedServer(boost::asio::any_io_executor executor, const Clock& clock);
    ~EmbeddedServer() override;

    kube::Async<std::string> get_raw(std::string target, kube::GetOptions options) override;

    // What another client does.

    /// Creates the object, or replaces the one of its name, and its status where it has one. A
    /// namespace that is not there is created too.
    template <class T>
    void add(const T& object) {
        put(kube::path_of<T>(object.metadata.namespace_), api::to_value(object));
    }
    void put(const kube::ResourcePath& collection, json::Value object);
    /// A merge patch.
    void patch(const kube::ResourcePath& path, const json::Value& patch);
    /// Deletes the object and what it owns. Nothing where it is not there.
    void erase(const kube::ResourcePath& path);
    template <class T>
    void erase(const std::string& ns, const std::string& name) {
        erase(kube::path_of<T>(ns, name));
    }
    void add_namespace(const std::string& name);
    template <class T>
    std::optional<T> find(const std::string& ns, const std::string& name) const {
        const auto object = find_value(kube::path_of<T>(ns, name));
        return object == nullptr ? std::nullopt : std::optional<T>(*api::from_value<T>(*object));
    }
    apiserver::Snapshot find_value(const kube::ResourcePath& path) const;
    template <class T>
    std::vector<T> all() const {
        std::vector<T> out;
        for (const auto& object : all_values(kube::path_of<T>())) {
            out.push_back(*api::from_value<T>(*object));
        }
        return out;
    }
    std::vector<apiserver::Snapshot> all_values(const kube::ResourcePath& collection) const;
    /// Puts an object into the store past all rules, new or in place of one: as a backup that is
    /// put back does, or a server of another version that allows more.
    void store_as_is(const kube::ResourcePath& collection, json::Value object);

    /// Creates the definition of a kind; one that is not Kueue's takes any object. Of a kind that
    /// is defined in another version both are served. The first server of a process is asked to
    /// create it; the others share what came of that, for compiling a schema takes long.
    void serve(kube::Kind kind);
    /// Those of all kinds of Kueue.
    void serve_kueue();
    /// Deletes the definition of a kind, and so all of its objects.
    void stop_serving(kube::Kind kind);
    /// The answer of get_raw for a target, as of a server or proxy that is broken or behind.
    void set_raw(std::string target, std::string body) {
        raw_[std::move(target)] = std::move(body);
    }
    void unset_raw(const std::string& target) { raw_.erase(target); }

    // Faults.

    /// The next `count` calls of that verb on that plural ("" for discovery) fail with the error.
    /// With `after_effect` the call is done and only its answer is lost.
    void fail_next(
        Verb verb, std::string plural, Error error, int count = 1, bool after_effect = false
    );
    /// Something else happens and the server forgets what was, so that watches from before get
    /// 410 Gone.
    void forget_history();
    /// Each call is done so much later from now on.
    void set_delay(Duration delay) { delay_ = delay; }
    /// Each call is done at once, and its answer comes so much later from now on.
    void set_answer_delay(Duration delay) { answer_delay_ = delay; }
    /// Called for each call before it is done or fails.
    void on_call(std::function<void(const Call&)> hook) { on_call_ = std::move(hook); }

    const std::vector<Call>& calls() const { return calls_; }
    void clear_calls() { calls_.clear(); }
    /// Calls that write, by verb and plural: "Apply workloads".
    std::vector<std::string> writes() const;

  private:
    struct OrderedFault {
        Verb verb;
        std::string plural;
        Error error;
        int left = 0;
        bool after_effect = false;
    };

    /// A definition as a server of this process has stored it, and the kinds that it made of it.
    struct Served {
        apiserver::Snapshot definition;
        std::vector<apiserver::ResourceTable::TypePointer> types;
    };

    void install(const kube::ResourcePath& path, const Served& served);
    std::optional<Fault> on_request(const kube::Request& request);
    Call read_call(const kube::Request& request) const;
    apiserver::ResourceTable::TypePointer type_of(const kube::ResourcePath& path) const;
    /// The answer to a request of another client.
    apiserver::Response send(
        std::string method,
        const kube::ResourcePath& path,
        const json::Value& body,
        std::string content_type = "application/json"
    );
    void put_status(const kube::ResourcePath& path, json::Value status);

    const Clock& clock_;
    std::map<std::string, std::string> raw_;
    std::vector<OrderedFault> faults_;
    std::vector<Call> calls_;
    std::function<void(const Call&)> on_call_;
    Duration delay_{};
    Duration answer_delay_{};
};

}  // namespace sluice::test
