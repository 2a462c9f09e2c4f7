// SPDX-License-Identifier: MIT
#pragma once

#include <H5Cpp.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cisolve/io/hdf5_file.hpp"

namespace cisolve {

/// What all handles to one open file share.
struct Hdf5FileState {
  std::string shown_as;
  bool writing = false;
  Hdf5Strings strings = Hdf5Strings::variable_length;
  bool failed = false;  ///< a write failed; the file on disk is worthless
  H5::H5File file;
  /// Datasets stay open until the file is flushed: the library cannot recover from a disk that fills
  /// up while a dataset is being closed.
  std::vector<H5::DataSet> datasets;

  ~Hdf5FileState();

  /// Flushes and closes. @throws SystemError if that fails while writing
  void close();

  /// After a failed write: lets the library's remaining writes go to anonymous memory. It cannot
  /// drop them, and crashes at exit if they keep failing.
  void divert() noexcept;

  /// Turns the exception being handled into ours. `action` as in "write '/states/energy'".
  [[noreturn]] void raise(const std::string& action);
};

/// An open group or dataset.
struct Hdf5Object::Handle {
  std::variant<H5::Group, H5::DataSet> object;

  H5::Group& group() { return std::get<H5::Group>(object); }
  H5::DataSet& dataset() { return std::get<H5::DataSet>(object); }
  H5::H5Object& any() {
    return std::visit([](auto& held) -> H5::H5Object& { return held; }, object);
  }
};

/// Calls a macro for each type of Hdf5Number.
#define CISOLVE_FOR_ALL_HDF5_NUMBERS(f) \
  f(std::int32_t) f(std::int64_t) f(std::uint8_t) f(std::uint64_t) f(double)

namespace hdf5 {

/// Keeps the library from printing, and notes why its last call failed. Called when files open.
void capture_errors();

/// "No space left on device" where the system gave a reason, else the library's innermost message.
const std::string& last_error();
void forget_error();

/// Runs `f`; exceptions of the library become ours.
template <class F>
auto guarded(Hdf5FileState& state, const std::string& action, F&& f) -> decltype(f()) {
  forget_error();
  try {
    return std::forward<F>(f)();
  } catch (const H5::Exception&) {
    state.raise(action);
  }
}

/// The native type of T in memory.
template <class T>
const H5::PredType& native_type();

/// Whether values of `stored` fit T as they are.
template <class T>
bool is_readable_as(const H5::AbstractDs& object);

/// Reads `count` strings of fixed or variable length.
std::vector<std::string> read_strings(const H5::Attribute& attribute, std::size_t count);
std::vector<std::string> read_strings(const H5::DataSet& dataset, std::size_t count);

/// Strings as the library takes them when writing: UTF-8, pointers or padded with nulls.
class StringsToWrite {
public:
  StringsToWrite(std::span<const std::string> values, Hdf5Strings storage);
  const H5::StrType& type() const { return type_; }
  const void* data() const {
    return pointers_.empty() ? static_cast<const void*>(padded_.data()) : pointers_.data();
  }

private:
  H5::StrType type_;
  std::vector<const char*> pointers_;
  std::string padded_;
};

}  // namespace hdf5
}  // namespace cisolve
