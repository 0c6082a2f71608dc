// Performs the writes of simulated controllers as requests to the API server.
#pragma once

#include "apiserver/api_server.hpp"
#include "base/clock.hpp"
#include "json/value.hpp"
#include "sim/event_recorder.hpp"
#include "sim/objects/write.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sluice::sim {

/// Returns the type of a kind in that version; nullptr if the server does not serve it.
apiserver::ResourceTable::TypePointer find_type(
    const apiserver::ResourceTable& types, std::string_view api_version, std::string_view kind
);

/// Performs the requests of simulated controllers. *Lifetime*: the server must outlive it.
class ApiWriter {
  public:
    explicit ApiWriter(apiserver::ApiServer& server) : server_(server) {}

    /// Returns the request of one write for the object that was reconciled. Returns nullopt if the
    /// server does not serve the kind, or if a status is to be replaced and the object is gone or
    /// needs a conversion webhook.
    std::optional<apiserver::Request> prepare(const Write& write, const json::Value& about) const;
    /// Records the events of a write that was answered. Returns true if the remaining writes may
    /// follow. A changed or deleted object that no longer exists is not a failure.
    bool finish(
        const Write& write, const json::Value& about, const apiserver::Response& response, Time now
    );
    /// Returns the server's message for the last write that it rejected.
    const std::string& last_refusal() const { return last_refusal_; }
    /// Performs one write and records its events. Returns true if the remaining writes may follow.
    bool perform(const Write& write, const json::Value& about, Time now);
    /// Records an event on the object.
    void record_event(const json::Value& about, const Note& note, Time now);
    /// Creates a Node with its status; replaces a Node with the same name.
    void replace_node(const json::Value& node, Time now);
    /// Writes the labels and the status of an existing Node.
    void set_node_status(const json::Value& node, Time now);
    /// Replaces the taints of the node.
    void set_taints(const std::string& node, json::Array taints, Time now);

    /// Sends any request. `type`: the content type of the body.
    apiserver::Response request(
        std::string_view method,
        const std::string& path,
        const json::Value& body,
        Time now,
        std::string_view type = "application/json"
    );

  private:
    apiserver::ApiServer& server_;
    EventRecorder recorder_;
    std::string last_refusal_;
};

}  // namespace sluice::sim
