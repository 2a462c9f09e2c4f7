// SPDX-License-Identifier: MIT
#include "tasks/export/trexio_writer.hpp"

#include <cstddef>
#include <limits>
#include <vector>

namespace cisolve {
namespace {

/// Of the library's version 2.6.
constexpr const char* group_names[] = {
    "amplitude",   "ao",        "ao_1e_int", "ao_2e_int", "basis",   "cell",     "csf",
    "determinant", "ecp",       "electron",  "grid",      "jastrow", "metadata", "mo",
    "mo_1e_int",   "mo_2e_int", "nucleus",   "pbc",       "qmc",     "rdm",      "state"};

std::string full(const std::string& group, const std::string& name) { return group + "_" + name; }

Hdf5Label label_of(const std::string& group, const std::string& name) {
  return {.description = group + "." + name + " of the TREXIO format"};
}

/// Calls take(i, j, k, l, value) for every element that is not zero.
template <class Element, class Take>
void for_each_nonzero(std::span<const int> orbitals, const Element& element, const Take& take) {
  for (const int i : orbitals) {
    for (const int j : orbitals) {
      for (const int k : orbitals) {
        for (const int l : orbitals) {
          const double value = element(i, j, k, l);
          if (value != 0.0) take(i, j, k, l, value);
        }
      }
    }
  }
}

}  // namespace

TrexioWriter::TrexioWriter(const std::filesystem::path& file)
    : target_(file),
      file_(Hdf5File::create(target_.temporary(), target_.target(), Hdf5Strings::ascii, Hdf5Seal::none)) {
  for (const char* name : group_names) groups_.emplace(name, file_.root().create_group(name));
}

void TrexioWriter::number(const std::string& group, const std::string& name, std::int64_t value) {
  groups_.at(group).write_attribute(full(group, name), value);
}

void TrexioWriter::number(const std::string& group, const std::string& name, double value) {
  groups_.at(group).write_attribute(full(group, name), value);
}

void TrexioWriter::text(const std::string& group, const std::string& name, std::string_view value) {
  groups_.at(group).write_attribute(full(group, name), value);
}

void TrexioWriter::array(const std::string& group, const std::string& name, std::span<const double> values,
                         const Hdf5Shape& shape) {
  groups_.at(group).write<double>(full(group, name), values, shape, label_of(group, name));
}

void TrexioWriter::array(const std::string& group, const std::string& name,
                         std::span<const std::int64_t> values) {
  groups_.at(group).write<std::int64_t>(full(group, name), values, {values.size()}, label_of(group, name));
}

void TrexioWriter::strings(const std::string& group, const std::string& name,
                           std::span<const std::string> values) {
  groups_.at(group).write_strings(full(group, name), values, {values.size()}, label_of(group, name));
}

void TrexioWriter::list(const std::string& group, const std::string& name, std::span<const double> values) {
  groups_.at(group).write<double>(full(group, name), values, {values.size()}, label_of(group, name),
                                  Hdf5Packing::extensible);
}

void TrexioWriter::list(const std::string& group, const std::string& name,
                        std::span<const std::int64_t> values) {
  groups_.at(group).write<std::int64_t>(full(group, name), values, {values.size()}, label_of(group, name),
                                        Hdf5Packing::extensible);
}

template <Hdf5Number Index>
void TrexioWriter::write_sparse(Hdf5Group& group, const std::string& name, std::span<const int> orbitals,
                                const std::function<double(int, int, int, int)>& element) {
  constexpr std::size_t at_once = std::size_t{1} << 18;
  std::uint64_t count = 0;
  for_each_nonzero(orbitals, element, [&](int, int, int, int, double) { ++count; });
  const Hdf5Label indices_label = {.description = "four orbitals of each value, from 0"};
  auto all_indices =
      group.create_dataset<Index>(name + "_indices", {4 * count}, indices_label, Hdf5Packing::extensible);
  auto all_values = group.create_dataset<double>(
      name + "_values", {count}, {.description = "those that are not zero"}, Hdf5Packing::extensible);
  std::vector<Index> indices;
  std::vector<double> values;
  std::uint64_t written = 0;
  const auto flush = [&] {
    all_indices.write(indices, {4 * written}, {indices.size()});
    all_values.write(values, {written}, {values.size()});
    written += values.size();
    indices.clear();
    values.clear();
  };
  for_each_nonzero(orbitals, element, [&](int i, int j, int k, int l, double value) {
    for (const int p : {i, j, k, l}) indices.push_back(static_cast<Index>(p));
    values.push_back(value);
    if (values.size() == at_once) flush();
  });
  flush();
}

void TrexioWriter::sparse(const std::string& group, const std::string& name, int num_orbitals,
                          std::span<const int> orbitals,
                          const std::function<double(int, int, int, int)>& element) {
  Hdf5Group& into = groups_.at(group);
  if (num_orbitals <= std::numeric_limits<std::uint8_t>::max()) {
    write_sparse<std::uint8_t>(into, full(group, name), orbitals, element);
  } else if (num_orbitals <= std::numeric_limits<std::uint16_t>::max()) {
    write_sparse<std::uint16_t>(into, full(group, name), orbitals, element);
  } else {
    write_sparse<std::int32_t>(into, full(group, name), orbitals, element);
  }
}

void TrexioWriter::commit() {
  groups_.clear();
  file_.close();
  target_.commit();
}

}  // namespace cisolve
