#pragma once
/// @file
/// Serialization of the states that noun keeps. A class lists its members once, in `fields`; StateWriter and StateReader walk that
/// list. Instants are relative to an origin, so that a process with another clock can read them.
///
///     static void fields(auto& self, auto& archive) { archive(self.limit_, self.remaining_); }
///
/// A class that may hold what no bytes of ours say has `is_whole()`: whether its deserialized state is consistent.

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <noun/time.hpp>

namespace noun { inline namespace v0 { namespace wire {

/// A container that is written as its size and its elements.
template <class T>
concept Sequence = requires(T all, typename T::value_type one) {
  all.clear();
  all.insert(all.end(), std::move(one));
}
&&!std::same_as<T, std::string>;

/// A pair or a tuple.
template <class T>
concept Tuple = requires { std::tuple_size<T>::value; };

/// The type into which an element is read: a map's key without its const.
template <class T>
struct Readable {
  using type = T;
};
template <class K, class V>
struct Readable<std::pair<const K, V>> {
  using type = std::pair<K, V>;
};

/// Beyond every count of a real quota, and small enough that sums and differences of many counts fit: a state comes from
/// outside, where anything may have written it.
constexpr std::int64_t largest_state_count = 1'000'000'000'000'000;

/// An instant is written as its distance from the origin plus this: 0 and 1 are Instant::max() and Instant::min().
constexpr std::uint64_t first_distance = 2;

/// Writes values. Integers and instants have a variable length. A signed integer is a count, at most largest_state_count.
class StateWriter {
 public:
  explicit StateWriter(Instant origin) noexcept : origin_(origin) {}

  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  /// Reserves memory for so many bytes in all.
  void reserve(std::size_t size) { bytes_.reserve(size); }
  std::string take() noexcept { return std::move(bytes_); }

 private:
  void put_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_.push_back(static_cast<char>(value | 0x80U));
    bytes_.push_back(static_cast<char>(value));
  }
  static constexpr std::uint64_t zigzag(std::int64_t value) noexcept {
    return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63U);
  }
  void put_signed(std::int64_t value) { put_varint(zigzag(value)); }

  void put(bool value) { bytes_.push_back(value ? '\1' : '\0'); }
  template <std::integral T>
  void put(T value) {
    if constexpr (std::is_signed_v<T>)
      put_signed(std::clamp<std::int64_t>(value, -largest_state_count, largest_state_count));
    else
      put_varint(value);
  }
  template <class T>
  requires std::is_enum_v<T>
  void put(T value) { put(static_cast<std::underlying_type_t<T>>(value)); }
  void put(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned shift = 0; shift < 64; shift += 8) bytes_.push_back(static_cast<char>(bits >> shift));
  }
  template <class Rep, class Period>
  void put(std::chrono::duration<Rep, Period> value) {
    put_signed(value.count());
  }
  void put(Instant value) {
    if (value == Instant::max()) return put_varint(0);
    if (value == Instant::min()) return put_varint(1);
    const auto since = static_cast<std::int64_t>(static_cast<std::uint64_t>(value.time_since_epoch().count()) -
                                                 static_cast<std::uint64_t>(origin_.time_since_epoch().count()));
    put_varint(std::min(zigzag(since), std::numeric_limits<std::uint64_t>::max() - first_distance) + first_distance);
  }
  template <class Length>
  void put(std::chrono::sys_time<Length> value) {
    put(value.time_since_epoch());
  }
  void put(std::string_view value) {
    put_varint(value.size());
    bytes_ += value;
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <Sequence T>
  void put(const T& all) {
    put_varint(all.size());
    for (const auto& one : all) put(one);
  }
  template <Tuple T>
  void put(const T& all) {
    std::apply([&](const auto&... one) { (this->put(one), ...); }, all);
  }
  template <class T>
  requires requires(const T& value, StateWriter& writer) { T::fields(value, writer); }
  void put(const T& value) { T::fields(value, *this); }

  Instant origin_;
  std::string bytes_;
};

/// Reads what a StateWriter wrote. ok() is false if the bytes end early or claim more than there is, or a number is out
/// of its range.
class StateReader {
 public:
  StateReader(std::string_view bytes, Instant origin) noexcept : bytes_(bytes), origin_(origin) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  /// Whether all values so far could be read.
  bool ok() const noexcept { return ok_; }
  bool at_end() const noexcept { return bytes_.empty(); }
  /// What has not been read.
  std::string_view rest() const noexcept { return bytes_; }

