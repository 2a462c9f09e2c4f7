// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/core/error.hpp"
#include "cisolve/core/matrix.hpp"

// Values on their way to another process of the same program: one function lists the members of a type for both ways,
//   template <class Packet> void pass(Packet& packet, Type& value) { packet(value.first, value.second); }
// where Packet is PacketWriter or PacketReader.

namespace cisolve {

/// Appends values.
class PacketWriter {
public:
  static constexpr bool reads = false;

  template <class... T>
  void operator()(const T&... values) {
    (write(values), ...);
  }
  /// Room for so many bytes, which then are not copied as it grows.
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  std::vector<std::byte> take() { return std::move(bytes_); }

private:
  void append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void write(const T& value) { append(&value, sizeof value); }
  template <class T>
  void write(const std::optional<T>& value) requires(!std::is_trivially_copyable_v<std::optional<T>>) {
    write(value.has_value());
    if (value) write(*value);
  }
  template <class T>
  void write(const std::vector<T>& values) {
    write(values.size());
    if constexpr (std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>) {
      append(values.data(), values.size() * sizeof(T));
    } else {
      for (const auto& value : values) write(static_cast<const T&>(value));
    }
  }
  void write(const std::string& text) {
    write(text.size());
    append(text.data(), text.size());
  }
  void write(const Matrix& matrix) {
    write(matrix.rows());
    write(matrix.columns());
    append(matrix.data(), sizeof(double) * static_cast<std::size_t>(matrix.rows()) *
                              static_cast<std::size_t>(matrix.columns()));
  }
  template <class T>
  void write(const Array<T>& values) {
    write(values.size());
    append(values.data(), values.size_bytes());
  }
  template <class T>
  requires(!std::is_trivially_copyable_v<T>) void write(const T& value) {
    pass(*this, const_cast<T&>(value));
  }  // which a writer does not change

  std::vector<std::byte> bytes_;
};

/// Takes them out again, in the same order.
class PacketReader {
public:
  static constexpr bool reads = true;

  /// @param bytes  must outlive this object
  explicit PacketReader(std::span<const std::byte> bytes) : left_(bytes) {}

  /// @throws SystemError  there are no more
  template <class... T>
  void operator()(T&... values) {
    (read(values), ...);
  }
  template <class T>
  T get() {
    T value{};
    read(value);
    return value;
  }

private:
  void take(void* to, std::size_t size) {
    if (size > left_.size()) throw SystemError("a message of another process ends too early");
    if (size > 0) std::memcpy(to, left_.data(), size);
    left_ = left_.subspan(size);
  }
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void read(T& value) { take(&value, sizeof value); }
  template <class T>
  void read(std::optional<T>& value) requires(!std::is_trivially_copyable_v<std::optional<T>>) {
    value.reset();
    if (get<bool>()) read(value.emplace());
  }
  template <class T>
  void read(std::vector<T>& values) {
    const auto size = get<std::size_t>();
    if (size > left_.size()) throw SystemError("a message of another process ends too early");
    values.resize(size);
    if constexpr (std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>) {
      take(values.data(), size * sizeof(T));
    } else {
      for (std::size_t k = 0; k < size; ++k) values[k] = get<T>();
    }
  }
  void read(std::string& text) {
    text.resize(get<std::size_t>());
    take(text.data(), text.size());
  }
  void read(Matrix& matrix) {
    const auto rows = get<int>();
    matrix = Matrix(rows, get<int>());
    take(matrix.data(), sizeof(double) * static_cast<std::size_t>(matrix.rows()) *
                            static_cast<std::size_t>(matrix.columns()));
  }
  template <class T>
  void read(Array<T>& values) {
    const auto size = get<std::size_t>();
    if (size > left_.size()) throw SystemError("a message of another process ends too early");
    values = Array<T>(size);
    take(values.data(), values.size_bytes());
  }
  template <class T>
  requires(!std::is_trivially_copyable_v<T>) void read(T& value) { pass(*this, value); }

  std::span<const std::byte> left_;
};

}  // namespace cisolve
