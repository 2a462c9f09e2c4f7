// SPDX-License-Identifier: MIT
#include "io/hdf5_state.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <type_traits>
#include <utility>

#include "cisolve/core/error.hpp"
#include "io/hdf5_space.hpp"

namespace cisolve {
namespace hdf5 {
namespace {

thread_local std::string error_reason;
thread_local bool error_is_memory = false;

}  // namespace

void forget_error() {
  error_reason.clear();
  error_is_memory = false;
}

namespace {

extern "C" {

static herr_t note_error(unsigned level, const H5E_error2_t* error, void* /*data*/) try {
  if (error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC) error_is_memory = true;
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
} catch (...) {
  error_is_memory = true;  // No exception passes the library; an error without its reason is one still.
  return 0;
}

static herr_t note_errors(hid_t stack, void* /*data*/) {
  forget_error();
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
    if (type.getStrpad() == H5T_STR_SPACEPAD)
      result[i].erase(result[i].find_last_not_of(' ') + 1);  // Fortran
  }
  return result;
}

}  // namespace

void capture_errors() { H5Eset_auto2(H5E_DEFAULT, note_errors, nullptr); }

const std::string& last_error() { return error_reason; }

bool is_out_of_memory() { return error_is_memory; }

bool is_complex(const H5::CompType& type) {
  if (type.getNmembers() != 2) return false;
  for (const unsigned member : {0U, 1U}) {
    if (type.getMemberClass(member) != H5T_FLOAT || type.getMemberDataType(member).getSize() > sizeof(double))
      return false;
  }
  return true;
}

H5::DataType complex_in_memory(const H5::CompType& stored) {
  H5::CompType type(sizeof(std::complex<double>));
  type.insertMember(stored.getMemberName(0), 0, H5::PredType::NATIVE_DOUBLE);
  type.insertMember(stored.getMemberName(1), sizeof(double), H5::PredType::NATIVE_DOUBLE);
  return type;
}

template <class T>
H5::DataType native_type() {
  if constexpr (std::is_same_v<T, std::int32_t>) return H5::PredType::NATIVE_INT32;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5::PredType::NATIVE_INT64;
  if constexpr (std::is_same_v<T, std::uint8_t>) return H5::PredType::NATIVE_UINT8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return H5::PredType::NATIVE_UINT16;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5::PredType::NATIVE_UINT64;
  if constexpr (std::is_same_v<T, double>) return H5::PredType::NATIVE_DOUBLE;
  if constexpr (std::is_same_v<T, std::complex<double>>) {
    H5::CompType type(sizeof(T));
    type.insertMember("r", 0, H5::PredType::NATIVE_DOUBLE);
    type.insertMember("i", sizeof(double), H5::PredType::NATIVE_DOUBLE);
    return type;
  }
}

Hdf5Content content_of(const H5::AbstractDs& object) {
  using Kind = Hdf5Content::Kind;
  Hdf5Content content;
  content.shape = shape_of(object.getSpace());
  const H5T_class_t found = object.getTypeClass();
  if (found == H5T_STRING) return content;
  if (found == H5T_COMPOUND && is_complex(object.getCompType())) {
    const H5::CompType type = object.getCompType();
    content.kind = Kind::complex;
    content.bytes = std::min(type.getMemberDataType(0).getSize(), type.getMemberDataType(1).getSize());
  } else if (found == H5T_FLOAT) {
    content.kind = Kind::real;
    content.bytes = object.getFloatType().getSize();
  } else if (found == H5T_INTEGER) {
    content.kind = Kind::integer;
    content.bytes = object.getIntType().getSize();
    content.is_signed = object.getIntType().getSign() == H5T_SGN_2;
  } else {
    throw H5::DataTypeIException("content_of", "neither text nor numbers");
  }
  return content;
}

template <class T>
bool is_readable_as(const H5::AbstractDs& object) {
  if constexpr (std::is_same_v<T, std::complex<double>>) {
    const Hdf5Content content = content_of(object);
    return content.kind == Hdf5Content::Kind::complex ||
           (is_readable_as<double>(object) && !content.shape.empty() && content.shape.back() == 2);
  } else if constexpr (std::is_floating_point_v<T>) {
    return object.getTypeClass() == H5T_FLOAT && object.getFloatType().getSize() <= sizeof(T);
  } else {
    if (object.getTypeClass() != H5T_INTEGER) return false;
    const H5::IntType type = object.getIntType();
    const bool is_signed = type.getSign() == H5T_SGN_2;
    return type.getSize() <= sizeof(T) && is_signed == std::is_signed_v<T>;
  }
}
#define INSTANTIATE(T)                    \
  template H5::DataType native_type<T>(); \
  template bool is_readable_as<T>(const H5::AbstractDs&);
CISOLVE_FOR_ALL_HDF5_ELEMENTS(INSTANTIATE)
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

StringsToWrite::StringsToWrite(std::span<const std::string> values, Hdf5Strings storage, For what) {
  const bool is_ascii = storage == Hdf5Strings::ascii;
  if (storage == Hdf5Strings::variable_length || (is_ascii && what == For::dataset)) {
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
  type_.setCset(is_ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8);
}

}  // namespace hdf5

Hdf5FileState::Hdf5FileState(SealedBytes content, std::string name, unsigned access)
    : shown_as(std::move(name)), writing(access != H5F_ACC_RDONLY), bytes(std::move(content)), driver(bytes) {
  hdf5::capture_errors();
  const bool is_new = access == H5F_ACC_TRUNC;
  hdf5::guarded(*this, is_new ? "create the HDF5 file" : "read the HDF5 structure", [&] {
    H5::FileAccPropList properties;
    // Handles that are still alive must not keep a closed file open.
    properties.setFcloseDegree(H5F_CLOSE_STRONG);
    // Metadata with checksums, readable by HDF5 1.8 and later; virtual datasets alone need 1.10.
    properties.setLibverBounds(H5F_LIBVER_V18, H5F_LIBVER_V110);
    driver.set(properties);
    file = std::make_unique<H5::H5File>(shown_as, access, H5::FileCreatPropList::DEFAULT, properties);
  });
}

Hdf5FileState::~Hdf5FileState() {
  try {
    close();
  } catch (const std::exception&) {
    // Unwinding, or a reader: whoever needs to know calls close() before.
  }
}

void Hdf5FileState::close() {
  if (!file || file->getId() <= 0) return;
  try {
    hdf5::guarded(*this, writing ? "write" : "close", [&] { file->close(); });
  } catch (...) {
    // The destructor would close it again, in which the library crashes.
    if (file->getId() > 0) static_cast<void>(file.release());
    throw;
  }
  bytes.seal();
  if (bytes.has_failed()) raise("write");
}

void Hdf5FileState::raise(const std::string& action) {
  if (writing) bytes.give_up();
  if (bytes.has_failed()) bytes.raise_failure(action, shown_as);
  // Not all of the library's messages say so.
  if (hdf5::is_out_of_memory() || (writing && errno == ENOMEM))
    throw ResourceError("cannot " + action + (writing ? " in '" : " of '") + shown_as +
                        "': the system refused memory that this takes");
  std::string reason = hdf5::last_error();
  if (reason.empty()) reason = "the HDF5 library failed";
  if (writing) throw SystemError("cannot " + action + " in '" + shown_as + "': " + reason);
  throw InputError("cannot " + action + " of '" + shown_as +
                   "', the file is damaged or of another kind: " + reason);
}

}  // namespace cisolve
