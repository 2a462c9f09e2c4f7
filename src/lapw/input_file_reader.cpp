// SPDX-License-Identifier: MIT
#include "lapw/input_file_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "cisolve/core/error.hpp"

namespace cisolve::lapw {
namespace {

// Of the specification: how far from Hermitian, or real, a matrix or potential may be, in units of its largest element or 1.
constexpr double symmetry_tolerance = 1e-10;
// A lattice vector of 1000 bohr at the largest cutoff that is allowed.
constexpr std::int64_t most_index = 10000;

const char* name_of(Hdf5Content::Kind kind) {
  switch (kind) {
    case Hdf5Content::Kind::text:
      return "text";
    case Hdf5Content::Kind::integer:
      return "integers";
    case Hdf5Content::Kind::real:
      return "real numbers";
    case Hdf5Content::Kind::complex:
      break;
  }
  return "complex numbers";
}

std::string shown(const Hdf5Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::string shown(const FileReader::Extents& extents) {
  std::string text;
  for (const Extent& extent : extents) {
    text += (text.empty() ? "" : ", ") + (extent.count < 0 ? extent.name : std::to_string(extent.count));
  }
  return "[" + text + "]";
}

bool fits(const Hdf5Shape& shape, const FileReader::Extents& expected) {
  return std::equal(shape.begin(), shape.end(), expected.begin(), expected.end(),
                    [](std::uint64_t found, const Extent& extent) {
                      return extent.count < 0 || found == static_cast<std::uint64_t>(extent.count);
                    });
}

std::uint64_t num_elements(const Hdf5Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

std::vector<std::int64_t> signed_values(const std::vector<std::uint64_t>& values) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> result;
  for (const std::uint64_t value : values) result.push_back(static_cast<std::int64_t>(std::min(value, most)));
  return result;
}

std::vector<double> real_values(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

/// Multi-index of an element of a row-major array.
std::string index_of(std::uint64_t element, const Hdf5Shape& shape) {
  Hdf5Shape index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = element % shape[axis];
    element /= shape[axis];
  }
  return shown(index);
}

std::span<const double> parts_of(std::span<const Complex> values) {
  return {reinterpret_cast<const double*>(values.data()), 2 * values.size()};  // as the standard has it
}

}  // namespace

std::string path_of(const Hdf5Group& group, const std::string& name) {
  return group.name() + (group.name() == "/" ? "" : "/") + name;
}

bool are_equal(Complex a, Complex b) {
  return std::abs(a - b) <= symmetry_tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

FileReader::FileReader(const std::filesystem::path& file)
    : name_(file.string()), file_(Hdf5File::open(file)) {}

void FileReader::refuse(const std::string& what) const { throw InputError("'" + name_ + "': " + what); }

// --- groups

Hdf5Group FileReader::group(const Hdf5Group& in, const std::string& name) const {
  if (!in.contains(name)) refuse("group '" + path_of(in, name) + "' is missing");
  return in.open_group(name);
}

int FileReader::num_numbered(const Hdf5Group& group) const {
  const std::vector<std::string> names = group.names();
  const auto count = static_cast<int>(std::ranges::count_if(names, [](const std::string& name) {
    return name.front() != '0' && name.find_first_not_of("0123456789") == std::string::npos;
  }));
  for (int number = 1; number <= std::max(count, 1); ++number) {
    if (!group.contains(std::to_string(number))) {
      refuse("group '" + path_of(group, std::to_string(number)) +
             "' is missing, expected names that count from 1 without a gap");
    }
  }
  return count;
}

// --- datasets

void FileReader::note_width(const Hdf5Content& content, const std::string& path) const {
  const bool is_narrow =
      content.bytes < sizeof(double) && (content.kind == Kind::real || content.kind == Kind::complex);
  if (is_narrow && std::ranges::find(narrow_, path) == narrow_.end()) narrow_.push_back(path);
}

Hdf5Shape FileReader::shape_of(const Hdf5Group& in, const std::string& name, Kind kind,
                               const Extents& expected, const std::string& why) const {
  const std::string path = path_of(in, name);
  if (!in.contains(name)) {
    refuse(fmt::format("dataset '{}' is missing, expected {} of shape {}{}", path, name_of(kind),
                       shown(expected), why));
  }
  Hdf5Content content = in.content_of(name);
  note_width(content, path);
  const bool pairs = kind == Kind::complex && content.kind == Kind::real &&
                     content.shape.size() == expected.size() + 1 && content.shape.back() == 2;
  const bool integers_for_reals = kind == Kind::real && content.kind == Kind::integer;
  if (content.kind != kind && !pairs && !integers_for_reals) {
    refuse(fmt::format("dataset '{}' holds {} of shape {}, expected {} of shape {}{}", path,
                       name_of(content.kind), shown(content.shape), name_of(kind), shown(expected), why));
  }
  if (pairs) content.shape.pop_back();
  if (!fits(content.shape, expected)) {
    refuse(fmt::format("dataset '{}' has shape {}, expected {}{}", path, shown(content.shape),
                       shown(expected), why));
  }
  return content.shape;
}

std::vector<std::int64_t> FileReader::integers(const Hdf5Group& in, const std::string& name,
                                               const Extents& expected) const {
  const Hdf5Shape shape = shape_of(in, name, Kind::integer, expected);
  if (in.content_of(name).is_signed) return in.read<std::int64_t>(name, shape);
  return signed_values(in.read<std::uint64_t>(name, shape));
}

std::vector<int> FileReader::small_integers(const Hdf5Group& in, const std::string& name,
                                            const Extents& expected) const {
  std::vector<int> result;
  for (const std::int64_t value : integers(in, name, expected)) {
    if (value < -most_index || value > most_index) {
      refuse(fmt::format("dataset '{}' holds {}, expected {} at most", path_of(in, name), value, most_index));
    }
    result.push_back(static_cast<int>(value));
  }
  return result;
}

std::vector<double> FileReader::reals(const Hdf5Group& in, const std::string& name, const Extents& expected,
                                      const std::string& why) const {
  const Hdf5Shape shape = shape_of(in, name, Kind::real, expected, why);
  if (in.content_of(name).kind == Kind::integer) return real_values(integers(in, name, expected));
  std::vector<double> values = in.read<double>(name, shape);
  require_finite(values, shape, path_of(in, name));
  return values;
}

void FileReader::read(const Hdf5Group& in, const std::string& name, const Hdf5Shape& shape,
                      std::span<Complex> values) const {
  in.open_dataset<Complex>(name).read(values, Hdf5Shape(shape.size(), 0), shape);
  require_finite(parts_of(values), shape, path_of(in, name));
}

std::vector<Complex> FileReader::complex_numbers(const Hdf5Group& in, const std::string& name,
                                                 const Extents& expected, const std::string& why) const {
  const Hdf5Shape shape = shape_of(in, name, Kind::complex, expected, why);
  std::vector<Complex> values(num_elements(shape));
  read(in, name, shape, values);
  return values;
}

ComplexMatrix FileReader::matrix(const Hdf5Group& in, const std::string& name, int size,
                                 const std::string& why) const {
  const std::vector<Complex> values = complex_numbers(in, name, {size, size}, why);
  ComplexMatrix m(size, size);
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column)
      m(row, column) = values[static_cast<std::size_t>(row * size + column)];
  }
  return m;
}

ComplexMatrix FileReader::hermitian_matrix(const Hdf5Group& in, const std::string& name, int size,
                                           const std::string& why) const {
  ComplexMatrix m = matrix(in, name, size, why);
  const auto elements = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
  require_hermitian({m.data(), elements}, size, path_of(in, name));
  return m;
}

std::vector<std::string> FileReader::texts(const Hdf5Group& in, const std::string& name,
                                           const Extents& expected) const {
  return in.read_strings(name, shape_of(in, name, Kind::text, expected));
}

std::vector<Index3> FileReader::vectors(const Hdf5Group& in, const std::string& name,
                                        const Extent& rows) const {
  const std::vector<int> values = small_integers(in, name, {rows, 3});
  std::vector<Index3> vectors(values.size() / 3);
  for (std::size_t i = 0; i < values.size(); ++i) vectors[i / 3][i % 3] = values[i];
  std::vector<Index3> sorted = vectors;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) {
    refuse(fmt::format("dataset '{}' holds [{}] twice, expected each vector once", path_of(in, name),
                       fmt::join(*twice, ", ")));
  }
  return vectors;
}

