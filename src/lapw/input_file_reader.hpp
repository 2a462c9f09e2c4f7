// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/lapw/crystal.hpp"

namespace cisolve::lapw {

/// An extent that a dataset must have, or its name where any will do.
struct Extent {
  Extent(std::int64_t number) : count(number) {}
  Extent(std::uint64_t number) : Extent(static_cast<std::int64_t>(number)) {}
  Extent(int number) : count(number) {}
  Extent(const char* any) : name(any) {}
  std::int64_t count = -1;
  std::string name;
};

/// Reads what a file of format "cisolve-flapw" holds: integers and reals of any width, complex numbers as compounds or
/// pairs, all of them finite. What is missing, or of another type or shape, is refused before memory is taken for it, in one
/// sentence that begins with the file, names the path, and says what was found and what was expected.
class FileReader {
public:
  using Kind = Hdf5Content::Kind;
  using Extents = std::vector<Extent>;

  /// @throws InputError, SystemError  see Hdf5File::open
  explicit FileReader(const std::filesystem::path& file);

  Hdf5Group root() const { return file_.root(); }

  /// "'FILE': WHAT".
  [[noreturn]] void refuse(const std::string& what) const;

  Hdf5Group group(const Hdf5Group& in, const std::string& name) const;
  /// How many groups "1", "2" and so on there are, one at least; others are ignored.
  int num_numbered(const Hdf5Group& group) const;

  /// The shape of a dataset, without the axis of pairs of complex numbers.
  /// @param kind  integers will do for reals
  /// @param why   says in the sentence where `expected` comes from, as in " for lmax = 3"
  Hdf5Shape shape_of(const Hdf5Group& in, const std::string& name, Kind kind, const Extents& expected,
                     const std::string& why = "") const;

  // Row-major.
  std::vector<std::int64_t> integers(const Hdf5Group& in, const std::string& name,
                                     const Extents& expected) const;
  /// Of at most 10000, which no index exceeds.
  std::vector<int> small_integers(const Hdf5Group& in, const std::string& name,
                                  const Extents& expected) const;
  std::vector<double> reals(const Hdf5Group& in, const std::string& name, const Extents& expected,
                            const std::string& why = "") const;
  std::vector<Complex> complex_numbers(const Hdf5Group& in, const std::string& name, const Extents& expected,
                                       const std::string& why = "") const;
  /// Into memory of the caller. @param shape  as shape_of gave it
  void read(const Hdf5Group& in, const std::string& name, const Hdf5Shape& shape,
            std::span<Complex> values) const;
  /// A square matrix, row and column in the file.
  ComplexMatrix matrix(const Hdf5Group& in, const std::string& name, int size, const std::string& why) const;
  ComplexMatrix hermitian_matrix(const Hdf5Group& in, const std::string& name, int size,
                                 const std::string& why) const;
  std::vector<std::string> texts(const Hdf5Group& in, const std::string& name, const Extents& expected) const;
  /// Integer vectors [rows, 3], each once.
  std::vector<Index3> vectors(const Hdf5Group& in, const std::string& name, const Extent& rows) const;

  // Attributes.
  std::string text(const Hdf5Group& of, const std::string& name) const;
  std::int64_t integer(const Hdf5Group& of, const std::string& name) const;
  int integer(const Hdf5Group& of, const std::string& name, int least, int most) const;
  double real(const Hdf5Group& of, const std::string& name) const;
  std::vector<double> reals(const Hdf5Group& of, const std::string& name) const;

  /// Refuses one whose elements differ from those of its adjoint by more than 1e-10 max(1, the largest).
  /// @param m  row-major
  void require_hermitian(std::span<const Complex> m, std::int64_t size, const std::string& path) const;

  /// One sentence, if there were numbers of less than 64 bits.
  std::vector<std::string> warnings() const;

private:
  Hdf5Content attribute_of_kind(const Hdf5Group& of, const std::string& name, Kind kind) const;
  void require_finite(std::span<const double> values, const Hdf5Shape& shape, const std::string& path) const;
  void note_width(const Hdf5Content& content, const std::string& path) const;

  std::string name_;
  Hdf5File file_;
  mutable std::vector<std::string> narrow_;  ///< paths of numbers of less than 64 bits
};

/// "/k/1/a".
std::string path_of(const Hdf5Group& group, const std::string& name);

/// Whether two complex numbers are equal to 1e-10, relative where they are larger than 1.
bool are_equal(Complex a, Complex b);

}  // namespace cisolve::lapw
