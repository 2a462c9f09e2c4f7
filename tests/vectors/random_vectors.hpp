// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

namespace cisolve::test {

/// Normally distributed numbers of variance 1, the same for the same seed.
inline std::vector<double> random_vector(std::size_t size, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::vector<double> result(size);
  for (double& value : result) value = normal(engine);
  return result;
}

/// `count` random vectors of norm 1, one after the other.
inline std::vector<double> random_unit_vectors(std::size_t size, std::size_t count, unsigned seed) {
  std::vector<double> vectors = random_vector(size * count, seed);
  for (std::size_t k = 0; k < count; ++k) {
    const std::span<double> v(vectors.data() + k * size, size);
    double norm = 0.0;
    for (const double c : v) norm += c * c;
    for (double& c : v) c /= std::sqrt(norm);
  }
  return vectors;
}

/// |a - b| / |b|
inline double relative_distance(std::span<const double> a, std::span<const double> b) {
  double difference = 0.0, norm = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return std::sqrt(difference) / std::sqrt(norm);
}

}  // namespace cisolve::test
