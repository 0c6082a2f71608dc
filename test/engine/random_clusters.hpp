#pragma once

#include "engine/types/event.hpp"
#include "engine/types/options.hpp"
#include "support/outcome.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Random clusters and what happens to them, from a seed. Steps name their objects and do nothing
/// when those do not exist, so that any of them can be left out when a failing case is made small.
namespace sluice::reference {

/// One thing that happens to a cluster.
struct Step {
    enum class Kind : std::uint8_t {
        Object,            ///< `event` as it is
        Submit,            ///< a WorkloadChanged `event`, kept as the object's present state
        Cycle,             ///< run_cycle
        Advance,           ///< `number` nanoseconds pass
        Timer,             ///< TimerFired
        ConfirmAdmission,  ///< written, then the echo; `number` bit 1: the echo first, bit 2: the
                           ///< checks are still to come (SetAdmitted), bit 3: the echo first and
                           ///< then one that shows the quota given up again
        FailAdmission,     ///< `number` 1: the object is gone, 2: the API refused it
        StaleEcho,         ///< an update from before our writes
        ConfirmEviction,   ///< our eviction is seen, or another controller evicts
        FailEviction,
        Release,  ///< an evicted workload gives its quota back; see ReleaseHow
        Finish,
        Delete,
        SetPriority,
        SetReclaimable,  ///< of podSet `other`
        SetRequests,     ///< each request of podSet `other`
        SetRequeue,      ///< requeueAt `number` ns from now, negative: none
        SetRequeued,     ///< condition Requeued=False iff `number` is 1
        SetGate,
        SetChecks,
        SetHold,      ///< queueable or not
        Move,         ///< to LocalQueue `other`
        Touch,        ///< only the generation changes
        SetAdmitted,  ///< a holder's checks are all Ready
        SetReady,     ///< condition PodsReady of a holder
        SetBoost,     ///< priority boost: the priority changes, the generation does not
        SetReplaces,  ///< the annotation now names workload `other`
        EndSlice,     ///< a slice finishes whose replacement's admission is confirmed
        SetCount,     ///< of podSet `other`, also of a holder (elastic jobs)
        SetActive,    ///< deactivated, or active again iff `number` is 1
        SetValid,     ///< whether LimitRanges allow the requests
    };
    Kind kind = Kind::Cycle;
    std::string target;  ///< "ns/name"; "" : all that it can apply to
    std::string other;
    std::int64_t number = 0;
    std::optional<engine::Event> event;
};

struct Case {
    std::uint64_t seed = 0;
    engine::Options options;
    std::vector<Step> steps;
};

/// The case of a seed: always the same.
Case make_case(std::uint64_t seed);

/// A readable listing of everything in the case.
std::string to_text(const Case& shown);

/// The objects as the API server would have them; turns steps into events.
class View {
  public:
    std::vector<engine::Event> events_of(const Step& step, engine::Time now);
    /// Takes note of what a cycle decided, for steps that confirm it.
    void take(const support::Outcome& outcome, engine::Time now);

  private:
    /// The object as the translator tells it: an ended workload holds nothing.
    engine::Workload shown(const std::string& key) const;
    std::vector<std::string> targets_of(const Step& step) const;
    void change(engine::Workload& workload, const Step& step, engine::Time now);
    void forget(const std::string& key);
    void confirm(
        const std::string& key, const Step& step, engine::Time now, std::vector<engine::Event>& out
    );

    std::map<std::string, engine::Workload> objects_;
    std::map<std::string, engine::QuotaReservation> outstanding_;
    std::map<std::string, bool> evicting_;
    std::map<std::string, std::string> replacing_;  ///< the slice by an outstanding admission
    std::set<std::string> replaced_;                ///< slices whose end is still to be written
    std::set<std::string> finished_;
    std::set<std::string> inactive_;
};

/// What goes wrong when a case runs; none: nothing.
using Check = std::function<std::optional<std::string>(const Case&)>;

/// Leaves out and simplifies what it can while the check still fails.
Case shrink(Case failing, const Check& check);

}  // namespace sluice::reference
