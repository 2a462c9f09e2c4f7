// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cisolve/core/error.hpp"
#include "cisolve/lapw/radial.hpp"
#include "lapw/input_file_parts.hpp"

namespace cisolve::lapw {
namespace {

constexpr double wronskian_tolerance = 0.01;  // relative: scalar-relativistic functions have 2 to 2e-4
constexpr double radius_tolerance = 1e-10;    // relative: rounding of ten digits

/// What a value of R^2 (udot u_r - u udot_r) that isn't 2 comes from.
const char* likely_cause(double wronskian) {
  if (wronskian < 0.0) return ": are u and udot swapped?";
  constexpr double about = 0.1;
  return std::abs(wronskian - 1.0) <= about ? ": are the energy derivatives by rydberg?" : "";
}

void require_wronskian(const FileReader& reader, const Hdf5Group& group, const AtomType& type) {
  const std::vector<double> found = wronskians(type);
  const auto bad = std::ranges::find_if_not(
      found, [](double value) { return std::abs(value / 2.0 - 1.0) <= wronskian_tolerance; });
  if (bad == found.end()) return;
  reader.refuse(
      fmt::format("group '{}': R^2 (udot u_r - u udot_r) is {:.6g} for l = {}, expected 2 within {:g}%{}",
                  group.name(), *bad, bad - found.begin(), 100 * wronskian_tolerance, likely_cause(*bad)));
}

}  // namespace

void read_radial_functions(const FileReader& reader, const Hdf5Group& group, AtomType& type) {
  const auto by_l = [&](const char* name) { return read_by_l(reader, group, name, type.lmax); };
  type.radial = {.u = by_l("u"),
                 .u_r = by_l("u_r"),
                 .udot = by_l("udot"),
                 .udot_r = by_l("udot_r"),
                 .udot_norm = read_udot_norm(reader, group, type.lmax)};
  require_wronskian(reader, group, type);
  if (type.lmax_nonspherical < 0) return;
  const int size = num_functions(type.lmax_nonspherical);
  const std::string why = fmt::format(" for lmax_nonspherical = {}", type.lmax_nonspherical);
  type.nonspherical.aa = reader.hermitian_matrix(group, "nonspherical_aa", size, why);
  type.nonspherical.ab = reader.matrix(group, "nonspherical_ab", size, why);
  type.nonspherical.bb = reader.hermitian_matrix(group, "nonspherical_bb", size, why);
}

std::unique_ptr<SpherePotential> read_sphere_potential(const FileReader& reader, const Hdf5Group& group,
                                                       const AtomType& type) {
  const std::vector<double> r = reader.reals(group, "r", {"n"});
  const std::vector<int> numbers = reader.small_integers(group, "lm", {"n_lm", 2});
  std::vector<std::array<int, 2>> lm(numbers.size() / 2);
  for (std::size_t i = 0; i < numbers.size(); ++i) lm[i / 2][i % 2] = numbers[i];
  const std::vector<Complex> v =
      reader.complex_numbers(group, "v", {lm.size(), r.size()}, ", the rows of 'lm' and the points of 'r'");
  std::unique_ptr<SpherePotential> potential;
  try {
    potential = tabulated_potential(r, lm, v);
  } catch (const InputError& error) {  // "r: ...", "lm: ..." or "v: ..."
    const std::string what = error.what();
    const std::size_t colon = what.find(':');
    reader.refuse("dataset '" + path_of(group, what.substr(0, colon)) + "'" + what.substr(colon));
  }
  if (std::abs(r.back() / type.radius - 1.0) > radius_tolerance) {
    reader.refuse(fmt::format("dataset '{}' ends at {:.12g}, expected the radius, {:.12g}",
                              path_of(group, "r"), r.back(), type.radius));
  }
  return potential;
}

}  // namespace cisolve::lapw
