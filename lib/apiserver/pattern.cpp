#include "apiserver/pattern.hpp"

#include <cstdint>
#include <re2/re2.h>
#include <string>

namespace sluice::apiserver {
namespace {

constexpr std::int64_t kMemoryMax = std::int64_t{8} << 20;

class Re2Pattern final : public Pattern {
  public:
    explicit Re2Pattern(std::string_view expression)
        : regex_(re2::StringPiece(expression.data(), expression.size()), options()) {}

    bool is_found_in(std::string_view text) const override {
        return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex_);
    }
    bool ok() const { return regex_.ok(); }
    const std::string& fault() const { return regex_.error(); }

  private:
    static RE2::Options options() {
        RE2::Options options;
        options.set_log_errors(false);
        options.set_max_mem(kMemoryMax);
        return options;
    }
    RE2 regex_;
};

}  // namespace

Result<std::shared_ptr<const Pattern>> Pattern::make(std::string_view expression) {
    auto pattern = std::make_shared<Re2Pattern>(expression);
    if (!pattern->ok()) {
        return make_invalid(pattern->fault());
    }
    return std::shared_ptr<const Pattern>(std::move(pattern));
}

}  // namespace sluice::apiserver
