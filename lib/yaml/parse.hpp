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

/// A key that a map has already when it comes.
struct RepeatedKey {
    std::size_t line = 0;  ///< of its value
    std::string key;
};

/// What a stream may at most be; beyond it parsing fails with Invalid.
struct Limits {
    std::size_t bytes = std::size_t{256} * 1024 * 1024;
    std::size_t depth = 128;
    /// Values that aliases may repeat in one document (a few anchors can stand for billions).
    std::size_t repeated_values = 100'000;
    /// Where there is a place for them, duplicate keys are noted there instead of refused, and the
    /// last value is taken.
    std::vector<RepeatedKey>* repeated_keys = nullptr;
};

/// One document of a stream, or why it cannot be read. A bad one does not keep the others from
/// being read.
struct Document {
    Result<json::Value> value;
    std::size_t line = 1;  ///< where the document begins
    /// Of an item that is handed on alone, its place in the list.
    std::optional<std::size_t> item = std::nullopt;
};

/// Reads all documents of a stream of YAML or JSON, by the rules of Kubernetes' tools: YAML 1.1
/// scalars
/// (`yes` is true, 012 is ten, a quoted scalar is a string), keys become strings, `<<` merges.
/// Documents of nothing but comments are left out; duplicate keys are refused. Errors: Invalid; the
/// detail begins with the line, as in "12: duplicate key 'spec'".
std::vector<Document> parse_documents(std::string_view text, const Limits& limits = {});

using TakeDocument = std::function<void(Document)>;

/// Gets what read_objects() finds.
class ObjectSink {
  public:
    ObjectSink() = default;
    ObjectSink(const ObjectSink&) = delete;
    ObjectSink& operator=(const ObjectSink&) = delete;
    virtual ~ObjectSink() = default;

    /// The document may be changed and moved from.
    virtual void take(Document& document) = 0;
    /// What follows are items of one list, which is not read to its end yet.
    virtual void begin_list() = 0;
    /// The list is read to its end: what was taken since begin_list() stands.
    virtual void keep_list() = 0;
    /// What was taken since begin_list() is void: the list cannot be read as it began. It comes
    /// again another way, or as an error.
    virtual void drop_list() = 0;
};

/// Reads the documents of a stream as parse_documents does and hands them on one after the other;
/// of a list of objects (apiVersion, a kind that ends in List, items) it may hand on the items
/// instead, each as if it were a document. A large stream needs no room for all its trees then.
void read_objects(std::string_view text, ObjectSink& sink, const Limits& limits = {});

/// Reads a text that must hold exactly one document.
Result<json::Value> parse_document(std::string_view text, const Limits& limits = {});

}  // namespace sluice::yaml
