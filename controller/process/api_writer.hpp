#pragma once

#include "base/clock.hpp"
#include "base/prng.hpp"
#include "controller/reconcilers/stores.hpp"
#include "controller/reconcilers/write_sink.hpp"
#include "kube/client/client.hpp"
#include "net/task_group.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sluice::controller {

/// Performs writes against the API server: asynchronously, a bounded number of rows at a time, with
/// retries. Remembers what it wrote until the store shows it.
class ApiWriter final : public WriteSink {
  public:
    struct Parts {
        kube::Client& client;
        const Stores& stores;
        const Clock& clock;
        net::TaskGroup& tasks;
        /// Called for each accepted write that has something to tell.
        std::function<void(const EventNote&)> on_event;
        std::function<void(const Observation&)> on_observation;
        /// Called when no write to the object is under way any more, whatever became of it.
        std::function<void(const ObjectKey&)> on_ended;
    };

    ApiWriter(Parts parts, std::size_t rows_max, std::uint64_t seed)
        : parts_(std::move(parts)), rows_max_(rows_max), prng_(seed) {}

    void submit(std::vector<Write> row, bool until_certain, Done done) override;
    bool has_room() const override { return rows_ < rows_max_; }
    bool is_settled(const ObjectKey& key) const override;
    /// Rows under way.
    std::size_t rows() const { return rows_; }

  private:
    /// The version that an accepted write made, until the store has it.
    struct Awaited {
        std::uint64_t version = 0;
        std::string deleted_uid;  ///< of a delete: until the object of that uid is gone or going
        Time until;               ///< an echo that does not come in time is not waited for
    };

    boost::asio::awaitable<void> perform_row(std::vector<Write> row, bool until_certain, Done done);
    kube::Async<std::string> perform(Write write, bool until_certain);
    kube::Async<std::string> call(Write write);
    void accepted(const Write& write, const std::string& answer);

    Parts parts_;
    std::size_t rows_max_;
    std::size_t rows_ = 0;
    Prng prng_;
    std::map<ObjectKey, int> under_way_;
    mutable std::map<ObjectKey, Awaited> awaited_;
};

/// The path of an object of one of our kinds.
kube::ResourcePath path_of(const ObjectKey& key);

}  // namespace sluice::controller
