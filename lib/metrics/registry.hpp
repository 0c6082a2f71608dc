// Counters, gauges and histograms, with their series and the Prometheus text format.
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

/// Values of a metric's labels, in the order of its label names.
using Labels = std::vector<std::string>;

/// Label names, each with the value that a series must have.
using Match = std::vector<std::pair<std::string, std::string>>;

class Registry;

/// The object that a metric belongs to. The metric has the object's custom labels, and its gauges
/// are removed with the object.
struct CustomSource {
    /// Nullptr if the metric does not belong to an object; must outlive the registry.
    const CustomLabels* labels = nullptr;
    LabelSource source = LabelSource::ClusterQueue;
};

/// The definition of a metric.
struct Definition {
    std::string name;
    std::string help;
    std::vector<std::string> labels = {};
    CustomSource custom = {};
    /// Histograms only: upper bounds in ascending order, without +Inf.
    std::vector<double> buckets = {};
    /// True if the series have the replica's role as label `replica_role`.
    bool has_role = true;
};

/// A number that only grows. *Thread*: any, as for all metrics.
class Counter {
  public:
    Counter(Registry& registry, Definition definition);
    /// Requires: one value for each label of the metric; `amount` is not negative.
    void add(const Labels& labels, double amount = 1);
    /// Raises the series to a total that is counted elsewhere. Requires: the total never decreases.
    void raise_to(const Labels& labels, double total);
    /// Creates the series with value 0 before anything is counted.
    void touch(const Labels& labels) { add(labels, 0); }

  private:
    class Family& family_;
};

/// A number that goes up and down.
class Gauge {
  public:
    Gauge(Registry& registry, Definition definition);
    void set(const Labels& labels, double value);
    void add(const Labels& labels, double amount);
    /// Removes one series.
    void erase(const Labels& labels);

  private:
    class Family& family_;
};

/// Counts observations by buckets, with their sum and number.
class Histogram {
  public:
    Histogram(Registry& registry, Definition definition);
    void observe(const Labels& labels, double value);
    /// Replaces the series by values that were counted elsewhere. Requires: equal bounds.
    void set(const Labels& labels, const Distribution& counted);

  private:
    class Family& family_;
};

/// Holds all metrics and prints them. Printing locks one metric at a time, so that a thread that
/// changes another metric does not wait. *Thread*: any.
class Registry {
  public:
    Registry();
    ~Registry();
    Registry(const Registry&) = delete;
    Registry& operator=(const Registry&) = delete;

    /// Sets the role of all series from now on: standalone, follower or leader. Gauges of another
    /// role are removed and must be reported again; counters and histograms stay.
    void set_role(const std::string& role);
    /// Removes the series with those label values from all metrics that have all those labels and
    /// whose name begins with `prefix`. Returns the number of removed series.
    std::size_t remove(std::string_view prefix, const Match& match);
    /// Removes the series with those label values from the gauges of such objects (Definition's
    /// `custom`). Returns the number of removed series. Counters keep their values.
    std::size_t remove_gauges(LabelSource source, const Match& match);
    /// Returns all series in the Prometheus text format, ordered by name and labels. The media type
    /// is kTextContentType.
    std::string print() const;

  private:
    friend class Counter;
    friend class Gauge;
    friend class Histogram;
    class Impl;
    std::unique_ptr<Impl> impl_;
};

inline constexpr std::string_view kTextContentType = "text/plain; version=0.0.4; charset=utf-8";

/// Returns the default bounds of Prometheus' clients, in seconds.
std::vector<double> default_buckets();
/// Returns `count` bounds in seconds: 1, then 2.5 doubled each time, for waits of seconds to hours.
std::vector<double> wait_buckets(int count);
/// Returns 0.01 doubled ten times, in seconds, for latencies.
std::vector<double> latency_buckets();
/// Returns 10 ns to 1,000 s in powers of ten, in seconds, for the work of a machine.
std::vector<double> machine_buckets();

}  // namespace sluice::metrics
