// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cisolve/core/error.hpp"
#include "io/hdf5_space.hpp"
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
      const H5::DataType type = hdf5::native_type<T>();
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

/// Calls f with an attribute and how messages name it.
template <class F>
auto Hdf5Object::with_attribute(const std::string& name, F&& f) const {
  const std::string what = "attribute '" + name + "' of '" + name_ + "'";
  if (!has_attribute(name)) throw InputError("'" + file_->shown_as + "' has no " + what);
  return hdf5::guarded(*file_, "read " + what, [&] { return f(handle_->any().openAttribute(name), what); });
}

Hdf5Content Hdf5Object::attribute_content(const std::string& name) const {
  return with_attribute(
      name, [](const H5::Attribute& attribute, const std::string&) { return hdf5::content_of(attribute); });
}

template <Hdf5Attribute T>
requires(!std::same_as<T, bool>) std::vector<T> Hdf5Object::read_attribute_values(const std::string& name)
const {
  return with_attribute(name, [&](const H5::Attribute& attribute, const std::string& what) -> std::vector<T> {
    const std::uint64_t count = hdf5::num_elements(hdf5::shape_of(attribute.getSpace()));
    if constexpr (std::same_as<T, std::string>) {
      if (attribute.getTypeClass() == H5T_STRING) return hdf5::read_strings(attribute, count);
    } else if (hdf5::is_readable_as<T>(attribute)) {
      std::vector<T> values(count);
      if (count > 0) attribute.read(hdf5::native_type<T>(), values.data());
      return values;
    }
    throw InputError("'" + file_->shown_as + "': " + what + " has another type than expected");
  });
}

template <Hdf5Attribute T>
T Hdf5Object::read_attribute(const std::string& name) const {
  if constexpr (std::same_as<T, bool>) {
    return read_attribute<std::uint8_t>(name) != 0;
  } else {
    std::vector<T> values = read_attribute_values<T>(name);
    if (values.size() == 1) return std::move(values.front());
    throw InputError("'" + file_->shown_as + "': attribute '" + name + "' of '" + name_ +
                     "' is not a single value");
  }
}

#define INSTANTIATE_VALUE(T)                                        \
  template void Hdf5Object::write_attribute(const std::string&, T); \
  template T Hdf5Object::read_attribute(const std::string&) const;
#define INSTANTIATE(T) \
  INSTANTIATE_VALUE(T) \
  template std::vector<T> Hdf5Object::read_attribute_values(const std::string&) const;
CISOLVE_FOR_ALL_HDF5_NUMBERS(INSTANTIATE)
INSTANTIATE_VALUE(bool)
#undef INSTANTIATE
#undef INSTANTIATE_VALUE
template std::string Hdf5Object::read_attribute(const std::string&) const;
template std::vector<std::string> Hdf5Object::read_attribute_values(const std::string&) const;

}  // namespace cisolve
