// SPDX-License-Identifier: MIT
#include "tasks/files/trexio_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cisolve/core/error.hpp"

namespace cisolve {
namespace {

std::string dataset(const std::string& group, const std::string& name) { return group + "_" + name; }

/// Refuses what is no HDF5 file by a sentence of its own.
Hdf5File open(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file))
    throw InputError(fmt::format(
        "{} is a folder, as the text back-end of TREXIO writes; the HDF5 back-end is read (trexio "
        "convert-backend converts)",
        file.string()));
  return Hdf5File::open(file);
}

}  // namespace

bool is_trexio(const std::filesystem::path& file) { return file.extension() == ".trexio"; }

TrexioReader::TrexioReader(const std::filesystem::path& file) : name_(file.string()), file_(open(file)) {
  const Hdf5Group root = file_.root();
  if (!root.contains("metadata") && !root.contains("mo")) refuse("is no TREXIO file: it has no group mo");
  for (const auto& [of, array] : {std::pair("mo", "coefficient_im"),
                                  {"mo_1e_int", "core_hamiltonian_im"},
                                  {"mo_2e_int", "eri_im_values"},
                                  {"determinant", "coefficient_im"}}) {
    if (has_array(of, array))
      refuse(fmt::format("is over complex numbers ({}.{}); real ones are read", of, array));
  }
  if (has_array("mo", "spin") &&
      std::ranges::any_of(integers("mo", "spin"), [](auto spin) { return spin != 0; }))
    refuse("has orbitals of two spins (mo.spin); restricted ones are read");
  if (has_scalar("pbc", "periodic") && integer("pbc", "periodic") != 0) refuse("is of a periodic system");
}

void TrexioReader::refuse(std::string_view what) const {
  throw InputError(fmt::format("{} {}", name_, what));
}

Hdf5Group TrexioReader::group(const std::string& name) const { return file_.root().open_group(name); }

bool TrexioReader::has_array(const std::string& of, const std::string& name) const {
  return file_.root().contains(of) && group(of).contains(dataset(of, name));
}

bool TrexioReader::has_scalar(const std::string& of, const std::string& name) const {
  return file_.root().contains(of) && group(of).has_attribute(dataset(of, name));
}

std::int64_t TrexioReader::integer(const std::string& of, const std::string& name) const {
  return group(of).read_attribute<std::int64_t>(dataset(of, name));
}

double TrexioReader::real(const std::string& of, const std::string& name) const {
  return group(of).read_attribute<double>(dataset(of, name));
}

std::string TrexioReader::text(const std::string& of, const std::string& name) const {
  return group(of).read_attribute<std::string>(dataset(of, name));
}

std::vector<double> TrexioReader::reals(const std::string& of, const std::string& name) const {
  return group(of).read<double>(dataset(of, name)).values;
}

std::vector<double> TrexioReader::reals(const std::string& of, const std::string& name,
                                        const Hdf5Shape& shape) const {
  return group(of).read<double>(dataset(of, name), shape);
}

std::vector<std::int64_t> TrexioReader::integers(const std::string& of, const std::string& name) const {
  return group(of).read<std::int64_t>(dataset(of, name)).values;
}

std::vector<std::string> TrexioReader::strings(const std::string& of, const std::string& name) const {
  return group(of).read_strings(dataset(of, name)).values;
}

template <class Index>
void TrexioReader::read_sparse(const std::string& of, const std::string& name, std::int64_t num_orbitals,
                               const Take& take) const {
  const auto indices = group(of).open_dataset<Index>(dataset(of, name + "_indices"));
  const auto values = group(of).open_dataset<double>(dataset(of, name + "_values"));
  const bool fit = indices.shape().size() == 1 && values.shape().size() == 1 &&
                   indices.shape()[0] / 4 == values.shape()[0] && indices.shape()[0] % 4 == 0;
  if (!fit) refuse(fmt::format("is damaged: {}.{} does not have four indices for each value", of, name));
  constexpr std::uint64_t at_once = std::uint64_t{1} << 18;
  const std::uint64_t count = values.shape()[0];
  std::vector<Index> index;
  std::vector<double> value;
  for (std::uint64_t first = 0; first < count; first += at_once) {
    const std::uint64_t part = std::min(at_once, count - first);
    index.resize(4 * part);
    value.resize(part);
    indices.read(index, {4 * first}, {4 * part});
    values.read(value, {first}, {part});
    for (std::uint64_t k = 0; k < part; ++k) {
      std::int64_t four[4];
      for (std::size_t i = 0; i < 4; ++i) {
        four[i] = static_cast<std::int64_t>(index[4 * k + i]);
        if (four[i] < 0 || four[i] >= num_orbitals)
          refuse(fmt::format("is damaged: {}.{} has the index {}, its orbitals are 0 to {}", of, name,
                             four[i], num_orbitals - 1));
      }
      take(four, value[k]);
    }
  }
}

void TrexioReader::sparse(const std::string& of, const std::string& name, std::int64_t num_orbitals,
                          const Take& take) const {
  constexpr std::int64_t bytes = 255, shorts = 65535;  // what the type of the indices follows from
  if (num_orbitals <= bytes) return read_sparse<std::uint8_t>(of, name, num_orbitals, take);
  if (num_orbitals <= shorts) return read_sparse<std::uint16_t>(of, name, num_orbitals, take);
  read_sparse<std::int32_t>(of, name, num_orbitals, take);
}

}  // namespace cisolve
