// SPDX-License-Identifier: MIT
#include "io/hdf5_state.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace hdf5 {
namespace {

thread_local std::string error_reason;

extern "C" {

static herr_t note_error(unsigned level, const H5E_error2_t* error, void* /*data*/) {
  if (error->desc == nullptr) return 0;
  const std::string_view text(error->desc);
  constexpr std::string_view marker = "error message = '";
  const auto at = text.find(marker);
  if (at != std::string_view::npos) {
    const auto first = at + marker.size();
    error_reason = text.substr(first, text.find('\'', first) - first);
  } else if (level == 0) {
    error_reason = text;
  }
  return 0;
}

static herr_t note_errors(hid_t stack, void* /*data*/) {
  error_reason.clear();
  return H5Ewalk2(stack, H5E_WALK_UPWARD, note_error, nullptr);
}

}  // extern "C"

/// Reads strings through the library's C types: its std::string functions trust what they find.
template <class Read>
std::vector<std::string> read_strings_with(const H5::StrType& type, const H5::DataSpace& space,
                                           std::size_t count, Read&& read) {
  std::vector<std::string> result(count);
  if (count == 0) return result;
  if (type.isVariableStr()) {
    std::vector<char*> pointers(count, nullptr);
    read(pointers.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (pointers[i] != nullptr) result[i] = pointers[i];
    }
    H5Dvlen_reclaim(type.getId(), space.getId(), H5P_DEFAULT, pointers.data());
    return result;
  }
  const std::size_t length = type.getSize();
  std::vector<char> text(count * length);
  read(text.data());
  for (std::size_t i = 0; i < count; ++i) {
    const char* first = text.data() + i * length;
    result[i].assign(first, std::find(first, first + length, '\0'));
  }
  return result;
}

}  // namespace

void capture_errors() { H5Eset_auto2(H5E_DEFAULT, note_errors, nullptr); }

const std::string& last_error() { return error_reason; }

void forget_error() { error_reason.clear(); }

template <class T>
const H5::PredType& native_type() {
  if constexpr (std::is_same_v<T, std::int32_t>) return H5::PredType::NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5::PredType::NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5::PredType::NATIVE_UINT8;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5::PredType::NATIVE_UINT64;
  if constexpr (std::is_same_v<T, double>) return H5::PredType::NATIVE_DOUBLE;
}

template <class T>
bool is_readable_as(const H5::AbstractDs& object) {
  if constexpr (std::is_floating_point_v<T>) {
    return object.getTypeClass() == H5T_FLOAT && object.getFloatType().getSize() <= sizeof(T);
  } else {
    if (object.getTypeClass() != H5T_INTEGER) return false;
    const H5::IntType type = object.getIntType();
    const bool is_signed = type.getSign() == H5T_SGN_2;
    return type.getSize() <= sizeof(T) && is_signed == std::is_signed_v<T>;
  }
}
#define INSTANTIATE(T)                           \
  template const H5::PredType& native_type<T>(); \
  template bool is_readable_as<T>(const H5::AbstractDs&);
CISOLVE_FOR_ALL_HDF5_NUMBERS(INSTANTIATE)
#undef INSTANTIATE

std::vector<std::string> read_strings(const H5::Attribute& attribute, std::size_t count) {
  const H5::StrType type = attribute.getStrType();
  return read_strings_with(type, attribute.getSpace(), count,
                           [&](void* buffer) { attribute.read(type, buffer); });
}

std::vector<std::string> read_strings(const H5::DataSet& dataset, std::size_t count) {
  const H5::StrType type = dataset.getStrType();
  return read_strings_with(type, dataset.getSpace(), count,
                           [&](void* buffer) { dataset.read(buffer, type); });
}

StringsToWrite::StringsToWrite(std::span<const std::string> values, Hdf5Strings storage) {
  if (storage == Hdf5Strings::variable_length) {
    type_ = H5::StrType(H5::PredType::C_S1, H5T_VARIABLE);
    for (const std::string& value : values) pointers_.push_back(value.c_str());
  } else {
    std::size_t length = 1;  // the library has no empty type
    for (const std::string& value : values) length = std::max(length, value.size());
    type_ = H5::StrType(H5::PredType::C_S1, length);
    type_.setStrpad(H5T_STR_NULLPAD);
    for (const std::string& value : values) {
      padded_ += value;
      padded_.append(length - value.size(), '\0');
    }
  }
  type_.setCset(H5T_CSET_UTF8);
}

}  // namespace hdf5

Hdf5FileState::~Hdf5FileState() {
  try {
    close();
  } catch (const Error&) {
    // Unwinding, or a reader: whoever needs to know calls close() before.
  }
}

void Hdf5FileState::close() {
  if (file.getId() <= 0) return;
  if (writing && !failed) {
    hdf5::guarded(*this, "write", [&] { file.flush(H5F_SCOPE_GLOBAL); });
  }
  hdf5::guarded(*this, "close", [&] {
    datasets.clear();
    file.close();
  });
}

void Hdf5FileState::divert() noexcept {
  failed = true;
  void* handle = nullptr;
  if (H5Fget_vfd_handle(file.getId(), H5P_DEFAULT, &handle) < 0 || handle == nullptr) return;
  int descriptor = -1;
  std::memcpy(&descriptor, handle, sizeof descriptor);
  const int memory = ::memfd_create("cisolve-failed-write", MFD_CLOEXEC);
  if (memory < 0) return;
  ::dup2(memory, descriptor);
  ::close(memory);
  // A failed flush leaves HDF5 1.10 in the middle of it ("slist already enabled"): closing would fail,
  // but another attempt, failed or not, puts that right.
  H5Fflush(file.getId(), H5F_SCOPE_GLOBAL);
}

void Hdf5FileState::raise(const std::string& action) {
  std::string reason = hdf5::last_error();
  if (reason.empty()) reason = "the HDF5 library failed";
  if (writing) {
    if (!failed) divert();
    throw SystemError("cannot " + action + " in '" + shown_as + "': " + reason);
  }
  throw InputError("cannot " + action + " of '" + shown_as +
                   "', the file is damaged or of another kind: " + reason);
}

}  // namespace cisolve
