// SPDX-License-Identifier: MIT
// Uses the installed library as a stranger would: an operator of one's own, its lowest eigenvalue,
// and an error of the kind the headers promise. Exit status 0 if both come out right.
#include <cisolve/core/error.hpp>
#include <cisolve/core/matrix.hpp>
#include <cisolve/solver/davidson.hpp>
#include <cisolve/solver/operator.hpp>
#include <cisolve/tasks/ci.hpp>
#include <cisolve/vectors/host_backend.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <numeric>
#include <span>
#include <sstream>
#include <vector>

namespace {

using cisolve::HostBackend;

/// The particle in a box on n points: 2 on the diagonal, -1 beside it. Its eigenvalues are
/// 2 - 2 cos(k pi / (n + 1)), k = 1 .. n.
class Box : public cisolve::Operator<HostBackend> {
public:
  explicit Box(std::int64_t n) : n_(n), diagonal_(n, 1) { HostBackend().fill(diagonal_.view(), 2.0); }

  std::int64_t size() const override { return n_; }

  void apply(HostBackend::ConstView x, HostBackend::View y) const override {
    for (int k = 0; k < x.columns; ++k) {
      const double* in = x.column(k);
      double* out = y.column(k);
      for (std::int64_t i = 0; i < n_; ++i) {
        out[i] = 2.0 * in[i];
        if (i > 0) out[i] -= in[i - 1];
        if (i + 1 < n_) out[i] -= in[i + 1];
      }
    }
  }

  HostBackend::ConstView diagonal() const override { return diagonal_.view(); }

  cisolve::Matrix dense_block(std::span<const std::int64_t> indices) const override {
    const int m = static_cast<int>(indices.size());
    cisolve::Matrix block(m, m);
    for (int j = 0; j < m; ++j) {
      for (int i = 0; i < m; ++i) {
        const std::int64_t distance = std::abs(indices[static_cast<std::size_t>(i)] -
                                               indices[static_cast<std::size_t>(j)]);
        block(i, j) = distance == 0 ? 2.0 : distance == 1 ? -1.0 : 0.0;
      }
    }
    return block;
  }

private:
  std::int64_t n_;
  HostBackend::Block diagonal_;
};

bool solves() {
  constexpr std::int64_t n = 40;
  const HostBackend backend;
  const Box box(n);
  std::vector<std::int64_t> rows(8);
  std::iota(rows.begin(), rows.end(), n / 2 - 4);
  auto start = backend.allocate(n, 1);
  backend.fill(start.view(), 1.0);

  cisolve::DavidsonConfig config;
  config.tolerance = 1e-8;
  const auto model_space = cisolve::make_model_space<HostBackend>(box, rows);
  const auto result = cisolve::davidson<HostBackend>(backend, box, start.view(), model_space, config);

  const double exact = 2.0 - 2.0 * std::cos(std::numbers::pi / (n + 1));
  if (result.status != cisolve::SolverStatus::converged || std::abs(result.energies.at(0) - exact) > 1e-10) {
    std::fprintf(stderr, "consumer: lowest eigenvalue %.12f, expected %.12f\n", result.energies.at(0), exact);
    return false;
  }
  return true;
}

bool refuses() {
  std::ostringstream report;
  try {
    cisolve::show_result("there-is-no-such-file.h5", report);
  } catch (const cisolve::InputError&) {
    return true;
  }
  std::fprintf(stderr, "consumer: an absent result file was not refused\n");
  return false;
}

}  // namespace

int main() {
  if (!solves() || !refuses()) return 1;
  std::puts("consumer: the installed library works");
  return 0;
}