 private:
  std::uint8_t get_byte() noexcept {
    if (bytes_.empty()) return ok_ = false, std::uint8_t{0};
    const auto byte = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }
  std::uint64_t get_varint() noexcept {
    if (!bytes_.empty() && static_cast<std::uint8_t>(bytes_.front()) < 0x80) return get_byte();
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = get_byte();
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  static constexpr std::int64_t from_zigzag(std::uint64_t value) noexcept {
    return static_cast<std::int64_t>((value >> 1U) ^ (~(value & 1U) + 1));
  }
  std::int64_t get_signed() noexcept { return from_zigzag(get_varint()); }

  void get(bool& value) noexcept {
    const std::uint8_t byte = get_byte();
    ok_ = ok_ && byte <= 1;
    value = byte == 1;
  }
  template <std::integral T>
  void get(T& value) noexcept {
    if constexpr (std::is_signed_v<T>) {
      const std::int64_t count = get_signed();
      ok_ = ok_ && count >= -largest_state_count && count <= largest_state_count && std::in_range<T>(count);
      value = ok_ ? static_cast<T>(count) : T{};
    } else {
      const std::uint64_t number = get_varint();
      ok_ = ok_ && std::in_range<T>(number);
      value = static_cast<T>(number);
    }
  }
  template <class T>
  requires std::is_enum_v<T>
  void get(T& value) noexcept {
    std::underlying_type_t<T> number{};
    get(number);
    value = static_cast<T>(number);
    if constexpr (requires { T::end_of_values; })
      ok_ = ok_ && number < static_cast<std::underlying_type_t<T>>(T::end_of_values);
  }
  void get(double& value) noexcept {
    std::uint64_t bits = 0;
    for (unsigned shift = 0; shift < 64; shift += 8) bits |= static_cast<std::uint64_t>(get_byte()) << shift;
    value = std::bit_cast<double>(bits);
  }
  template <class Rep, class Period>
  void get(std::chrono::duration<Rep, Period>& value) noexcept {
    value = std::chrono::duration<Rep, Period>(static_cast<Rep>(get_signed()));
  }
  void get(Instant& value) noexcept {
    const std::uint64_t number = get_varint();
    if (number >= first_distance)
      value = after(origin_, Duration(from_zigzag(number - first_distance)));
    else
      value = number == 0 ? Instant::max() : Instant::min();
  }
  template <class Length>
  void get(std::chrono::sys_time<Length>& value) noexcept {
    Length since{};
    get(since);
    value = std::chrono::sys_time<Length>(since);
  }
  /// A view of the bytes.
  void get(std::string_view& value) noexcept {
    const std::uint64_t wanted = get_varint();
    if (wanted > bytes_.size()) return void(ok_ = false);
    const auto size = static_cast<std::size_t>(wanted);
    value = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
  }
  void get(std::string& value) {
    std::string_view view;
    get(view);
    value = view;
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool some = false;
    get(some);
    value.reset();
    if (!some) return;
    T one{};
    get(one);
    value = std::move(one);
  }
  template <Sequence T>
  void get(T& all) {
    all.clear();
    for (std::uint64_t left = get_varint(); left > 0 && ok_; --left) {
      if (bytes_.empty()) return void(ok_ = false);
      typename Readable<typename T::value_type>::type one{};
      get(one);
      all.insert(all.end(), std::move(one));
    }
  }
  template <Tuple T>
  void get(T& all) {
    std::apply([&](auto&... one) { (this->get(one), ...); }, all);
  }
  template <class T>
  requires requires(T& value, StateReader& reader) { T::fields(value, reader); }
  void get(T& value) { T::fields(value, *this); }

  std::string_view bytes_;
  Instant origin_;
  bool ok_ = true;
};

}}}  // namespace noun::wire
