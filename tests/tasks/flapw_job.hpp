// SPDX-License-Identifier: MIT
// FLAPW calculations for tests: inputs, runs, and what their result files hold.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <filesystem>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "cisolve/core/number_text.hpp"
#include "cisolve/io/hdf5_file.hpp"
#include "cisolve/tasks/flapw/flapw.hpp"
#include "cisolve/tasks/input/input.hpp"
#include "io/temporary_folder.hpp"

namespace cisolve::test {

inline std::filesystem::path flapw_data(const std::string& name) {
  return std::filesystem::path(CISOLVE_TEST_DATA) / "flapw" / name;
}

/// A calculation in a folder of its own, on one thread of the host.
class FlapwJob {
public:
  /// @param assignments  as --set
  explicit FlapwJob(std::string text, const std::vector<std::string>& assignments = {})
      : text_(std::move(text)) {
    set(assignments);
  }

  void set(const std::vector<std::string>& assignments) {
    for (const std::string& one : assignments) overrides_.push_back(parse_override(one));
  }

  FlapwConfig config() const {
    std::vector<InputOverride> all = {parse_override("run.device=cpu"), parse_override("run.threads=1")};
    all.insert(all.end(), overrides_.begin(), overrides_.end());
    all.push_back(
        {.key = "output.file", .value = file().string(), .where = "the test", .is_literal_text = true});
    return read_flapw_config(parse_input(text_, "job.inp", all));
  }

  RunOutcome run(const RunOptions& options = {}, const RunControl& control = {}) {
    report_.str("");
    return run_flapw(config(), options, control, report_);
  }

  std::filesystem::path file() const { return folder_ / "job.h5"; }
  const TemporaryFolder& folder() const { return folder_; }
  std::string report() const { return report_.str(); }
  FlapwResult result() const { return read_flapw(file()); }

private:
  TemporaryFolder folder_;
  std::string text_;
  std::vector<InputOverride> overrides_;
  std::ostringstream report_;
};

/// A run that must end well.
inline FlapwResult run_to_end(FlapwJob& job) {
  EXPECT_EQ(job.run(), RunOutcome::converged) << job.report();
  return job.result();
}

/// What the result file holds of a k-point, read without the code that wrote it.
struct StoredPoint {
  std::size_t n = 0;
  std::vector<double> energies, residuals;
  std::vector<std::complex<double>> vectors;  ///< one state after another; may be empty
  std::vector<std::complex<double>> h, s;     ///< whole matrices; may be empty

  StoredPoint(const std::filesystem::path& file, int k) {
    const Hdf5File hdf5 = Hdf5File::open(file);
    const Hdf5Group group = hdf5.root().open_group("k").open_group(std::to_string(k));
    n = static_cast<std::size_t>(group.read_attribute<std::int64_t>("waves"));
    energies = group.read<double>("eigenvalue").values;
    residuals = group.read<double>("residual").values;
    if (group.contains("vector")) vectors = group.read<std::complex<double>>("vector").values;
    if (group.contains("h")) h = whole(group.read<std::complex<double>>("h", {n * (n + 1) / 2}));
    if (group.contains("s")) s = whole(group.read<std::complex<double>>("s", {n * (n + 1) / 2}));
  }

private:
  std::vector<std::complex<double>> whole(const std::vector<std::complex<double>>& lower) const {
    std::vector<std::complex<double>> matrix(n * n);
    for (std::size_t i = 0, at = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j, ++at) {
        matrix[i * n + j] = lower[at];
        if (i != j) matrix[j * n + i] = std::conj(lower[at]);
      }
    }
    return matrix;
  }
};

/// To the last bit.
inline void expect_same(const StoredPoint& a, const StoredPoint& b) {
  EXPECT_EQ(a.energies, b.energies);
  EXPECT_EQ(a.residuals, b.residuals);
  EXPECT_EQ(a.vectors, b.vectors);
  EXPECT_EQ(a.h, b.h);
  EXPECT_EQ(a.s, b.s);
}

inline std::vector<std::complex<double>> product(const std::vector<std::complex<double>>& matrix,
                                                 const std::complex<double>* x, std::size_t n) {
  std::vector<std::complex<double>> y(n);
  for (std::size_t i = 0; i < n; ++i)
    y[i] = std::inner_product(x, x + n, matrix.begin() + static_cast<std::ptrdiff_t>(i * n),
                              std::complex<double>());
  return y;
}

/// Square root of the sum of squares: of a vector its length, of a matrix its Frobenius norm.
inline double norm_of(const std::vector<std::complex<double>>& elements) {
  double sum = 0.0;
  for (const std::complex<double>& element : elements) sum += std::norm(element);
  return std::sqrt(sum);
}

