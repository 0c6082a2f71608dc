// Reads YAML or JSON documents by the rules of Kubernetes' tools, with line numbers in errors.
#pragma once

#include "base/error.hpp"
#include "json/value.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::yaml {

/// A key that occurs again in the same map.
struct RepeatedKey {
    std::size_t line = 0;  ///< line of the repeated key's value
    std::string key;
};

/// The largest stream that is accepted. Parsing fails with Invalid if a limit is exceeded.
struct Limits {
    std::size_t bytes = std::size_t{256} * 1024 * 1024;
    std::size_t depth = 128;
    /// The number of values that aliases may repeat in one document (a few anchors can expand to
    /// billions).
    std::size_t repeated_values = 100'000;
    /// If set, duplicate keys are recorded here instead of being refused, and the last value wins.
    std::vector<RepeatedKey>* repeated_keys = nullptr;
};

/// One document of a stream, or the error why it cannot be read. An error does not stop the
/// documents after it from being read.
struct Document {
    Result<json::Value> value;
    std::size_t line = 1;  ///< where the document begins
    /// The index in its list, if the document is an item that was passed on separately.
    std::optional<std::size_t> item = std::nullopt;
};

/// Reads all documents of a stream of YAML or JSON, by the rules of Kubernetes' tools: YAML 1.1
/// scalars (`yes` is true, 012 is ten, a quoted scalar is a string), keys become strings, `<<`
/// merges. Documents that hold only comments are left out. Duplicate keys are refused. Errors:
/// Invalid; the detail begins with the line, as in "12: duplicate key 'spec'".
std::vector<Document> parse_documents(std::string_view text, const Limits& limits = {});

using TakeDocument = std::function<void(Document)>;

/// Receives the objects that read_objects() finds.
class ObjectSink {
  public:
    ObjectSink() = default;
    ObjectSink(const ObjectSink&) = delete;
    ObjectSink& operator=(const ObjectSink&) = delete;
    virtual ~ObjectSink() = default;

    /// Takes one document or item, which may be changed and moved from.
    virtual void take(Document& document) = 0;
    /// The documents after this call are items of one list that is still being read.
    virtual void begin_list() = 0;
    /// The list ended without an error: the items since begin_list() are valid.
    virtual void keep_list() = 0;
    /// Discards the items since begin_list(): the document is not such a list or cannot be read
    /// this way. It follows as a whole, or as an error.
    virtual void drop_list() = 0;
};

/// Reads the documents of a stream as parse_documents() does, and passes them on one by one. The
/// items of a list of objects (apiVersion, a kind that ends in List, items) may be passed on in
/// place of the list, so that a large stream does not need memory for all its trees.
void read_objects(std::string_view text, ObjectSink& sink, const Limits& limits = {});

/// Reads a text that must hold exactly one document.
Result<json::Value> parse_document(std::string_view text, const Limits& limits = {});

/// Returns the error of a document with the name of its file: `FILE:12: duplicate key 'spec'`.
Error in_file(Error error, std::string_view file);

}  // namespace sluice::yaml