// --- attributes

Hdf5Content FileReader::attribute_of_kind(const Hdf5Group& of, const std::string& name, Kind kind) const {
  if (!of.has_attribute(name)) {
    refuse(fmt::format("attribute '{}' of '{}' is missing, expected {}", name, of.name(), name_of(kind)));
  }
  const Hdf5Content content = of.attribute_content(name);
  note_width(content, of.name() + "@" + name);
  const bool integers_for_reals = kind == Kind::real && content.kind == Kind::integer;
  if (content.kind != kind && !integers_for_reals) {
    refuse(fmt::format("attribute '{}' of '{}' holds {}, expected {}", name, of.name(), name_of(content.kind),
                       name_of(kind)));
  }
  return content;
}

std::string FileReader::text(const Hdf5Group& of, const std::string& name) const {
  attribute_of_kind(of, name, Kind::text);
  return of.read_attribute<std::string>(name);
}

std::int64_t FileReader::integer(const Hdf5Group& of, const std::string& name) const {
  const Hdf5Content content = attribute_of_kind(of, name, Kind::integer);
  if (content.is_signed) return of.read_attribute<std::int64_t>(name);
  return signed_values({of.read_attribute<std::uint64_t>(name)}).front();
}

int FileReader::integer(const Hdf5Group& of, const std::string& name, int least, int most) const {
  const std::int64_t value = integer(of, name);
  if (value < least || value > most) {
    refuse(
        fmt::format("attribute '{}' of '{}' is {}, expected {} to {}", name, of.name(), value, least, most));
  }
  return static_cast<int>(value);
}

