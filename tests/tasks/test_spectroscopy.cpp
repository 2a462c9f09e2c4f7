// SPDX-License-Identifier: MIT
// Spectroscopic constants from a scan: those of a Morse curve, which are known.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tasks/scan/spectroscopy.hpp"

namespace cisolve {
namespace test_spectroscopy {

constexpr double depth = 0.2249, width = 1.1741,
                 minimum = 1.7325;  // hartree, 1/bohr, bohr: about hydrogen fluoride
constexpr double mass =
    1822.888486209 * 1.00782503 * 18.99840316 / (1.00782503 + 18.99840316);  // electron masses

ScanResult morse_scan(const std::vector<double>& values) {
  ScanResult scan;
  scan.coordinate = "bond 1 2";
  scan.unit = "bohr";
  scan.values = values;
  for (const double r : values) {
    ScanPoint& point = scan.points.emplace_back();
    const double lost = 1.0 - std::exp(-width * (r - minimum));
    point.energies = {depth * lost * lost - 100.0};
    point.states = {"1 A1"};
    point.nuclear_charges = {1, 9};
  }
  return scan;
}

TEST(SpectroscopicConstants, OfAMorseCurve) {
  std::vector<double> values = {6.0};  // the order does not matter
  for (int k = 0; k < 12; ++k) values.push_back(1.62 + 0.02 * k);
  const auto constants = spectroscopic_constants(morse_scan(values));
  ASSERT_EQ(constants.size(), 1U);
  const SpectroscopicConstants& found = constants.front();
  // A polynomial of degree 4 through points h apart errs in the second derivative by less than h^3 times the fifth
  // one, 30 depth width^5.
  constexpr double h = 0.02, relative = h * h * h * 15.0 * width * width * width;
  constexpr double wavenumber = 219474.6313632;  // cm^-1 per hartree
  const double exact = width * std::sqrt(2.0 * depth / mass) * wavenumber;
  EXPECT_NEAR(found.wavenumber, exact, relative * exact);
  EXPECT_NEAR(found.distance, minimum, h * relative);
  EXPECT_NEAR(found.rotation, wavenumber / (2.0 * mass * minimum * minimum), 1e-4);
  EXPECT_NEAR(found.energy, -100.0, 1e-8);
  const double lost = 1.0 - std::exp(-width * (6.0 - minimum));
  EXPECT_NEAR(found.dissociation, depth * lost * lost, 1e-8);
  EXPECT_EQ(found.state, "1 A1");
}

TEST(SpectroscopicConstants, OfStatesThatCross) {
  // A Morse curve and a level line that is below it at some points: root 1 is now this, now that.
  ScanResult scan = morse_scan({1.62, 1.64, 1.66, 1.68, 1.70, 1.72, 1.74, 1.76, 1.78, 1.80});
  const auto of_one_kind = spectroscopic_constants(scan).at(0);
  const double line = -100.0 + 1e-3;  // hartree
  for (ScanPoint& point : scan.points) {
    const bool is_below = point.energies[0] > line;
    point.energies.push_back(line);
    point.numbers = {1, 2};
    point.terms = {"2Pi", "2Sigma+"};
    point.states = {"2 B1", "2 B1"};
    if (!is_below) continue;
    std::swap(point.energies[0], point.energies[1]);
    std::swap(point.numbers[0], point.numbers[1]);
    std::swap(point.terms[0], point.terms[1]);
  }
  EXPECT_EQ(scan.points.front().numbers.front(), 2) << "the curves must cross";
  const auto constants = spectroscopic_constants(scan);
  ASSERT_EQ(constants.size(), 1U);
  EXPECT_TRUE(constants[0].is_followed);
  EXPECT_EQ(constants[0].number, 1);
  EXPECT_EQ(constants[0].term, "2Pi");
  EXPECT_EQ(constants[0].wavenumber, of_one_kind.wavenumber);
  EXPECT_EQ(constants[0].dissociation, of_one_kind.dissociation);
}

TEST(SpectroscopicConstants, NeedAMinimumBetweenPoints) {
  EXPECT_TRUE(spectroscopic_constants(morse_scan({1.7, 1.8, 1.9, 2.0, 2.1, 2.2})).empty());
  EXPECT_TRUE(spectroscopic_constants(morse_scan({1.6, 1.7, 1.8, 1.9})).empty());
  ScanResult angle = morse_scan({1.6, 1.65, 1.7, 1.75, 1.8, 1.85});
  EXPECT_EQ(spectroscopic_constants(angle).size(), 1U);
  for (ScanPoint& point : angle.points) point.nuclear_charges = {1, 8, 1};
  EXPECT_TRUE(spectroscopic_constants(angle).empty());
}

}  // namespace test_spectroscopy
}  // namespace cisolve
