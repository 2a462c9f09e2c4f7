// SPDX-License-Identifier: MIT
#pragma once

#include <H5Cpp.h>

#include <complex>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "cisolve/io/hdf5_file.hpp"
#include "io/hdf5_driver.hpp"
#include "io/sealed_bytes.hpp"

namespace cisolve {

/// What all handles to one open file share.
struct Hdf5FileState {
  /// @param bytes     the content of the file
  /// @param shown_as  its name in messages
  /// @param access    as the library has it: H5F_ACC_TRUNC, H5F_ACC_RDONLY, H5F_ACC_RDWR
  Hdf5FileState(SealedBytes bytes, std::string shown_as, unsigned access);
  ~Hdf5FileState();

  /// Closes, and seals what was written. @throws SystemError if that fails while writing
  void close();

  /// Turns the exception being handled, or what went wrong with the bytes, into ours. `action` as in "write
  /// '/states/energy'".
  [[noreturn]] void raise(const std::string& action);

  /// A label with the name that its unit has in this file.
  Hdf5Label renamed(const Hdf5Label& label) const {
    const auto unit = units.find(label.unit);
    return unit == units.end() ? label : Hdf5Label{unit->second, label.description};
  }

  std::map<std::string, std::string> units = {};  ///< names of units that are others in this file
  std::string shown_as;
  bool writing;
  Hdf5Strings strings = Hdf5Strings::variable_length;
  SealedBytes bytes;
  hdf5::Driver driver;
  std::unique_ptr<H5::H5File> file;
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

/// Calls a macro for each type of Hdf5Number, or of Hdf5Element.
#define CISOLVE_FOR_ALL_HDF5_NUMBERS(f) \
  f(std::int32_t) f(std::int64_t) f(std::uint8_t) f(std::uint16_t) f(std::uint64_t) f(double)
#define CISOLVE_FOR_ALL_HDF5_ELEMENTS(f) CISOLVE_FOR_ALL_HDF5_NUMBERS(f) f(std::complex<double>)

namespace hdf5 {

/// Keeps the library from printing, and notes why its last call failed. Called when files open.
void capture_errors();

/// "No space left on device" where the system gave a reason, else the library's innermost message.
const std::string& last_error();
/// Whether it said that memory was refused.
bool is_out_of_memory();
void forget_error();

/// Runs `f`; exceptions of the library become ours. The library may hide that bytes could not be read or written,
/// so that is asked for too.
template <class F>
auto guarded(Hdf5FileState& state, const std::string& action, F&& f) -> decltype(f()) {
  forget_error();
  try {
    if constexpr (std::is_void_v<decltype(f())>) {
      std::forward<F>(f)();
      if (state.bytes.has_failed()) state.raise(action);
    } else {
      auto result = std::forward<F>(f)();
      if (state.bytes.has_failed()) state.raise(action);
      return result;
    }
  } catch (const H5::Exception&) {
    state.raise(action);
  }
}

/// The native type of T in memory, which is what new datasets get.
template <class T>
H5::DataType native_type();

/// Whether what is stored fits T as it is.
template <class T>
bool is_readable_as(const H5::AbstractDs& object);

/// Whether a compound stands for complex numbers: two floating-point members of up to 64 bits.
bool is_complex(const H5::CompType& type);

/// The complex doubles in memory that a compound is converted to, which goes by the names of its members.
H5::DataType complex_in_memory(const H5::CompType& stored);

/// @throws H5::Exception if it holds neither text nor numbers
Hdf5Content content_of(const H5::AbstractDs& object);

/// Reads `count` strings of fixed or variable length.
std::vector<std::string> read_strings(const H5::Attribute& attribute, std::size_t count);
std::vector<std::string> read_strings(const H5::DataSet& dataset, std::size_t count);

/// Strings as the library takes them when writing: UTF-8 unless they are to be ASCII, pointers or padded with nulls.
class StringsToWrite {
public:
  enum class For { attribute, dataset };
  StringsToWrite(std::span<const std::string> values, Hdf5Strings storage, For what);
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