std::vector<double> FileReader::reals(const Hdf5Group& of, const std::string& name) const {
  const Hdf5Content content = attribute_of_kind(of, name, Kind::real);
  if (content.kind == Kind::integer) {
    return real_values(content.is_signed ? of.read_attribute_values<std::int64_t>(name)
                                         : signed_values(of.read_attribute_values<std::uint64_t>(name)));
  }
  std::vector<double> values = of.read_attribute_values<double>(name);
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) {
    refuse(fmt::format("attribute '{}' of '{}' is not finite", name, of.name()));
  }
  return values;
}

double FileReader::real(const Hdf5Group& of, const std::string& name) const {
  const std::vector<double> values = reals(of, name);
  if (values.size() != 1) {
    refuse(fmt::format("attribute '{}' of '{}' has {} values, expected one", name, of.name(), values.size()));
  }
  return values.front();
}

// --- values

/// @param shape  of the array; complex numbers come as two values an element
void FileReader::require_finite(std::span<const double> values, const Hdf5Shape& shape,
                                const std::string& path) const {
  const auto bad = std::ranges::find_if_not(values, [](double value) { return std::isfinite(value); });
  if (bad == values.end()) return;
  const std::uint64_t parts = values.size() / num_elements(shape);
  const auto element = static_cast<std::uint64_t>(bad - values.begin()) / parts;
  refuse("dataset '" + path + "' is not finite at " + index_of(element, shape));
}

void FileReader::require_hermitian(std::span<const Complex> m, std::int64_t size,
                                   const std::string& path) const {
  constexpr std::int64_t block = 64;  // rows and columns that stay in the cache
  double largest = 1.0, difference = 0.0;
  std::int64_t row = 0, column = 0;
  for (std::int64_t i = 0; i < size; i += block) {
    for (std::int64_t j = 0; j <= i; j += block) {
      for (std::int64_t g = i; g < std::min(i + block, size); ++g) {
        for (std::int64_t h = j; h < std::min(j + block, g + 1); ++h) {
          const Complex below = m[static_cast<std::size_t>(g * size + h)];
          const Complex above = m[static_cast<std::size_t>(h * size + g)];
          largest = std::max({largest, std::abs(below), std::abs(above)});
          if (const double here = std::abs(below - std::conj(above)); here > difference) {
            difference = here;
            row = g;
            column = h;
          }
        }
      }
    }
  }
  if (difference <= symmetry_tolerance * largest) return;
  refuse(fmt::format(
      "dataset '{}' is not Hermitian: element [{}, {}] differs from the conjugate of [{}, {}] by {:.3g}, "
      "expected {:.3g} at most",
      path, row, column, column, row, difference, symmetry_tolerance * largest));
}

std::vector<std::string> FileReader::warnings() const {
  if (narrow_.empty()) return {};
  const std::string others = narrow_.size() == 1 ? "" : fmt::format(" and {} others", narrow_.size() - 1);
  return {
      fmt::format("'{}': '{}'{} hold numbers of less than 64 bits; results are no more accurate than these",
                  name_, narrow_.front(), others)};
}

}  // namespace cisolve::lapw
