#pragma once

#include "apiserver/core.hpp"
#include "apiserver/negotiation.hpp"
#include "apiserver/resource.hpp"
#include "json/value.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::apiserver {

/// Which objects stand in the rows of tables (includeObject).
enum class IncludeObject : std::uint8_t { None, Metadata, Object };

/// Writes objects in the form that a client wants: themselves, their metadata, rows of a table.
class Renderer {
  public:
    Renderer(ResourcePtr resource, std::string version, OutputForm form, IncludeObject include);

    /// One object, whose body is in the renderer's version. `shows_columns`: of a table.
    void object(std::string& out, std::string_view body, Time now, bool shows_columns = true) const;
    /// An object that is a tree, maybe of another kind (a subresource's).
    std::string tree(const json::Value& object, Time now) const;

    /// A list, item by item: begin_list(), items, end_list().
    void begin_list(
        std::string& out,
        std::uint64_t version,
        std::string_view continue_token,
        std::int64_t remaining
    ) const;
    void item(std::string& out, std::string_view body, bool is_first, Time now) const;
    void end_list(std::string& out) const;

    /// A bookmark's object, with the annotation that ends initial events if wanted.
    void bookmark(std::string& out, std::uint64_t version, bool ends_present) const;

    const OutputForm& form() const { return form_; }

  private:
    void row(std::string& out, std::string_view body, Time now) const;
    void columns(std::string& out) const;
    void partial(std::string& out, std::string_view body) const;

    ResourcePtr resource_;
    const ResourceVersion* version_;
    OutputForm form_;
    IncludeObject include_;
    std::string prefix_;
};

}  // namespace sluice::apiserver
