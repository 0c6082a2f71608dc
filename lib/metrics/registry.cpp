#include "metrics/registry.hpp"

#include "base/assert.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace sluice::metrics {
namespace {

enum class Kind : std::uint8_t { Counter, Gauge, Histogram };

struct Series {
    std::string pairs;                  // the labels as they are printed
    double value = 0;                   // for a histogram, the sum
    std::vector<std::uint64_t> counts;  // per bucket, not cumulative; the last one is +Inf
};

std::string_view to_text(Kind kind) {
    switch (kind) {
        case Kind::Counter:
            return "counter";
        case Kind::Gauge:
            return "gauge";
        case Kind::Histogram:
            return "histogram";
    }
    return "untyped";
}

std::string print_number(double value) {
    if (std::isnan(value)) {
        return "NaN";
    }
    if (std::isinf(value)) {
        return value > 0 ? "+Inf" : "-Inf";
    }
    return fmt::format("{}", value);
}

std::string escape(std::string_view text, bool quotes) {
    std::string out;
    for (const char c : text) {
        if (c == '\\' || (quotes && c == '"')) {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace

/// One metric with all its series.
class Family {
  public:
    Family(std::string role, Kind kind, Definition definition)
        : role_(std::move(role)), kind_(kind), definition_(std::move(definition)) {
        SLUICE_ASSERT(std::is_sorted(definition_.buckets.begin(), definition_.buckets.end()));
        names_ = definition_.labels;
        if (definition_.custom.labels != nullptr) {
            std::ranges::copy(
                definition_.custom.labels->names(definition_.custom.source),
                std::back_inserter(names_)
            );
        }
        if (definition_.has_role) {
            names_.emplace_back("replica_role");
        }
        for (std::size_t i = 0; i < names_.size(); ++i) {
            print_order_.push_back(i);
        }
        std::sort(print_order_.begin(), print_order_.end(), [this](auto a, auto b) {
            return names_[a] < names_[b];
        });
    }

    template <class Function>
    void change(const Labels& labels, Function function) {
        const std::scoped_lock guard(lock_);
        if (names_.size() == labels.size()) {
            // A metric without custom labels needs no copy of the given labels.
            if (const auto found = series_.find(labels); found != series_.end()) {
                function(found->second);
                return;
            }
        }
        auto full = full_labels(labels);
        const auto found = series_.find(full);
        if (found != series_.end()) {
            function(found->second);
            return;
        }
        Series made;
        made.pairs = print_pairs(full);
        function(made);
        series_.emplace(std::move(full), std::move(made));
    }

    void observe(const Labels& labels, double value) {
        const auto& buckets = definition_.buckets;
        const std::size_t at = find_bucket(buckets, value);
        change(labels, [&](Series& series) {
            series.counts.resize(buckets.size() + 1);
            ++series.counts[at];
            series.value += value;
        });
    }

    void set(const Labels& labels, const Distribution& counted) {
        SLUICE_ASSERT(std::ranges::equal(definition_.buckets, counted.bounds()));
        change(labels, [&](Series& series) {
            series.counts = counted.counts();
            series.value = counted.sum();
        });
    }

    std::size_t remove(const Match& match) {
        const std::scoped_lock guard(lock_);
        std::vector<std::pair<std::size_t, std::string>> wanted;
        for (const auto& [label, value] : match) {
            const auto found = std::find(names_.begin(), names_.end(), label);
            if (found == names_.end()) {
                return 0;
            }
            wanted.emplace_back(static_cast<std::size_t>(found - names_.begin()), value);
        }
        return std::erase_if(series_, [&](const auto& entry) {
            return std::all_of(wanted.begin(), wanted.end(), [&](const auto& want) {
                return entry.first[want.first] == want.second;
            });
        });
    }

    void erase(const Labels& labels) {
        const std::scoped_lock guard(lock_);
        series_.erase(full_labels(labels));
    }

    /// Returns true for a gauge that belongs to objects of the source.
    bool is_gauge_of(LabelSource source) const {
        return kind_ == Kind::Gauge && definition_.custom.labels != nullptr &&
               definition_.custom.source == source;
    }

    void set_role(const std::string& role) {
        const std::scoped_lock guard(lock_);
        role_ = role;
        if (kind_ == Kind::Gauge && definition_.has_role) {
            std::erase_if(series_, [this](const auto& entry) {
                return entry.first.back() != role_;
            });
        }
    }

    void print(std::string& out) const {
        // A thread that changes the metric at this moment waits only for the copy, not for the
        // printing.
        const std::vector<Series> all = copy_series();
        if (all.empty()) {
            return;
        }
        out += fmt::format("# HELP {} {}\n", definition_.name, escape(definition_.help, false));
        out += fmt::format("# TYPE {} {}\n", definition_.name, to_text(kind_));
        for (const Series& series : all) {
            if (kind_ == Kind::Histogram) {
                print_histogram(out, series);
            } else {
                print_line(out, "", series, "", print_number(series.value));
            }
        }
    }

  private:
    /// Returns a copy of all series, ordered by their labels.
    std::vector<Series> copy_series() const {
        const std::scoped_lock guard(lock_);
        std::vector<Series> all;
        all.reserve(series_.size());
        for (const auto& [labels, series] : series_) {
            all.push_back(series);
        }
        return all;
    }

    std::string value_of(std::string_view name, const Labels& labels) const {
        const auto found = std::ranges::find(definition_.labels, name);
        SLUICE_ASSERT(found != definition_.labels.end());
        return labels[static_cast<std::size_t>(found - definition_.labels.begin())];
    }

    /// Returns the key under which CustomLabels stores the object that the labels name.
    std::string key_of(const Labels& labels) const {
        switch (definition_.custom.source) {
            case LabelSource::ClusterQueue:
                return value_of(
                    definition_.labels.front() == "preempting_cluster_queue"
                        ? "preempting_cluster_queue"
                        : "cluster_queue",
                    labels
                );
            case LabelSource::Cohort:
                return value_of("cohort", labels);
            case LabelSource::LocalQueue:
                return value_of("namespace", labels) + "/" + value_of("name", labels);
            case LabelSource::Workload:
                break;
        }
        return {};
    }

    Labels full_labels(const Labels& labels) const {
        SLUICE_ASSERT(labels.size() == definition_.labels.size());
        auto out = labels;
        if (definition_.custom.labels != nullptr) {
            std::ranges::copy(
                definition_.custom.labels->kept(definition_.custom.source, key_of(labels)),
                std::back_inserter(out)
            );
        }
        if (definition_.has_role) {
            out.push_back(role_);
        }
        return out;
    }

    void print_histogram(std::string& out, const Series& series) const {
        std::uint64_t total = 0;
        for (std::size_t i = 0; i < series.counts.size(); ++i) {
            total += series.counts[i];
            const bool last = i == definition_.buckets.size();
            const auto bound = last ? std::string("+Inf") : print_number(definition_.buckets[i]);
            print_line(out, "_bucket", series, bound, std::to_string(total));
        }
        print_line(out, "_sum", series, "", print_number(series.value));
        print_line(out, "_count", series, "", std::to_string(total));
    }

    std::string print_pairs(const Labels& labels) const {
        std::string pairs;
        for (const auto i : print_order_) {
            const auto value = escape(labels[i], true);
            pairs += fmt::format("{}{}=\"{}\"", pairs.empty() ? "" : ",", names_[i], value);
        }
        return pairs;
    }

    void print_line(
        std::string& out,
        std::string_view suffix,
        const Series& series,
        std::string_view bound,
        std::string_view value
    ) const {
        out += definition_.name;
        out += suffix;
        if (!series.pairs.empty() || !bound.empty()) {
            out += '{';
            out += series.pairs;
            if (!bound.empty()) {
                out += series.pairs.empty() ? "le=\"" : ",le=\"";
                out += bound;
                out += '"';
            }
            out += '}';
        }
        out += ' ';
        out += value;
        out += '\n';
    }

    mutable std::mutex lock_;
    std::string role_;
    Kind kind_;
    Definition definition_;
    std::vector<std::string> names_;        // labels, custom labels, then the role
    std::vector<std::size_t> print_order_;  // by name
    std::map<Labels, Series> series_;
};

class Registry::Impl {
  public:
    Family& add(Kind kind, Definition definition) {
        const std::scoped_lock guard(lock);
        auto name = definition.name;
        const auto [at, is_new] = families.emplace(
            std::move(name), std::make_unique<Family>(role, kind, std::move(definition))
        );
        SLUICE_ASSERT(is_new);
        return *at->second;
    }

    mutable std::mutex lock;
    std::string role = "standalone";
    std::map<std::string, std::unique_ptr<Family>> families;
    mutable std::size_t page_bytes = 0;  // size of the last page
};

Registry::Registry() : impl_(std::make_unique<Impl>()) {}
Registry::~Registry() = default;

void Registry::set_role(const std::string& role) {
    const std::scoped_lock guard(impl_->lock);
    impl_->role = role;
    for (auto& [name, family] : impl_->families) {
        family->set_role(role);
    }
}

std::size_t Registry::remove(std::string_view prefix, const Match& match) {
    const std::scoped_lock guard(impl_->lock);
    std::size_t removed = 0;
    for (auto& [name, family] : impl_->families) {
        if (name.starts_with(prefix)) {
            removed += family->remove(match);
        }
    }
    return removed;
}

std::size_t Registry::remove_gauges(LabelSource source, const Match& match) {
    const std::scoped_lock guard(impl_->lock);
    std::size_t removed = 0;
    for (auto& [name, family] : impl_->families) {
        if (family->is_gauge_of(source)) {
            removed += family->remove(match);
        }
    }
    return removed;
}

std::string Registry::print() const {
    std::vector<const Family*> families;
    std::string out;
    {
        const std::scoped_lock guard(impl_->lock);
        for (const auto& [name, family] : impl_->families) {
            families.push_back(family.get());  // families are never removed
        }
        out.reserve(impl_->page_bytes + impl_->page_bytes / 8);
    }
    for (const Family* family : families) {
        family->print(out);
    }
    const std::scoped_lock guard(impl_->lock);
    impl_->page_bytes = out.size();
    return out;
}

Counter::Counter(Registry& registry, Definition definition)
    : family_(registry.impl_->add(Kind::Counter, std::move(definition))) {}

void Counter::add(const Labels& labels, double amount) {
    SLUICE_ASSERT(amount >= 0);
    family_.change(labels, [amount](Series& series) { series.value += amount; });
}

void Counter::raise_to(const Labels& labels, double total) {
    family_.change(labels, [total](Series& series) {
        SLUICE_ASSERT(total >= series.value);
        series.value = total;
    });
}

Gauge::Gauge(Registry& registry, Definition definition)
    : family_(registry.impl_->add(Kind::Gauge, std::move(definition))) {}

void Gauge::set(const Labels& labels, double value) {
    family_.change(labels, [value](Series& series) { series.value = value; });
}

void Gauge::add(const Labels& labels, double amount) {
    family_.change(labels, [amount](Series& series) { series.value += amount; });
}

void Gauge::erase(const Labels& labels) {
    family_.erase(labels);
}

Histogram::Histogram(Registry& registry, Definition definition)
    : family_(registry.impl_->add(Kind::Histogram, std::move(definition))) {}

void Histogram::observe(const Labels& labels, double value) {
    family_.observe(labels, value);
}

void Histogram::set(const Labels& labels, const Distribution& counted) {
    family_.set(labels, counted);
}

std::vector<double> default_buckets() {
    return {.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10};
}

std::vector<double> wait_buckets(int count) {
    std::vector<double> out{1};
    for (double bound = 2.5; static_cast<int>(out.size()) < count; bound *= 2) {
        out.push_back(bound);
    }
    return out;
}

std::vector<double> latency_buckets() {
    std::vector<double> out;
    for (double bound = 0.01; out.size() < 11; bound *= 2) {
        out.push_back(bound);
    }
    return out;
}

std::vector<double> machine_buckets() {
    std::vector<double> out;
    // Computed by multiplication like in Prometheus' own clients: some bounds print with its
    // rounding error.
    for (double bound = 10e-9; out.size() < 12; bound *= 10) {
        out.push_back(bound);
    }
    return out;
}

}  // namespace sluice::metrics
