// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cisolve/core/array.hpp"
#include "cisolve/lapw/crystal.hpp"
#include "cisolve/lapw/interstitial.hpp"
#include "cisolve/lapw/muffin_tin.hpp"
#include "cisolve/lapw/potential.hpp"

namespace cisolve::lapw {

/// A, B and what goes with them at a k-point of a file of kind "coefficients".
struct GivenCoefficients {
  std::int64_t waves = 0, rows = 0;  ///< N, K
  Array<Complex> a, b;               ///< K x N, column-major: atoms stacked, (l, m) fastest
  Array<Complex> h_interstitial,
      s_interstitial;     ///< N x N, column-major, Hermitian; empty: the file has none
  std::vector<Index3> g;  ///< empty: the file doesn't say
};

/// A file of format "cisolve-flapw", version 1: `kind` "coefficients", "radial" or "potential" (docs/flapw-files.md). It is
/// read and checked on opening, but for the coefficients, which are read and checked when they are asked for.
class InputFile {
public:
  enum class Kind { coefficients, radial, potential };

  /// @throws InputError  one sentence: file, path of the dataset, found, expected
  /// @throws SystemError it cannot be read
  explicit InputFile(const std::filesystem::path& file);
  ~InputFile();
  InputFile(InputFile&&) noexcept;
  InputFile& operator=(InputFile&&) noexcept;

  Kind kind() const;
  const std::string& title() const;
  const std::vector<std::string>& warnings() const;  ///< such as of numbers of less than 64 bits
  const std::vector<KPoint>& k_points() const;

  // Kinds radial and potential.
  const Crystal& crystal() const;  ///< with radial functions if kind is radial
  std::optional<double> k_max() const;
  const std::vector<std::vector<Index3>>& waves()
      const;  ///< one list per k-point, before k_max; may be empty
  /// One per k-point, names of the corners of a path, empty between; or none at all.
  const std::vector<std::string>& k_labels() const;
  const std::optional<FourierPotential>& interstitial() const;
  const SpherePotential& sphere_potential(int type) const;  ///< kind potential

  // Kind coefficients.
  const std::vector<int>& atom_types() const;         ///< from 0
  const std::vector<MuffinTin>& muffin_tins() const;  ///< one per type
  std::int64_t num_waves(int k) const;
  bool has_interstitial(int k) const;
  /// @param k  from 0
  /// @throws InputError, SystemError
  GivenCoefficients coefficients(int k) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cisolve::lapw
