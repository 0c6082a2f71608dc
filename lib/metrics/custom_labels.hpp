// Custom labels of metrics, taken from labels and annotations of objects.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::metrics {

/// The kind of objects whose labels or annotations become labels of metrics
/// (metrics.customLabels[].sourceKind).
enum class LabelSource : std::uint8_t { ClusterQueue, Cohort, LocalQueue, Workload };

/// A label or annotation of objects that becomes the label `custom_<name>` of their metrics.
struct CustomLabel {
    std::string name;
    LabelSource source = LabelSource::ClusterQueue;
    std::string label_key;
    std::string annotation_key;               ///< empty: the label is read
    std::vector<std::string> tracked_values;  ///< empty: all values
};

/// The custom labels of metrics, with the values of each queue and cohort. The value is empty if
/// the object does not have the label. A value that is not tracked is replaced by a fixed text.
/// *Thread*: a single one, which also changes all metrics that have such labels.
class CustomLabels {
  public:
    using Texts = std::map<std::string, std::string>;

    CustomLabels() = default;
    explicit CustomLabels(std::vector<CustomLabel> labels);

    /// Returns the names of the custom labels of such objects, with their prefix, in the order of
    /// the file.
    std::vector<std::string> names(LabelSource source) const;
    /// Returns true if objects of the source have custom labels.
    bool has(LabelSource source) const { return !of(source).labels.empty(); }
    /// Returns the values of such an object, one for each name.
    std::vector<std::string> values(
        LabelSource source, const Texts& labels, const Texts& annotations
    ) const;

    /// Stores the values of an object under the key that its metrics use: its name, or
    /// `namespace/name` for a LocalQueue. Returns true if the stored values changed.
    bool store(
        LabelSource source, const std::string& key, const Texts& labels, const Texts& annotations
    );
    /// Removes the stored values of a deleted object.
    void forget(LabelSource source, const std::string& key);
    /// Returns the stored values; empty texts if none were stored.
    std::vector<std::string> kept(LabelSource source, const std::string& key) const;

  private:
    struct OfSource {
        std::vector<CustomLabel> labels;
        std::map<std::string, std::vector<std::string>> kept;  ///< by key
    };
    const OfSource& of(LabelSource source) const {
        return sources_[static_cast<std::size_t>(source)];
    }

    std::array<OfSource, 4> sources_;
};

}  // namespace sluice::metrics
