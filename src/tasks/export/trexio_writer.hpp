// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "cisolve/io/atomic_file.hpp"
#include "cisolve/io/hdf5_file.hpp"

namespace cisolve {

/// Writes a TREXIO file as the HDF5 back-end of its library lays it out: a group each, also where it stays empty; scalars
/// as attributes and arrays as datasets, both named <group>_<name>. There is no seal, so that other programs may add to
/// the file. Every function throws SystemError.
/// @see E. Posenitskiy et al., J. Chem. Phys. 158 (2023) 174801, doi:10.1063/5.0148161
class TrexioWriter {
public:
  explicit TrexioWriter(const std::filesystem::path& file);

  void number(const std::string& group, const std::string& name, std::int64_t value);
  void number(const std::string& group, const std::string& name, double value);
  void text(const std::string& group, const std::string& name, std::string_view value);

  /// @param values  row-major
  void array(const std::string& group, const std::string& name, std::span<const double> values,
             const Hdf5Shape& shape);
  void array(const std::string& group, const std::string& name, std::span<const std::int64_t> values);
  void strings(const std::string& group, const std::string& name, std::span<const std::string> values);

  /// A list that other programs may read and extend in parts.
  void list(const std::string& group, const std::string& name, std::span<const double> values);
  void list(const std::string& group, const std::string& name, std::span<const std::int64_t> values);

  /// Nonzero elements with four indices over orbitals.
  /// @param num_orbitals  of the file: decides the type of the indices
  /// @param orbitals      those that occur
  /// @param element       (i, j, k, l), hartree or 1; asked for twice
  void sparse(const std::string& group, const std::string& name, int num_orbitals,
              std::span<const int> orbitals, const std::function<double(int, int, int, int)>& element);

  /// Puts the file in its place.
  void commit();

private:
  template <Hdf5Number Index>
  void write_sparse(Hdf5Group& group, const std::string& name, std::span<const int> orbitals,
                    const std::function<double(int, int, int, int)>& element);

  AtomicFile target_;
  Hdf5File file_;
  std::map<std::string, Hdf5Group> groups_;
};

}  // namespace cisolve
