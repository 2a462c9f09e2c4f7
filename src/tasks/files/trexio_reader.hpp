// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cisolve/io/hdf5_file.hpp"

namespace cisolve {

/// Whether a name is that of a TREXIO file: it ends in .trexio.
bool is_trexio(const std::filesystem::path& file);

/// Reads what a TREXIO file of any program holds, by the names of the format; of its HDF5 back-end. Every function
/// throws InputError if something is absent, of another shape or type, or damaged; messages name the file and what it is.
class TrexioReader {
public:
  /// @throws InputError   absent, of the text back-end, not HDF5, over complex numbers, unrestricted or periodic
  /// @throws SystemError  cannot be read
  explicit TrexioReader(const std::filesystem::path& file);

  bool has_array(const std::string& group, const std::string& name) const;
  bool has_scalar(const std::string& group, const std::string& name) const;

  std::int64_t integer(const std::string& group, const std::string& name) const;
  double real(const std::string& group, const std::string& name) const;
  std::string text(const std::string& group, const std::string& name) const;

  /// Arrays of any shape, row-major.
  std::vector<double> reals(const std::string& group, const std::string& name) const;
  std::vector<std::int64_t> integers(const std::string& group, const std::string& name) const;
  std::vector<std::string> strings(const std::string& group, const std::string& name) const;

  /// An array of this shape.
  std::vector<double> reals(const std::string& group, const std::string& name, const Hdf5Shape& shape) const;

  /// Calls take(four orbitals, value) for every stored element of a sparse array.
  /// @param num_orbitals  that indices are below
  using Take = std::function<void(const std::int64_t (&index)[4], double value)>;
  void sparse(const std::string& group, const std::string& name, std::int64_t num_orbitals,
              const Take& take) const;

  [[noreturn]] void refuse(std::string_view what) const;
  const std::string& name() const { return name_; }

private:
  Hdf5Group group(const std::string& name) const;
  template <class Index>
  void read_sparse(const std::string& group, const std::string& name, std::int64_t num_orbitals,
                   const Take& take) const;

  std::string name_;
  Hdf5File file_;
};

}  // namespace cisolve
