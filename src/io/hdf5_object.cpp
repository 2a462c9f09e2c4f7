// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <utility>

#include "cisolve/core/error.hpp"
#include "io/hdf5_state.hpp"

namespace cisolve {

Hdf5Object::Hdf5Object(std::shared_ptr<Hdf5FileState> file, std::shared_ptr<Handle> handle, std::string name)
    : file_(std::move(file)), handle_(std::move(handle)), name_(std::move(name)) {}

template <Hdf5Scalar T>
void Hdf5Object::write_attribute(const std::string& name, T value) {
  if constexpr (std::same_as<T, bool>) {
    write_attribute<std::uint8_t>(name, value ? 1 : 0);
  } else {
    hdf5::guarded(*file_, "write attribute '" + name + "' of '" + name_ + "'", [&] {
      const H5::PredType& type = hdf5::native_type<T>();
      handle_->any().createAttribute(name, type, H5::DataSpace(H5S_SCALAR)).write(type, &value);
    });
  }
}

void Hdf5Object::write_attribute(const std::string& name, std::string_view text) {
  hdf5::guarded(*file_, "write attribute '" + name + "' of '" + name_ + "'", [&] {
    const std::string copy(text);
    const hdf5::StringsToWrite strings(std::span(&copy, 1), file_->strings,
                                       hdf5::StringsToWrite::For::attribute);
    const H5::Attribute attribute =
        handle_->any().createAttribute(name, strings.type(), H5::DataSpace(H5S_SCALAR));
    attribute.write(strings.type(), strings.data());
  });
}

bool Hdf5Object::has_attribute(const std::string& name) const {
  return hdf5::guarded(*file_, "read attribute '" + name + "'",
                       [&] { return handle_->any().attrExists(name); });
}

template <Hdf5Attribute T>
T Hdf5Object::read_attribute(const std::string& name) const {
  if constexpr (std::same_as<T, bool>) {
    return read_attribute<std::uint8_t>(name) != 0;
  } else {
    const std::string what = "attribute '" + name + "' of '" + name_ + "'";
    if (!has_attribute(name)) throw InputError("'" + file_->shown_as + "' has no " + what);
    return hdf5::guarded(*file_, "read " + what, [&]() -> T {
      const H5::Attribute attribute = handle_->any().openAttribute(name);
      if (attribute.getSpace().getSimpleExtentNpoints() != 1) {
        throw InputError("'" + file_->shown_as + "': " + what + " is not a single value");
      }
      if constexpr (std::same_as<T, std::string>) {
        if (attribute.getTypeClass() == H5T_STRING) return hdf5::read_strings(attribute, 1).front();
      } else if (hdf5::is_readable_as<T>(attribute)) {
        T value{};
        attribute.read(hdf5::native_type<T>(), &value);
        return value;
      }
      throw InputError("'" + file_->shown_as + "': " + what + " has another type than expected");
    });
  }
}

#define INSTANTIATE(T)                                              \
  template void Hdf5Object::write_attribute(const std::string&, T); \
  template T Hdf5Object::read_attribute(const std::string&) const;
CISOLVE_FOR_ALL_HDF5_NUMBERS(INSTANTIATE)
INSTANTIATE(bool)
#undef INSTANTIATE
template std::string Hdf5Object::read_attribute(const std::string&) const;

}  // namespace cisolve