inline double distance(std::vector<std::complex<double>> a, const std::vector<std::complex<double>>& b) {
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b.at(i);
  return norm_of(a);
}

/// [flapw] on a file of the test data.
inline std::string flapw_of_file(const std::string& name) {
  return "[flapw]\nfile = \"" + flapw_data(name).string() + "\"\n";
}

/// A face-centred cubic cell without a potential, and one sphere with E_l = `energy`.
inline std::string empty_lattice(double energy, const std::string& rest = {}) {
  return fmt::format(
      "[flapw]\nroots = 8\n[crystal]\nlattice = [[0, 3.8, 3.8], [3.8, 0, 3.8], [3.8, 3.8, 0]]\nk_max = 3\n"
      "types = [ {{ name = \"X\", radius = 2, lmax = 8, lmax_nonspherical = -1, energy = {:.17g} }} ]\n"
      "atoms = [ {{ type = \"X\", position = [0, 0, 0] }} ]\n{}",
      energy, rest);
}
inline const std::string three_points = "[k_points]\nlist = [[0.1, 0.2, 0.3], [0, 0, 0], [0.5, 0.5, 0]]\n";

inline const std::string cosine_potential =
    "[potential]\nfourier = [ { g = [1, 0, 0], v = -0.1 }, { g = [-1, 0, 0], v = -0.1 },\n"
    "  { g = [0, 1, 0], v = -0.1 }, { g = [0, -1, 0], v = -0.1 },\n"
    "  { g = [0, 0, 1], v = -0.1 }, { g = [0, 0, -1], v = -0.1 } ]\n";

/// -0.2 times the sum of cos(2 pi x_i / 6), and two spheres whose frames are turned.
inline std::string cosine_crystal(
    const std::string& k_points = "[k_points]\nlist = [[0.1, 0.23, 0.37], [0, 0, 0]]\n") {
  return "title = \"Cosine potential, two spheres\"\n[flapw]\nroots = 8\n"
         "[crystal]\nlattice = [[6, 0, 0], [0, 6, 0], [0, 0, 6]]\nk_max = 3.2\ntypes = [\n"
         "  { name = \"X\", radius = 1.4, lmax = 8, lmax_nonspherical = 6, energy = 0.2 },\n"
         "  { name = \"Y\", radius = 1.2, lmax = 8, lmax_nonspherical = 6, energy = 0.2 } ]\natoms = [\n"
         "  { type = \"X\", position = [0.1, 0.2, 0.05],"
         " rotation = [[-0.23813772081825824, -0.95532958323138206, -0.17503089249169579],"
         " [0.89798926029555348, -0.14791815932940133, -0.41440982919622743],"
         " [0.37000772196986603, -0.25586247388696176, 0.89310059911474371]] },\n"
         "  { type = \"Y\", position = [0.6, 0.55, 0.62],"
         " rotation = [[-0.076530396935220235, -0.57834949985668649, 0.81219145178982199],"
         " [0.98832650400233646, -0.151625835805481, -0.014843429617472117],"
         " [0.13173389780712164, 0.80157436456751174, 0.58320212468468646]] }\n"
         " ]\n" +
         cosine_potential + k_points;
}

/// The same potential: a pair of spheres about an inversion centre, and one on a centre.
inline std::string inversion_crystal() {
  return "[flapw]\n[crystal]\nlattice = [[6, 0, 0], [0, 6, 0], [0, 0, 6]]\nk_max = 3\ntypes = [\n"
         "  { name = \"X\", radius = 1.2, lmax = 8, lmax_nonspherical = 6, energy = 0.2 },\n"
         "  { name = \"O\", radius = 1.5, lmax = 8, lmax_nonspherical = 6, energy = 0.2 } ]\natoms = [\n"
         "  { type = \"X\", position = [0.17, 0.21, 0.13],"
         " rotation = [[-0.75597168554150884, -0.18344039852287261, -0.62837602663476888],"
         " [0.39634897110789685, -0.89224206151104701, -0.21635987791692918],"
         " [-0.52097437917928524, -0.41261813321797502, 0.74721614836570005]] },\n"
         "  { type = \"X\", position = [-0.17, -0.21, -0.13],"
         " rotation = [[0.75597168554150884, 0.18344039852287261, 0.62837602663476888],"
         " [-0.39634897110789685, 0.89224206151104701, 0.21635987791692918],"
         " [0.52097437917928524, 0.41261813321797502, -0.74721614836570005]] },\n"
         "  { type = \"O\", position = [0.5, 0.5, 0.5] }\n"
         " ]\n" +
         cosine_potential + "[k_points]\nlist = [[0.1, 0.23, 0.37]]\n";
}

}  // namespace cisolve::test
