#pragma once

#include "metrics/custom_labels.hpp"
#include "metrics/distribution.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::metrics {

/// Values of a metric's labels in the order in which its label names were given.
using Labels = std::vector<std::string>;

/// Label names and the values that they must have.
using Match = std::vector<std::pair<std::string, std::string>>;

class Registry;

/// The object that the labels of a metric name: its custom labels are the metric's too, and the
/// metric's gauges go with it.
struct CustomSource {
    const CustomLabels* labels = nullptr;  ///< nullptr: no object; must outlive the registry
    LabelSource source = LabelSource::ClusterQueue;
};

/// How a metric is defined.
struct Definition {
    std::string name;
    std::string help;
    std::vector<std::string> labels = {};
    CustomSource custom = {};
    std::vector<double> buckets = {};  ///< histograms: upper bounds, rising, without +Inf
    /// Whether its series carry the replica's role as label `replica_role`.
    bool has_role = true;
};

/// A number that only grows. Thread: any, as for all metrics.
class Counter {
  public:
    Counter(Registry& registry, Definition definition);
    /// Requires: as many values as the metric has labels; `amount` is not negative.
    void add(const Labels& labels, double amount = 1);
    /// Raises it to what was counted elsewhere. Requires: that never falls.
    void raise_to(const Labels& labels, double total);
    /// Makes the series appear with 0 before anything is counted.
    void touch(const Labels& labels) { add(labels, 0); }
    double value(const Labels& labels) const;

  private:
    class Family& family_;
};

/// A number that goes up and down.
class Gauge {
  public:
    Gauge(Registry& registry, Definition definition);
    void set(const Labels& labels, double value);
    void add(const Labels& labels, double amount);
    double value(const Labels& labels) const;
    /// Removes one series.
    void erase(const Labels& labels);

  private:
    class Family& family_;
};

/// How often observations fell below each bound, their sum and number.
class Histogram {
  public:
    Histogram(Registry& registry, Definition definition);
    void observe(const Labels& labels, double value);
    /// Shows what was counted elsewhere, in place of what the series had. Requires: the same
    /// bounds.
    void set(const Labels& labels, const Distribution& counted);
    std::uint64_t count(const Labels& labels) const;

  private:
    class Family& family_;
};

/// Holds all metrics and prints them. Printing reads nothing but the series, one metric at a time,
/// so that a thread that changes another one meanwhile does not wait. Thread: any.
class Registry {
  public:
    Registry();
    ~Registry();
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    /// The role that series get from now on: standalone, follower or leader. Gauges reported under
    /// another role are dropped (report them anew); counters and histograms stay.
    void set_role(const std::string& role);
    /// Removes the series with those label values from all metrics whose name begins with `prefix`
    /// and that have all those labels; how many.
    std::size_t remove(std::string_view prefix, const Match& match);
    /// Removes the series with those label values from the gauges of such objects (Definition's
    /// `custom`), and returns how many. Counters keep what they counted.
    std::size_t remove_gauges(LabelSource source, const Match& match);
    /// All series in the Prometheus text format, ordered by name and labels; the media type is
    /// kTextContentType.
    std::string print() const;

  private:
    friend class Counter;
    friend class Gauge;
    friend class Histogram;
    class Impl;
    std::unique_ptr<Impl> impl_;
};

inline constexpr std::string_view kTextContentType = "text/plain; version=0.0.4; charset=utf-8";

/// The bounds of Prometheus' own clients, in seconds.
std::vector<double> default_buckets();
/// 1, then 2.5 doubled: `count` bounds in all, for waits of seconds to hours.
std::vector<double> wait_buckets(int count);
/// 0.01 doubled ten times, for latencies.
std::vector<double> latency_buckets();
/// 10 ns to 1,000 s in powers of ten, for what a machine does.
std::vector<double> machine_buckets();

}  // namespace sluice::metrics
