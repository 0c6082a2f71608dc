#pragma once

#include "base/prng.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::test {

/// Makes random objects of the kinds that have a conversion, with every field in which the two
/// versions differ and some in which they do not. The same seed makes the same object.
class ObjectGenerator {
  public:
    explicit ObjectGenerator(std::uint64_t seed) : prng_(seed) {}

    /// An object of the kind; v1beta2 unless `old`.
    json::Value make(std::string_view kind, bool old);

  private:
    json::Value cluster_queue_spec(bool old);
    json::Value cluster_queue_status(bool old);
    json::Value local_queue_status(bool old);
    json::Value workload_spec(bool old);
    json::Value workload_status(bool old);
    json::Value multikueue_spec(bool old);
    json::Value fair_sharing(bool with_history);
    json::Value topology(bool old);
    bool maybe() { return prng_.chance(60); }
    std::string word();
    template <class... T>
    std::string one_of(T... words) {
        const std::vector<std::string> all{words...};
        return all[prng_.below(all.size())];
    }

    Prng prng_;
};

}  // namespace sluice::test
