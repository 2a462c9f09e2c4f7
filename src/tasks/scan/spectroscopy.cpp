// SPDX-License-Identifier: MIT
#include "tasks/scan/spectroscopy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "cisolve/core/units.hpp"

namespace cisolve {
namespace {

constexpr double electron_masses = 1822.888486209;  // per dalton, CODATA 2018

/// Mass of the most abundant isotope, dalton (AME2020); none beyond krypton.
std::optional<double> mass_of(int charge) {
  static constexpr std::array<double, 36> masses = {
      1.00782503,  4.00260325,  7.01600344,  9.01218307,  11.00930536, 12.0,        14.00307400, 15.99491462,
      18.99840316, 19.99244018, 22.98976928, 23.98504170, 26.98153853, 27.97692653, 30.97376200, 31.97207117,
      34.96885268, 39.96238312, 38.96370649, 39.96259086, 44.95590828, 47.94794198, 50.94395704, 51.94050623,
      54.93804391, 55.93493633, 58.93319429, 57.93534241, 62.92959772, 63.92914201, 68.92557350, 73.92117776,
      74.92159457, 79.91652180, 78.91833760, 83.91149773};
  if (charge < 1 || charge > std::ssize(masses)) return std::nullopt;
  return masses[charge - 1];
}

/// Reduced mass in electron masses; none unless the scan is along the bond of a diatomic molecule.
std::optional<double> reduced_mass(const ScanResult& scan) {
  if (!scan.coordinate.starts_with("bond ") || (scan.unit != "angstrom" && scan.unit != "bohr"))
    return std::nullopt;
  const auto found = std::ranges::find_if(scan.points, [](const ScanPoint& p) { return p.has_roots(); });
  if (found == scan.points.end() || found->nuclear_charges.size() != 2) return std::nullopt;
  const auto a = mass_of(found->nuclear_charges[0]), b = mass_of(found->nuclear_charges[1]);
  if (!a || !b) return std::nullopt;
  return electron_masses * *a * *b / (*a + *b);
}

/// Value, slope and curvature at x of the polynomial through five points, by Newton's divided differences.
std::array<double, 3> polynomial(const std::array<ScanCurvePoint, 5>& through, double x) {
  std::array<double, 5> c;
  for (std::size_t k = 0; k < 5; ++k) c[k] = through[k].energy;
  for (std::size_t level = 1; level < 5; ++level) {
    for (std::size_t k = 4; k >= level; --k)
      c[k] = (c[k] - c[k - 1]) / (through[k].value - through[k - level].value);
  }
  double value = c[4], slope = 0.0, curvature = 0.0;
  for (std::size_t k = 4; k-- > 0;) {
    const double t = x - through[k].value;
    curvature = curvature * t + 2.0 * slope;
    slope = slope * t + value;
    value = value * t + c[k];
  }
  return {value, slope, curvature};
}

std::optional<SpectroscopicConstants> constants_of(ScanCurve named, double mass) {
  std::vector<ScanCurvePoint>& curve = named.points;
  std::ranges::sort(curve, {}, &ScanCurvePoint::value);
  const auto lowest = std::ranges::min_element(curve, {}, &ScanCurvePoint::energy) - curve.begin();
  if (lowest < 2 || lowest + 2 >= std::ssize(curve)) return std::nullopt;
  std::array<ScanCurvePoint, 5> through;
  std::copy_n(curve.begin() + lowest - 2, 5, through.begin());
  // The slope changes its sign between the neighbours of the lowest point: halving finds where.
  double left = through[1].value, right = through[3].value;
  if (polynomial(through, left)[1] >= 0.0 || polynomial(through, right)[1] <= 0.0) return std::nullopt;
  constexpr int halvings = 60;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (left + right);
    (polynomial(through, middle)[1] < 0.0 ? left : right) = middle;
  }
  const auto [energy, slope, curvature] = polynomial(through, left);
  if (!(curvature > 0.0) || !std::isfinite(energy)) return std::nullopt;
  SpectroscopicConstants found = std::move(named.name);
  found.distance = left;
  found.energy = energy;
  found.wavenumber = std::sqrt(curvature / mass) * hartree_in_wavenumbers;
  found.rotation = hartree_in_wavenumbers / (2.0 * mass * left * left);
  found.longest = curve.back().value;
  found.dissociation = curve.back().energy - energy;
  const auto [first, last] = std::ranges::minmax(through, {}, &ScanCurvePoint::number);
  found.first_point = first.number;
  found.last_point = last.number;
  return found;
}

}  // namespace

std::map<std::pair<std::string, int>, ScanCurve> curves_of(const ScanResult& scan) {
  const bool is_followed = std::ranges::any_of(scan.points, &ScanPoint::is_followed);
  std::map<std::pair<std::string, int>, ScanCurve> curves;
  for (std::size_t k = 0; k < scan.points.size(); ++k) {
    std::map<std::string, int> seen;
    const ScanPoint& point = scan.points[k];
    for (std::size_t root = 0; root < point.energies.size(); ++root) {
      const std::string& kind = point.states[root];
      const std::string term = point.terms.empty() ? "" : point.terms[root];
      const int number = is_followed ? point.numbers[root] : ++seen[kind];
      if (number == 0) continue;
      const auto [at, is_new] = curves.try_emplace({is_followed ? "" : kind, number});
      ScanCurve& curve = at->second;
      if (is_new) {
        curve.name.state = kind;
        curve.name.term = term;
        curve.name.number = number;
        curve.name.is_followed = is_followed;
      }
      if (curve.name.term != term) curve.name.term.clear();
      curve.points.push_back({scan.values[k], point.energies[root], static_cast<int>(k) + 1});
    }
  }
  return curves;
}

std::vector<SpectroscopicConstants> spectroscopic_constants(const ScanResult& scan) {
  const auto mass = reduced_mass(scan);
  if (!mass) return {};
  const double unit = scan.unit == "bohr" ? 1.0 : 1.0 / units::bohr_in_angstrom;
  std::vector<SpectroscopicConstants> all;
  for (auto& [name, curve] : curves_of(scan)) {
    for (ScanCurvePoint& point : curve.points) point.value *= unit;
    if (auto found = constants_of(std::move(curve), *mass)) all.push_back(std::move(*found));
  }
  std::ranges::sort(all, {}, &SpectroscopicConstants::energy);
  return all;
}

std::string name_of(const SpectroscopicConstants& curve) {
  const std::string term = curve.term.empty() ? "" : " " + curve.term;
  if (curve.is_followed) return fmt::format("{}: {}{}", curve.number, curve.state, term);
  return curve.state + (curve.number == 1 ? "" : fmt::format(" ({})", curve.number)) + term;
}

}  // namespace cisolve
