// Writes values as bytes and reads them back; one list of members serves both directions.
#pragma once

#include "base/cow.hpp"
#include "base/small_vector.hpp"
#include "engine/names/pod_sets.hpp"
#include "engine/types/amount.hpp"
#include "engine/types/ids.hpp"
#include "engine/types/objects.hpp"
#include "engine/types/time.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// A struct lists its members in `static constexpr auto members()`. A class with private members
/// passes them to the archive in `static void archive(Archive& archive, Self& self)`, where Self is
/// const if the archive writes.
namespace sluice::engine {

template <class T>
concept Scalar = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, Billionths>;

/// Appends values to a string of bytes.
class ArchiveWriter {
  public:
    static constexpr bool kReads = false;

    template <class... Values>
    void operator()(const Values&... values) {
        (put(values), ...);
    }
    const std::string& bytes() const { return bytes_; }

  private:
    template <Scalar T>
    void put(const T& value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
    template <class Tag>
    void put(const Index<Tag>& value) {
        put(value.value);
    }
    void put(const Amount& value) { put(value.value()); }
    void put(const Time& value) { put(value.time_since_epoch().count()); }
    void put(const Duration& value) { put(value.count()); }
    void put(const std::string& value) {
        put(std::uint64_t{value.size()});
        bytes_ += value;
    }
    template <class A, class B>
    void put(const std::pair<A, B>& value) {
        (*this)(value.first, value.second);
    }
    template <class T>
    void put(const std::optional<T>& value) {
        put(value.has_value());
        if (value) {
            put(*value);
        }
    }
    template <class T, std::size_t Size>
    void put(const std::array<T, Size>& values) {
        for (const T& value : values) {
            put(value);
        }
    }
    void put(const std::vector<bool>& values) {
        put(std::uint64_t{values.size()});
        for (const bool value : values) {
            put(value);
        }
    }
    template <class T>
    void put(const std::vector<T>& values) {
        put_all(values);
    }
    template <class T, std::size_t Inline>
    void put(const SmallVector<T, Inline>& values) {
        put_all(values);
    }
    template <class T, class Less>
    void put(const std::set<T, Less>& values) {
        put_all(values);
    }
    template <class Key, class T, class Less>
    void put(const std::map<Key, T, Less>& values) {
        put_all(values);
    }
    template <class T>
    void put(const CowPtr<T>& value) {
        put(value != nullptr);
        if (value != nullptr) {
            put(*value);
        }
    }
    template <class T>
    void put(const Cow<T>& value) {
        put(*value);
    }
    template <class T, std::size_t ChunkSize>
    void put(const CowVector<T, ChunkSize>& values) {
        put(std::uint64_t{values.size()});
        for (std::size_t at = 0; at < values.size(); ++at) {
            put(values[at]);
        }
    }
    template <class T>
    void put(const T& value) {
        if constexpr (requires { T::members(); }) {
            std::apply([&](auto... members) { (put(value.*members), ...); }, T::members());
        } else {
            T::archive(*this, value);
        }
    }
    template <class Values>
    void put_all(const Values& values) {
        put(std::uint64_t{values.size()});
        for (const auto& value : values) {
            put(value);
        }
    }

    std::string bytes_;
};

/// Reads values from bytes, in the order in which they were written. Requires: an ArchiveWriter
/// wrote the bytes. Callers that cannot be sure compare a checksum first.
class ArchiveReader {
  public:
    static constexpr bool kReads = true;

    explicit ArchiveReader(std::string_view bytes) : bytes_(bytes) {}

    template <class... Values>
    void operator()(Values&... values) {
        (get(values), ...);
    }
    /// The podSets of the pool that was read last, by number.
    std::vector<PodSets> pod_sets;

    /// Returns true if there were bytes for every value.
    bool is_sound() const { return is_sound_; }
    /// Records that a value makes no sense.
    void fail() { is_sound_ = false; }
    /// Returns true if every byte was read.
    bool is_at_end() const { return bytes_.empty(); }

  private:
    template <Scalar T>
    void get(T& value) {
        if (bytes_.size() < sizeof(value)) {
            is_sound_ = false;
            bytes_ = {};
            value = T();
            return;
        }
        std::memcpy(&value, bytes_.data(), sizeof(value));
        bytes_.remove_prefix(sizeof(value));
    }
    /// Returns a number of items that follow, each of at least one byte; 0 if so many cannot.
    std::size_t take_size() {
        const auto size = take<std::uint64_t>();
        is_sound_ = is_sound_ && size <= bytes_.size();
        return is_sound_ ? static_cast<std::size_t>(size) : 0;
    }
    template <class T>
    T take() {
        T value{};
        get(value);
        return value;
    }
    template <class Tag>
    void get(Index<Tag>& value) {
        get(value.value);
    }
    void get(Amount& value) { value = Amount(take<std::int64_t>()); }
    void get(Time& value) { value = Time(take<Duration>()); }
    void get(Duration& value) { value = Duration(take<Duration::rep>()); }
    void get(std::string& value) {
        const std::size_t size = take_size();
        value = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
    }
    template <class A, class B>
    void get(std::pair<A, B>& value) {
        (*this)(value.first, value.second);
    }
    template <class T>
    void get(std::optional<T>& value) {
        value.reset();
        if (take<bool>()) {
            get(value.emplace());
        }
    }
    template <class T, std::size_t Size>
    void get(std::array<T, Size>& values) {
        for (T& value : values) {
            get(value);
        }
    }
    void get(std::vector<bool>& values) {
        values.resize(take_size());
        for (std::size_t at = 0; at < values.size(); ++at) {
            values[at] = take<bool>();
        }
    }
    template <class T>
    void get(std::vector<T>& values) {
        get_all(values);
    }
    template <class T, std::size_t Inline>
    void get(SmallVector<T, Inline>& values) {
        get_all(values);
    }
    template <class T, class Less>
    void get(std::set<T, Less>& values) {
        values.clear();
        for (auto left = take_size(); left > 0; --left) {
            values.insert(values.end(), take<T>());
        }
    }
    template <class Key, class T, class Less>
    void get(std::map<Key, T, Less>& values) {
        values.clear();
        for (auto left = take_size(); left > 0; --left) {
            auto key = take<Key>();
            get(values.emplace_hint(values.end(), std::move(key), T())->second);
        }
    }
    template <class T>
    void get(CowPtr<T>& value) {
        value.reset();
        if (take<bool>()) {
            value = CowPtr<T>::make();
            get(value.write());
        }
    }
    template <class T>
    void get(Cow<T>& value) {
        get(value.write());
    }
    template <class T, std::size_t ChunkSize>
    void get(CowVector<T, ChunkSize>& values) {
        values.resize(0);
        values.resize(take_size());
        for (std::size_t at = 0; at < values.size(); ++at) {
            get(values.write(at));
        }
    }
    template <class T>
    void get(T& value) {
        if constexpr (requires { T::members(); }) {
            std::apply([&](auto... members) { (get(value.*members), ...); }, T::members());
        } else {
            T::archive(*this, value);
        }
    }
    template <class Values>
    void get_all(Values& values) {
        values.clear();
        values.resize(take_size());
        for (auto& value : values) {
            get(value);
        }
    }

    std::string_view bytes_;
    bool is_sound_ = true;
};

}  // namespace sluice::engine
