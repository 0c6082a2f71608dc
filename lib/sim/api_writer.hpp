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

/// The kind as it is served in that version; nullptr: it is not.
apiserver::ResourceTable::TypePointer find_type(
    const apiserver::ResourceTable& types, std::string_view api_version, std::string_view kind
);

/// Makes the requests of simulated controllers. Lifetime: the server must outlive it.
class ApiWriter {
  public:
    explicit ApiWriter(apiserver::ApiServer& server) : server_(server) {}

    /// The request that does one write for the object that was reconciled; none: there is no such
    /// kind, or the object is gone.
    std::optional<apiserver::Request> prepare(const Write& write, const json::Value& about) const;
    /// Tells what came of it; whether the row of writes goes on. That an object to be changed is
    /// gone is no failure.
    bool finish(
        const Write& write, const json::Value& about, const apiserver::Response& response, Time now
    );
    /// What the server said of the last write that it refused.
    const std::string& last_refusal() const { return last_refusal_; }
    /// Does one write and tells what came of it.
    bool perform(const Write& write, const json::Value& about, Time now);
    /// Writes an event on the object.
    void tell(const json::Value& about, const Note& note, Time now);
    /// Creates an object of cluster scope with its status in place of one of that name.
    void replace_node(const json::Value& node, Time now);
    /// Writes the labels and the status of a Node that is there.
    void set_node_status(const json::Value& node, Time now);
    /// A merge patch of the object at a path of the API.
    apiserver::Response patch(const std::string& path, const json::Value& body, Time now);
    /// Writes the taints of the node.
    void set_taints(const std::string& node, json::Array taints, Time now);

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
