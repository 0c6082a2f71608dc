// An immutable object with several owners, such as the pod template of Workloads.
#pragma once

#include "api/meta/type_info.hpp"

#include <memory>
#include <utility>

namespace sluice::api {

/// An immutable object that equal values can share: thousands of Workloads have a few pod
/// templates. Cheap to copy.
template <class T>
class Shared {
  public:
    Shared() = default;
    Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}
    explicit Shared(std::shared_ptr<const T> value) : value_(std::move(value)) {}

    const T& operator*() const { return value_ != nullptr ? *value_ : empty(); }
    const T* operator->() const { return &**this; }
    /// Returns the shared pointer; equal for values that share one object, nullptr for an empty
    /// object.
    const std::shared_ptr<const T>& pointer() const { return value_; }

    friend bool operator==(const Shared& a, const Shared& b) {
        return a.value_ == b.value_ || *a == *b;
    }

  private:
    static const T& empty() {
        static const T kEmpty{};
        return kEmpty;
    }

    std::shared_ptr<const T> value_;
};

template <class T>
struct Builtin<Shared<T>> {
    static const TypeInfo& type() {
        static const TypeInfo kInfo{
            .shape = Shape::Shared,
            .item = &type_of<T>,
            .each = [](const void* shared, void* context, Visit visit
                    ) { visit(context, {}, &**static_cast<const Shared<T>*>(shared)); },
            .make_shared = []() -> std::shared_ptr<void> { return std::make_shared<T>(); },
            .set_shared =
                [](void* shared, std::shared_ptr<const void> value) {
                    *static_cast<Shared<T>*>(shared) =
                        Shared<T>(std::static_pointer_cast<const T>(std::move(value)));
                },
        };
        return kInfo;
    }
};

}  // namespace sluice::api
