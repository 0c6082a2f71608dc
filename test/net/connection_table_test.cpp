#include "net/http/connection_table.hpp"

#include <catch2/catch_test_macros.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

// Which connection a server closes for a new one, as a table of phases and peers.
namespace sluice::net {
namespace {

/// A stream that only knows whether it was closed.
class ClosableStream final : public Stream {
  public:
    explicit ClosableStream(bool& is_closed) : is_closed_(is_closed) {}
    void expires_at(Deadline) override {}
    boost::asio::awaitable<Result<void>> wait_readable() override { co_return Result<void>(); }
    boost::asio::awaitable<Result<std::size_t>> read_some(char*, std::size_t) override {
        co_return std::size_t{0};
    }
    boost::asio::awaitable<Result<void>> write(std::string_view) override {
        co_return Result<void>();
    }
    boost::asio::awaitable<void> shutdown() override { co_return; }
    void close() noexcept override { is_closed_ = true; }
    bool is_reusable() override { return false; }

  private:
    bool& is_closed_;
};

/// Connections by the names that the test gives them.
struct Crowd {
    explicit Crowd(std::size_t max, std::size_t per_peer_max = 100) : table(max, per_peer_max) {}

    /// Whether there was room; the connection is then there.
    bool connect(const std::string& name, const std::string& address, ConnectionPhase phase) {
        if (!table.make_room(address)) {
            return false;
        }
        auto guest = std::make_unique<Guest>();
        guest->name = name;
        guest->connection.address = address;
        guest->connection.stream = std::make_unique<ClosableStream>(guest->is_closed);
        table.add(&guest->connection);
        table.enter(&guest->connection, phase);
        guests.push_back(std::move(guest));
        return true;
    }
    void enter(const std::string& name, ConnectionPhase phase) {
        for (const auto& guest : guests) {
            if (guest->name == name) {
                table.enter(&guest->connection, phase);
            }
        }
    }
    /// The names of those that were closed, in the order they came.
    std::string closed() const {
        std::string names;
        for (const auto& guest : guests) {
            names += guest->is_closed ? guest->name : "";
        }
        return names;
    }

    struct Guest {
        std::string name;
        bool is_closed = false;
        Connection connection;
    };
    ConnectionTable table;
    std::vector<std::unique_ptr<Guest>> guests;
};

constexpr auto kShaking = ConnectionPhase::ShakingHands;
constexpr auto kIdle = ConnectionPhase::Idle;
constexpr auto kReading = ConnectionPhase::Reading;
constexpr auto kAnswering = ConnectionPhase::Answering;

}  // namespace

TEST_CASE("what waits for its peer goes first, what is answered never", "[net][limits]") {
    Crowd crowd(5);
    CHECK(crowd.connect("a", "1", kAnswering));
    CHECK(crowd.connect("b", "1", kReading));
    CHECK(crowd.connect("c", "1", kShaking));
    CHECK(crowd.connect("d", "1", kIdle));
    CHECK(crowd.connect("e", "1", kAnswering));
    CHECK(crowd.connect("f", "1", kAnswering));
    CHECK(crowd.closed() == "d");
    CHECK(crowd.connect("g", "1", kAnswering));
    CHECK(crowd.closed() == "cd");
    CHECK(crowd.connect("h", "1", kAnswering));
    CHECK(crowd.closed() == "bcd");
    CHECK_FALSE(crowd.connect("i", "1", kAnswering));
    CHECK(crowd.table.size() == 5);
}

TEST_CASE("of equal ones the one that has waited the longest goes", "[net][limits]") {
    for (const auto phase : {kShaking, kIdle, kReading}) {
        Crowd crowd(3);
        for (const auto* name : {"a", "b", "c"}) {
            crowd.connect(name, "1", phase);
        }
        crowd.enter("a", kAnswering);
        crowd.enter("a", phase);
        CHECK(crowd.connect("d", "1", phase));
        CHECK(crowd.closed() == "b");
    }
}

TEST_CASE("the peer that holds the most open loses its own", "[net][limits]") {
    Crowd crowd(4);
    crowd.connect("a", "quiet", kIdle);
    for (const auto* name : {"b", "c", "d"}) {
        crowd.connect(name, "hostile", kShaking);
    }
    CHECK(crowd.connect("e", "third", kIdle));
    CHECK(crowd.closed() == "b");
    CHECK(crowd.connect("f", "quiet", kReading));
    CHECK(crowd.closed() == "bc");
}

TEST_CASE("slow requests of one peer go for others where nothing is idle", "[net][limits]") {
    Crowd crowd(4);
    crowd.connect("a", "quiet", kReading);
    for (const auto* name : {"b", "c", "d"}) {
        crowd.connect(name, "hostile", kReading);
    }
    CHECK(crowd.connect("e", "quiet", kReading));
    CHECK(crowd.closed() == "b");
}

TEST_CASE("a peer at its own limit closes one of its own", "[net][limits]") {
    Crowd crowd(100, 2);
    crowd.connect("a", "other", kIdle);
    crowd.connect("b", "one", kIdle);
    crowd.connect("c", "one", kReading);
    CHECK(crowd.connect("d", "one", kAnswering));
    CHECK(crowd.closed() == "b");
    CHECK(crowd.connect("e", "one", kAnswering));
    CHECK(crowd.closed() == "bc");
    CHECK_FALSE(crowd.connect("f", "one", kIdle));
    CHECK(crowd.connect("g", "other", kIdle));
}

TEST_CASE("a connection that ended gives its place back", "[net][limits]") {
    Crowd crowd(2, 2);
    crowd.connect("a", "1", kAnswering);
    crowd.connect("b", "1", kAnswering);
    REQUIRE_FALSE(crowd.connect("c", "1", kIdle));
    crowd.table.remove(&crowd.guests.front()->connection);
    crowd.table.remove(&crowd.guests.front()->connection);
    CHECK(crowd.connect("c", "1", kIdle));
    CHECK(crowd.closed().empty());
    crowd.table.close_idle();
    CHECK(crowd.closed() == "c");
    crowd.table.close_all();
    CHECK(crowd.closed() == "bc");
    CHECK(crowd.table.size() == 0);
}

}  // namespace sluice::net
